# Files, sections, bullets, revisions, scopes, tags and names are read from the memory.
_memdir_dynamic() {
    local line=${COMP_LINE:0:COMP_POINT} split=${COMP_WORDS[COMP_CWORD]} cur cut char quote= begun= word= about
    local -a words=() found=()
    local -i i
    # The words without the quotes that the shell needs: '*' is the scope *.
    for ((i = 0; i < ${#line}; i++)); do
        char=${line:i:1}
        if [[ $quote == "'" && $char != "'" ]]; then
            word+=$char
        elif [[ $char == \\ ]]; then
            ((++i)) && word+=${line:i:1} begun=1
        elif [[ $char == "$quote" ]]; then
            quote=
        elif [[ -n $quote ]]; then
            word+=$char
        elif [[ $char == [\'\"] ]]; then
            quote=$char begun=1
        elif [[ $char == [[:space:]] ]]; then
            [[ -n $begun ]] && words+=("$word")
            word= begun=
        else
            word+=$char begun=1
        fi
    done
    words+=("$word")
    cur=${line##*[[:space:]]}
    _memdir "$@"
    case $cur in
    --*=* | -[!-]?*) ;;
    -*) return 0 ;;
    *) ((${#words[@]} > 2)) || return 0 ;;
    esac
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
