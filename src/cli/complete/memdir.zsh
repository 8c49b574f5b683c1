
# Files, sections, bullets, revisions, scopes, tags and names are read from the memory.
_memdir() {
    local ret=1
    local -a memdir_words
    # Without the quotes that the shell needs: 'user\#w' is the address 'user#w'.
    memdir_words=("${(@Q)words[2,CURRENT-1]}")
    _memdir_clap "$@" && ret=0
    # Aliases and the operands of help are unknown to the functions above.
    if (( ! compstate[nmatches] && $#memdir_words )); then
        _memdir_candidates && ret=0
    fi
    return ret
}

_memdir_words() {
    _memdir_candidates || _files
}

_memdir_candidates() {
    # The option in front of its value (--tag=, -S) is in IPREFIX where clap's functions have split the word.
    local line option=${(Q)IPREFIX} word=${(Q)PREFIX}
    local -a found shown
    for line in "${(@f)$(command memdir __complete -- "${(@)memdir_words}" "$option$word" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        line=${line#"$option"}
        found+=("${line%%$'\t'*}")
        shown+=("${line%%$'\t'*}  ${line#*$'\t'}")
    done
    (( $#found )) && compadd -l -d shown -S '' -- "${found[@]}"
}

