# Files, sections, bullets, revisions, scopes, tags and names are read from the memory.
function __fish_memdir_words
    set -l words (commandline -opc) (commandline -ct)
    command memdir __complete -- $words[2..-1] 2>/dev/null
end

# The values of an option without the option that is in the same word, as fish completes them.
function __fish_memdir_values
    __fish_memdir_words | string replace -r -- '^(--[^=]*=|-[^-]=?)' ''
end

complete -c memdir -n "__fish_memdir_needs_command" -f -a "help" -d 'Print the help of a command'
complete -c memdir -n 'not __fish_memdir_needs_command >/dev/null' -f -a '(__fish_memdir_words)'
