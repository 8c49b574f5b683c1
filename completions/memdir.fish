# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_memdir_global_optspecs
    string join \n C= dir= g/global S/scope= as= json q/quiet v/verbose color= no-pager h/help V/version
end

function __fish_memdir_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_memdir_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_memdir_using_subcommand
    set -l cmd (__fish_memdir_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c memdir -n "__fish_memdir_needs_command" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_needs_command" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_needs_command" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_needs_command" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_needs_command" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_needs_command" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_needs_command" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_needs_command" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_needs_command" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_needs_command" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_needs_command" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_needs_command" -s V -l version -d 'Print version'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "init" -d 'Create a memory'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "status" -d 'Show the state of the memory: unrecorded edits, conflicts, pending proposals'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "list" -d 'List files, or the sections, bullets and backlinks of one'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "read" -d 'Print a file, section or bullet'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "query" -d 'Search the memory, best match first'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "context" -d 'Print what an agent needs when a session starts: news, pinned and important items, other facts, the files, the newest entries'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "add" -d 'Add bullets to a file or section; create it if it is missing'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "update" -d 'Replace the text of a bullet'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "rm" -d 'Remove bullets, sections or files'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "restore" -d 'Take bullets, sections or files back from archive/'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "mv" -d 'Move a bullet, section or file'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "set" -d 'Set a bullet\'s metadata, a section\'s title or id, a file\'s summary or front matter'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "append" -d 'Append an episode entry or a block of markdown'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "patch" -d 'Replace exact texts, each of which must occur exactly once'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "write" -d 'Create or replace a whole file'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "apply" -d 'Apply a batch of operations, all or nothing'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "edit" -d 'Edit a file in $VISUAL or $EDITOR; other writers are not blocked'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "bullet" -d 'Add, remove, update or list bullets'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "log" -d 'Show the history, newest first, including edits made outside memdir'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "show" -d 'Show what one revision changed'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "diff" -d 'Show changes since a revision or between two, memdir\'s or git\'s; without one, unrecorded edits'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "stats" -d 'Show figures of the memory and of its use: items, events, reads, tokens'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "undo" -d 'Undo a revision; repeat to go further back'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "redo" -d 'Redo an undone change, or one that an editor dropped'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "reflect" -d 'Extract memories from a conversation; a model proposes, rules decide'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "inbox" -d 'List the proposals that need a decision; accept or reject them'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "compact" -d 'Reduce what exceeds its limit; removed items are moved to archive/'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "prune" -d 'Archive what expired or is unused, purge what was archived long enough, by the rules of memdir.yaml'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "check" -d 'Check the structure of files; exit 6 if there are findings'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "resolve" -d 'Merge files with conflict markers again, bullet by bullet; exit 4 if conflicts are left'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "setup" -d 'Set up git to merge by bullet, or an agent host to use the memory'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "scope" -d 'List, add or remove scopes: memories of their own in this one, one for each app, user or project'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "sync" -d 'Commit, fetch, merge by bullet and push a memory that is its own git repository'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "import" -d 'Import the memories of another program'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "embed" -d 'Compute the embeddings that are missing, and delete those of removed texts'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "export" -d 'Print the memory in the format of another program'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "mcp" -d 'Serve an agent\'s host over the Model Context Protocol, on stdin and stdout'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "checkpoint" -d 'Save, load, list or remove the state of an agent, as JSON under a key'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "merge" -d 'Merge three files and print the text; exit 4 if conflicts are left in it'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "merge-driver" -d 'Merge for git and write the result to OURS; exit 0 merged, 1 conflicts, over 128 failed'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "hook" -d 'Answer a hook of an agent host: reads its JSON from stdin, prints its envelope, always exits 0'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "tool" -d 'Serve another program\'s memory tool: reads a request as JSON from stdin, prints its reply'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "etag" -d 'Print the etag of a file or section, for --if-match'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "where" -d 'Print the path of the memory or of a file'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "schema" -d 'Print a JSON Schema'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "completions" -d 'Print a shell completion script'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "man" -d 'Print a manual page'
complete -c memdir -n "__fish_memdir_using_subcommand init" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand init" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand init" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand init" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand init" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand init" -l example -d 'Include a small example memory (not with --adopt)'
complete -c memdir -n "__fish_memdir_using_subcommand init" -l adopt -d 'Adopt the existing markdown files without changing them'
complete -c memdir -n "__fish_memdir_using_subcommand init" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand init" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand init" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand init" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand init" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand init" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand status" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand status" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand status" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand status" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand status" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand status" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand status" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand status" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand status" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand status" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand status" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand list" -s L -l limit -d 'Print at most N rows, and how many are left out; 0 for all' -r
complete -c memdir -n "__fish_memdir_using_subcommand list" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand list" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand list" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand list" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand list" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand list" -l blame -d 'Show who last changed each bullet, when and from what'
complete -c memdir -n "__fish_memdir_using_subcommand list" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand list" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand list" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand list" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand list" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand list" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand read" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand read" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand read" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand read" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand read" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand read" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand read" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand read" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand read" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand read" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand read" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand query" -s L -l limit -d 'Print at most N items, 0 for all (default: 10, or as many as -b allows)' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -s b -l budget -d 'Print at most N tokens' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l category -d 'Only items of this category: a file\'s stem or tag, a section\'s slug, a [category] (repeatable: any of them)' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l tag -d 'Only items with this #tag (repeatable: all of them)' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand query" -l in -d 'Only items in these files: facts/*.md, episodes, user (repeatable: any of them)' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand query" -l imp -d 'Importance: 7, 5.., ..3 or 3..7' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l conf -d 'Minimum confidence, 0 to 1, after decay' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l since -d 'Only items since WHEN: r41, 2026-11-20, yesterday, 2d, \'2 weeks\'; items of unknown date are counted, not shown' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l until -d 'Only items until WHEN' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l by -d 'Only items by this actor, as metadata or this machine\'s history says' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand query" -l source -d 'Only items from this source, as metadata or this machine\'s history says' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l run -d 'Only items whose metadata names this run' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l touching -d 'Only bullets whose `when=` matches this path (repeatable: any of them)' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l threshold -d 'Minimum relevance, 0 to 1; 1 is an item with every word of the query but those such as "the"' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand query" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand query" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand query" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand query" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand query" -l full -d 'Print whole texts: bullets with their children, items with their episode entry'
complete -c memdir -n "__fish_memdir_using_subcommand query" -l explain -d 'Show what each term contributed to the score, and what age left of the confidence'
complete -c memdir -n "__fish_memdir_using_subcommand query" -l linked -d 'Add one or two items that the results link to or are linked from'
complete -c memdir -n "__fish_memdir_using_subcommand query" -l pinned -d 'Only pinned items'
complete -c memdir -n "__fish_memdir_using_subcommand query" -s a -l all -d 'Include expired items, archive/, inbox/ and procedures/'
complete -c memdir -n "__fish_memdir_using_subcommand query" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand query" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand query" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand query" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand query" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand query" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand context" -l style -d 'default; index: only the list of files; records: the ten newest items' -r -f -a "default\t''
index\t''
records\t''"
complete -c memdir -n "__fish_memdir_using_subcommand context" -s b -l budget -d 'Print at most N tokens (default 2000, at least 320), and the commands that show what is left out' -r
complete -c memdir -n "__fish_memdir_using_subcommand context" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand context" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand context" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand context" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand context" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand context" -l stable -d 'What rarely changes first and the news last, so that prompt caches hold'
complete -c memdir -n "__fish_memdir_using_subcommand context" -s n -l peek -d 'Do not record the news as seen: the next call shows them again'
complete -c memdir -n "__fish_memdir_using_subcommand context" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand context" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand context" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand context" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand context" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand context" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s F -l file -d 'Read a markdown list, or the text of one bullet, from a file (- for stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand add" -l tag -d 'Append #T to each text (repeatable)' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand add" -l imp -d 'Importance, 0 to 10' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l exp -d 'The last day on which it is valid, YYYY-MM-DD or today' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l conf -d 'Confidence, 0 to 1' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l id -d 'An explicit id (with one text only)' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l when -d 'A rule for files whose path matches: src/api/**, docs/*.md' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l keywords -d 'Other words by which query and hooks find it, as people will say it: \'new column, alter table\'' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand add" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand add" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand add" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand add" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand add" -l pin -d 'Always include it in the default context'
complete -c memdir -n "__fish_memdir_using_subcommand add" -l branch -d 'Keep it for the git branch that is checked out; `check` lists it once that is merged or deleted'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand add" -l create -d 'Create a new file even if its name is close to an existing one, or has another extension than .md'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand add" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand add" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand update" -l index -d 'The n-th bullet of the file or section, from 1' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -l old -d 'The bullet\'s current text' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -s F -l file -d 'Read the new text from a file (- for stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand update" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand update" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand update" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand update" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand update" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand update" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand update" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand update" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand update" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand update" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand update" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand update" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand update" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l archive -d 'Move what is removed to archive/'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l forget -d 'Erase its text also from the undo files, history and archive; cannot be undone'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand restore" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand restore" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand restore" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand restore" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand restore" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand restore" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand restore" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand restore" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand restore" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand restore" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand restore" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand restore" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand restore" -l create -d 'Create a new file even if its name is close to an existing one, or has another extension than .md'
complete -c memdir -n "__fish_memdir_using_subcommand restore" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand restore" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand restore" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand restore" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand restore" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand restore" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l create -d 'Create a new file even if its name is close to an existing one, or has another extension than .md'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand set" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand set" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand set" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand set" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand set" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand set" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand set" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand set" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand set" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand set" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand set" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand set" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand set" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand set" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand set" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand set" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand set" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand set" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand append" -s t -l title -d 'The title of the entry, one line' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -s s -l summary -d 'The entry\'s own summary, one line' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -s d -l date -d 'The entry\'s date, YYYY-MM-DD (default: today)' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -l file-summary -d 'The file\'s summary line, instead of the derived one' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -s F -l file -d 'Read the text from a file (- for stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand append" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand append" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand append" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand append" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand append" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand append" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand append" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand append" -l create -d 'Create a new file even if its name is close to an existing one, or has another extension than .md'
complete -c memdir -n "__fish_memdir_using_subcommand append" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand append" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand append" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand append" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand append" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand append" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l old -d 'A text that occurs exactly once (repeatable, each with its --new)' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l new -d 'The text that replaces it, one line (repeatable, each with its --old)' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s F -l file -d 'Read the JSON from a file (- for stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand write" -s F -l file -d 'Read the text from a file (- for stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand write" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand write" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand write" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand write" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand write" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand write" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand write" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand write" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand write" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand write" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand write" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand write" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand write" -l create -d 'Create a new file even if its name is close to an existing one, or has another extension than .md'
complete -c memdir -n "__fish_memdir_using_subcommand write" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand write" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand write" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand write" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand write" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand write" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s F -l file -d 'Read the operations from a file (- for stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l create -d 'Create a new file even if its name is close to an existing one, or has another extension than .md'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l resume -d 'Continue with a copy that an earlier edit kept' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l create -d 'Create a new file even if its name is close to an existing one, or has another extension than .md'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -f -a "add" -d 'Add bullets to a file or section; create it if it is missing'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -f -a "del" -d 'Remove one bullet by handle, index or text'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -f -a "update" -d 'Replace the text of a bullet'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -f -a "list" -d 'List all bullets of a file or section with index and handle'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s F -l file -d 'Read a markdown list, or the text of one bullet, from a file (- for stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l tag -d 'Append #T to each text (repeatable)' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l imp -d 'Importance, 0 to 10' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l exp -d 'The last day on which it is valid, YYYY-MM-DD or today' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l conf -d 'Confidence, 0 to 1' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l id -d 'An explicit id (with one text only)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l when -d 'A rule for files whose path matches: src/api/**, docs/*.md' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l keywords -d 'Other words by which query and hooks find it, as people will say it: \'new column, alter table\'' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l pin -d 'Always include it in the default context'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l branch -d 'Keep it for the git branch that is checked out; `check` lists it once that is merged or deleted'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l create -d 'Create a new file even if its name is close to an existing one, or has another extension than .md'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l index -d 'The n-th bullet of the file or section, from 1' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l archive -d 'Move what is removed to archive/'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l forget -d 'Erase its text also from the undo files, history and archive; cannot be undone'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l index -d 'The n-th bullet of the file or section, from 1' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l old -d 'The bullet\'s current text' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s F -l file -d 'Read the new text from a file (- for stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -s L -l limit -d 'Print at most N rows, and how many are left out; 0 for all' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -l blame -d 'Show who last changed each bullet, when and from what'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand log" -l since -d 'Only entries since WHEN: r41, 2026-11-20, yesterday, 2d, \'2 weeks\'' -r
complete -c memdir -n "__fish_memdir_using_subcommand log" -l by -d 'Only entries by this actor' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand log" -s L -l limit -d 'Print at most N entries, 0 for all (default: 50)' -r
complete -c memdir -n "__fish_memdir_using_subcommand log" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand log" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand log" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand log" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand log" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand log" -s p -l patch -d 'Show each bullet change'
complete -c memdir -n "__fish_memdir_using_subcommand log" -l all -d 'Print all entries; with --json and -p, the whole history with its texts'
complete -c memdir -n "__fish_memdir_using_subcommand log" -l oneline -d 'Print only revision, operations and files of each entry'
complete -c memdir -n "__fish_memdir_using_subcommand log" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand log" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand log" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand log" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand log" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand log" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand show" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand show" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand show" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand show" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand show" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand show" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand show" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand show" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand show" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand show" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand show" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l since -d 'Show bullet changes from this revision, date or age until now' -r
complete -c memdir -n "__fish_memdir_using_subcommand diff" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand diff" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l stat -d 'Count the bullets added, removed, updated and moved in each file'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l bullets -d 'Show bullet changes instead of lines'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand stats" -l since -d 'Only events since WHEN: r41, 2026-11-20, yesterday, 2d, \'2 weeks\'' -r
complete -c memdir -n "__fish_memdir_using_subcommand stats" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand stats" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand stats" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand stats" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand stats" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand stats" -l cost -d 'Only what models and contexts cost, and how good their proposals were'
complete -c memdir -n "__fish_memdir_using_subcommand stats" -l csv -d 'Print comma-separated values: metric, name, actor, day (empty for the sum), value'
complete -c memdir -n "__fish_memdir_using_subcommand stats" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand stats" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand stats" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand stats" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand stats" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand stats" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l by -d 'Undo the newest change by this actor that is not undone' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l keep-edited -d 'Skip files that were edited since and cannot be merged'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l mode -d 'tools: the model makes tool calls; ops: it replies with one JSON object; auto: whichever its host supports' -r -f -a "auto\t''
tools\t''
ops\t''"
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l into -d 'Put everything into this file, and refuse what the model proposes for others' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l related -d 'With --record: the ids of conversations that it is related to' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l request -d 'Make a change that is asked for in words, such as "Remove all egg preferences": a model finds the items, and its edits are made together or not at all' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l tags -d 'With --request: only files with one of these tags in their front matter' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l finder -d 'With --request: the model that finds the items; also `finder` in the user config' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l editor -d 'With --request: the model that decides on the edits; also `editor` in the user config' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l facts-tokens -d 'Tokens of facts in the prompt (default 4000); of a larger memory it has what the conversation is about' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l provider -d 'The provider: openai, anthropic, gemini, openrouter, ollama, llamacpp, lmstudio, vllm, exec; also MEMDIR_PROVIDER' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l model -d 'The model\'s name at the provider; also MEMDIR_MODEL' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l timeout -d 'Seconds to wait for the model (default 30 per request, 600 in total)' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l source -d 'The source, recorded in the history (default: the conversation\'s id)' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l propose -d 'Apply nothing: put every proposal into inbox/'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l record -d 'Make one entry of each conversation: a paragraph of up to four sentences; over a limit, the model decides which entry leaves'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l procedure -d 'Write down how the task of the conversation was done: numbered steps in a new file of procedures/'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l insights -d 'Ask what the newest entries and facts, and FILE if there is one, show about the user; at most once in 24 hours'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l show-prompt -d 'Print the first prompt without calling a model'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l check-model -d 'Show which model would be called, and test it'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l queued -d 'Process the conversations that hooks queued, and those queued when the daily token budget was used up'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s n -l dry-run -d 'Call the model, show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l branch -d 'Commit them on a new git branch, one a commit, and print the text of a pull request' -r
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l accept -d 'Apply them to the memory as it is now; without IDs, all that can be read'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l reject -d 'Discard them'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s f -l force -d 'Skip the staleness check of proposals that act on an index, an id or a whole file: apply them to what is there now'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l create -d 'Create a new file even if its name is close to an existing one, or has another extension than .md'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l to -d 'Reduce to N bullets (entries, in an episode file), regardless of the policy' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s F -l file -d 'Also apply these operations, as JSON (- for stdin), in the same batch; what they add may be archived, too' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l older -d 'Replace each month or week of episodes that ended before this by one entry that a model writes: 2026-01-01, \'3 months\'; without a model, list them' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l provider -d 'The provider: openai, anthropic, gemini, openrouter, ollama, llamacpp, lmstudio, vllm, exec; also MEMDIR_PROVIDER' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l model -d 'The model\'s name at the provider; also MEMDIR_MODEL' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l timeout -d 'Seconds to wait for the model (default 30 per request, 600 in total)' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l if-match -d 'Only change the file, or the section that the address names, if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l by-week -d 'Split months of episodes into weeks, by the days of the entries; links to them follow. No model is called'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l duplicates -d 'Remove bullets that say the same as another one; without a model, list them'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l by-age -d 'Call no model: archive the oldest'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s f -l force -d 'Skip the staleness check when acting on an index, an id or a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l create -d 'Create a new file even if its name is close to an existing one, or has another extension than .md'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand prune" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand prune" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand prune" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand prune" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand prune" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand prune" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand prune" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand prune" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand prune" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand prune" -s f -l force -d 'Trust the clock, also if it seems to have jumped'
complete -c memdir -n "__fish_memdir_using_subcommand prune" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand prune" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand prune" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand prune" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand prune" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand prune" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand prune" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand check" -l since -d 'Only findings that are new since this git commit; paths are relative to the working directory' -r
complete -c memdir -n "__fish_memdir_using_subcommand check" -l against -d 'Also report facts that contradict these files outside the memory, such as CLAUDE.md,AGENTS.md' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand check" -l rot -d 'Report what is wrong with any folder of notes, which need not be a memory; writes nothing' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand check" -l format -d 'How findings are printed: text, json (as --json), or github (annotations of GitHub Actions)' -r -f -a "text\t'Lines as compilers print them'
json\t'One JSON object'
github\t'Workflow commands of GitHub Actions'"
complete -c memdir -n "__fish_memdir_using_subcommand check" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand check" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand check" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand check" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand check" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand check" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand check" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand check" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand check" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand check" -l writing -d 'Also check facts and episodes against the writing rules'
complete -c memdir -n "__fish_memdir_using_subcommand check" -l anchors -d 'Only compare the code that anchors name with their hashes; --since selects code files, --fix follows moved lines'
complete -c memdir -n "__fish_memdir_using_subcommand check" -l stale -d 'Also report bullets that age has left little confidence (below 0.5, or at the floor of `decay`), or that expired'
complete -c memdir -n "__fish_memdir_using_subcommand check" -l strict -d 'Count contradictions and stale bullets as findings; without it they are notes'
complete -c memdir -n "__fish_memdir_using_subcommand check" -l fix -d 'Fix what needs no decision'
complete -c memdir -n "__fish_memdir_using_subcommand check" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand check" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand check" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand check" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand check" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand check" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand check" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l ours -d 'Resolve the remaining conflicts with our version'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l theirs -d 'Resolve the remaining conflicts with their version'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l both -d 'Resolve the remaining conflicts with both versions, ours first'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand setup" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l project -d 'For a host: change the files of this project (default, except for your own memory)'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l user -d 'For a host: change your own files, for all projects'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l auto-memory -d 'Of claude: its own memory folder (autoMemoryDirectory) becomes this memory, with an index MEMORY.md'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l check -d 'Change nothing; exit 6 if something is missing'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l remove -d 'Remove what was set up, and nothing else: a server of your own, with other arguments or keys, stays'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l print -d 'Print the lines and commands to set it up manually'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand scope" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand scope" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand scope" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand scope" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand scope" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand scope" -l restore -d 'Take an archived scope back'
complete -c memdir -n "__fish_memdir_using_subcommand scope" -l purge -d 'Delete the scope and its history for good'
complete -c memdir -n "__fish_memdir_using_subcommand scope" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand scope" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand scope" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand scope" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand scope" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand scope" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand scope" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l only -d 'Only fetch and merge; or push, without asking a remote that has everything' -r -f -a "fetch\t''
push\t''"
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s m -l reason -d 'The commit\'s subject (default: derived from the journal)' -r
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l timeout -d 'Seconds that git may spend on the remote, lost races included' -r
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l home -d 'Use the remote of the user config (sync.remote) or MEMDIR_REMOTE; a conflict goes to a branch of its own there'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l setup -d 'Set this memory up to follow that remote, once in each home; makes it a git repository if needed'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s n -l dry-run -d 'Show what would be committed; change nothing, do not contact the remote'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s f -l force -d 'Continue even if most of the memory is gone here or there, or the remote\'s history was rewritten; never forces a push'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand import" -l from -d 'Whose memories they are (default: detected from the content)' -r -f -a "memdir\t''
server-memory\t''
json-memory\t''
letta\t''
mem0\t''
chatgpt\t''
basic-memory\t''
claude\t''
markdown\t''"
complete -c memdir -n "__fish_memdir_using_subcommand import" -l in -d 'The folder for new files (default: facts)' -r
complete -c memdir -n "__fish_memdir_using_subcommand import" -s m -l reason -d 'The reason, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand import" -l source -d 'The source, recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand import" -l consent -d 'The user\'s words that agree to this change of a sensitive field, verbatim; recorded in the history' -r
complete -c memdir -n "__fish_memdir_using_subcommand import" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand import" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand import" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand import" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand import" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand import" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand import" -l create -d 'Create a new file even if its name is close to an existing one'
complete -c memdir -n "__fish_memdir_using_subcommand import" -s n -l dry-run -d 'Show what would change, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand import" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand import" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand import" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand import" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand import" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand import" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand embed" -l settle -d 'Wait N seconds for further changes first' -r
complete -c memdir -n "__fish_memdir_using_subcommand embed" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand embed" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand embed" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand embed" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand embed" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand embed" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand embed" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand embed" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand embed" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand embed" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand embed" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand export" -l to -d 'The format of the output' -r -f -a "json\t'Whole files and their bullets'
jsonl\t'One bullet a line'
markdown\t'The texts of the files, one after the other'
claude-index\t'The index MEMORY.md of Claude Code'
server-memory\t'Entities and relations, one a line'
json-memory\t'A resource with lists of items'
records\t'The memories of an app: entries and facts with id, content and times'
html\t'A page to look at, in one file that needs no server'"
complete -c memdir -n "__fish_memdir_using_subcommand export" -s o -l out -d 'Write to a new file that only you can read; - is standard output' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand export" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand export" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand export" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand export" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand export" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand export" -s f -l force -d 'Replace that file if it exists'
complete -c memdir -n "__fish_memdir_using_subcommand export" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand export" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand export" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand export" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand export" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand export" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand mcp" -l tools -d 'The tools: memory (context, query, list, read, change, append), seed (read, write, patch, append, list) or graph (entities, relations and observations)' -r -f -a "memory\t''
seed\t''
graph\t''"
complete -c memdir -n "__fish_memdir_using_subcommand mcp" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand mcp" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand mcp" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand mcp" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand mcp" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand mcp" -l read-only -d 'Leave out the tools that change the memory'
complete -c memdir -n "__fish_memdir_using_subcommand mcp" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand mcp" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand mcp" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand mcp" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand mcp" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand mcp" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -s F -l file -d 'Read the JSON from a file (- for stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -l if-match -d 'Only replace or remove the checkpoint if it still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -l lock-timeout -d 'Seconds to wait for another writer (default 10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand checkpoint" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand merge" -s o -l out -d 'Write the text to this file instead of stdout' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand merge" -l marker-size -d 'The length of conflict markers, in characters' -r
complete -c memdir -n "__fish_memdir_using_subcommand merge" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand merge" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand merge" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand merge" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand merge" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand merge" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand merge" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand merge" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand merge" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand merge" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand merge" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand hook" -l host -d 'The host, whose input and envelope are used' -r -f -a "claude\t''
codex\t''
gemini\t''
cursor\t''"
complete -c memdir -n "__fish_memdir_using_subcommand hook" -s b -l budget -d 'At session-start and subagent-start, print at most N tokens (default 600, at least 320)' -r
complete -c memdir -n "__fish_memdir_using_subcommand hook" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand hook" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand hook" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand hook" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand hook" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand hook" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand hook" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand hook" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand hook" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand hook" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand hook" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand tool" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand tool" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand tool" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand tool" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand tool" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand tool" -l serve -d 'Read one request a line and print one reply a line, until stdin ends'
complete -c memdir -n "__fish_memdir_using_subcommand tool" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand tool" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand tool" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand tool" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand tool" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand tool" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand etag" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand etag" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand etag" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand etag" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand etag" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand etag" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand etag" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand etag" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand etag" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand etag" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand etag" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand where" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand where" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand where" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand where" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand where" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand where" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand where" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand where" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand where" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand where" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand where" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand schema" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand schema" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand schema" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand schema" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand schema" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand schema" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand schema" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand schema" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand schema" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand schema" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand schema" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand completions" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand completions" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand completions" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand completions" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand completions" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand completions" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand completions" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand completions" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand completions" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand completions" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand completions" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_using_subcommand man" -l all -d 'Write all pages in roff into this directory' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand man" -s C -d 'Run as if started in this directory, as with git -C' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand man" -l dir -d 'The memory\'s data directory; also MEMDIR' -r -f -a "(__fish_complete_directories)"
complete -c memdir -n "__fish_memdir_using_subcommand man" -s S -l scope -d 'A scope of the memory, where the command sees and changes nothing else (\'*\' for query: all); else MEMDIR_SCOPE' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand man" -l as -d 'The caller\'s name, recorded in the history; also MEMDIR_AS' -r -f -a "(__fish_memdir_values)"
complete -c memdir -n "__fish_memdir_using_subcommand man" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand man" -l roff -d 'Print it in roff, the source of `man`'
complete -c memdir -n "__fish_memdir_using_subcommand man" -s g -l global -d 'Use your own memory from any directory (memory.dataDir of the user config, else ~/.local/share/memdir)'
complete -c memdir -n "__fish_memdir_using_subcommand man" -l json -d 'Print one JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand man" -s q -l quiet -d 'Print no result of a change and no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand man" -s v -l verbose -d 'Also print etags, metadata and how the memory was found'
complete -c memdir -n "__fish_memdir_using_subcommand man" -l no-pager -d 'Print everything at once, not through MEMDIR_PAGER or PAGER'
complete -c memdir -n "__fish_memdir_using_subcommand man" -s h -l help -d 'Print help'

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
