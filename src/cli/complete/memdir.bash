# Files, sections, bullets, revisions, scopes, tags and names are read from the memory.
_memdir_dynamic() {
    local line=${COMP_LINE:0:COMP_POINT} split=${COMP_WORDS[COMP_CWORD]} cur cut word about
    local -a words found=()
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    cur=${words[${#words[@]}-1]}
    _memdir "$@"
    [[ $cur == -* || ${#words[@]} -lt 3 ]] && return
    while IFS=$'\t' read -r word about; do
        [[ -n $word ]] && found+=("$word")
    done < <(command memdir __complete -- "${words[@]:1}" 2>/dev/null)
    ((${#found[@]})) || return 0
    # Bash splits words at '@', '=' and ':'; only what follows the last of them is replaced.
    case $split in
    @ | = | :) cut=$cur ;;
    *) cut=${cur%"$split"} ;;
    esac
    COMPREPLY=()
    for word in "${found[@]}"; do
        word=${word#"$cut"}
        [[ $word == *[!A-Za-z0-9._/#@-]* && $word == *[[:space:]\'\"\\\$\`\;\&\|\<\>\(\)]* ]] && word=$(printf '%q' "$word")
        COMPREPLY+=("$word")
    done
    compopt -o nospace 2>/dev/null
}

complete -F _memdir_dynamic -o bashdefault -o default memdir
