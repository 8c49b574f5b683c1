# Files, sections, bullets and revisions are read from the memory.
function __fish_memdir_words
    set -l words (commandline -opc) (commandline -ct)
    command memdir __complete -- $words[2..-1] 2>/dev/null
end

complete -c memdir -n 'not __fish_use_subcommand' -f -a '(__fish_memdir_words)'
