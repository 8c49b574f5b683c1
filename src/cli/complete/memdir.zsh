
# Files, sections, bullets and revisions come from the memory itself.
_memdir_words() {
    local line word about
    local -a found shown
    for line in "${(@f)$(command memdir __complete -- "${(@Q)${(z)LBUFFER}[2,-1]}" ${${LBUFFER[-1]}:#[^ ]} 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        word=${line%%$'\t'*}
        about=${line#*$'\t'}
        found+=("$word")
        shown+=("$word  $about")
    done
    if (( $#found )); then
        compadd -l -d shown -S '' -- "${found[@]}"
    else
        _files
    fi
}
