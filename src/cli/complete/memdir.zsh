
# Files, sections, bullets and revisions are read from the memory.
_memdir() {
    local -a memdir_words
    memdir_words=("${(@)words[2,CURRENT]}")
    memdir_words[-1]=$PREFIX
    _memdir_clap "$@"
}

_memdir_words() {
    local line
    local -a found shown
    for line in "${(@f)$(command memdir __complete -- "${(@)memdir_words}" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        found+=("${line%%$'\t'*}")
        shown+=("${line%%$'\t'*}  ${line#*$'\t'}")
    done
    if (( $#found )); then
        compadd -l -d shown -S '' -- "${found[@]}"
    else
        _files
    fi
}

