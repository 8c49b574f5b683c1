# Files, sections, bullets and revisions come from the memory itself.
_memdir_dynamic() {
    local line=${COMP_LINE:0:COMP_POINT} cur cut word about
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    cur=${words[-1]}
    _memdir "$@"
    [[ $cur == -* || ${#words[@]} -lt 3 ]] && return
    local -a found=()
    while IFS=$'\t' read -r word about; do
        [[ -n $word ]] && found+=("$word")
    done < <(command memdir __complete -- "${words[@]:1}" 2>/dev/null)
    ((${#found[@]})) || return 0
    # Bash splits words at '@', '=' and ':'; only what follows the last of them is replaced.
    cut=${cur%"${COMP_WORDS[COMP_CWORD]}"}
    [[ ${COMP_WORDS[COMP_CWORD]} == "@" ]] && cut=$cur
    COMPREPLY=()
    for word in "${found[@]}"; do
        COMPREPLY+=("$(printf '%q' "${word#"$cut"}")")
    done
    compopt -o nospace 2>/dev/null
}

complete -F _memdir_dynamic -o bashdefault -o default memdir
