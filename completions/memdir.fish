# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_memdir_global_optspecs
    string join \n C/dir= g/global as= json q/quiet v/verbose color= h/help V/version
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

complete -c memdir -n "__fish_memdir_needs_command" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_needs_command" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_needs_command" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_needs_command" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_needs_command" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_needs_command" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_needs_command" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_needs_command" -s h -l help -d 'Print help'
complete -c memdir -n "__fish_memdir_needs_command" -s V -l version -d 'Print version'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "init" -d 'Make a data dir'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "status" -d 'What a person should know about this memory now'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "list" -d 'The files; a file\'s sections and bullets and what links to it; a section\'s'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "read" -d 'A file, section or bullet as it stands'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "query" -d 'What fits a question, best first'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "context" -d 'What a session should see first: news, what is pinned and important, the files, the newest entries'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "add" -d 'Add bullets to a file or section; what is missing is made'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "update" -d 'Give a bullet a new text'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "rm" -d 'Remove bullets, sections or files'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "mv" -d 'Move a bullet, section or file'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "set" -d 'Set a bullet\'s metadata, a section\'s title or id, a file\'s summary or front matter'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "append" -d 'Append an episode entry, or a block of markdown'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "patch" -d 'Replace exact texts, each standing exactly once'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "write" -d 'Make or replace a whole file'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "apply" -d 'Apply a batch of operations, all or nothing'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "edit" -d 'Edit a file in $VISUAL or $EDITOR; others may go on writing meanwhile'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "bullet" -d 'The same verbs on bullets alone'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "log" -d 'What happened, newest first, outside edits included'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "show" -d 'What one revision did'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "diff" -d 'From a revision until now, or between two, memdir\'s or git\'s; without one, what is not yet recorded'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "undo" -d 'Take a revision back; again goes further back'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "redo" -d 'Bring back what was undone, or what an editor dropped'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "reflect" -d 'Read a conversation and keep what is worth it; a model proposes, rules decide'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "inbox" -d 'What waits for a person; accept or reject it'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "compact" -d 'Bring what is over its limit back to it; what goes is kept below archive/'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "check" -d 'Look for structural trouble; exits 6 when there is some'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "resolve" -d 'Merge files with conflict markers again, bullet by bullet; exit 4 when something is left'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "setup" -d 'Let git merge by bullet: .gitattributes in the data dir, the driver in this clone\'s config'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "sync" -d 'Commit, fetch, merge by bullet and push a memory that is a git repository of its own'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "merge" -d 'Merge three files: the text to stdout, exit 4 when conflicts are left in it'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "merge-driver" -d 'Merge for git: the result goes into OURS; exit 0 merged, 1 conflicts, over 128 not done'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "where" -d 'The data dir, or a file\'s absolute path'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "schema" -d 'JSON Schema'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "completions" -d 'A completion script'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "man" -d 'A manual page (roff)'
complete -c memdir -n "__fish_memdir_needs_command" -f -a "__complete"
complete -c memdir -n "__fish_memdir_using_subcommand init" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand init" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand init" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand init" -l example -d 'With a small example memory'
complete -c memdir -n "__fish_memdir_using_subcommand init" -l adopt -d 'Around markdown that is there, changing nothing in it'
complete -c memdir -n "__fish_memdir_using_subcommand init" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand init" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand init" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand init" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand init" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand status" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand status" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand status" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand status" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand status" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand status" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand status" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand status" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand list" -s L -l limit -d 'At most so many rows; what is left out is counted' -r
complete -c memdir -n "__fish_memdir_using_subcommand list" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand list" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand list" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand list" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand list" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand list" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand list" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand list" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand read" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand read" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand read" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand read" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand read" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand read" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand read" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand read" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand query" -s L -l limit -d 'At most so many items' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -s b -l budget -d 'At most so many tokens' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l category -d 'Only of one of these: a file\'s stem or tag, a section\'s slug, a [category] (repeatable)' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l tag -d 'Only with all of these #tags (repeatable)' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l in -d 'Only in these files: facts/*.md, episodes, user (repeatable)' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l imp -d 'Importance: 7, 5.., ..3 or 3..7' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l conf -d 'Confidence, at least' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l since -d 'Not before: r41, 2026-11-20, yesterday, 2d, \'2 weeks\'; items of unknown date are counted, not shown' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l until -d 'Not after' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l by -d 'Only by this one' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l source -d 'Only from this source' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l run -d 'Only from this run' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l threshold -d 'Only what fits at least so well: 0 to 1, where 1 says every word of the question' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand query" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand query" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand query" -l full -d 'Whole texts: bullets with their children, items with their episode entry'
complete -c memdir -n "__fish_memdir_using_subcommand query" -l explain -d 'What each term contributed'
complete -c memdir -n "__fish_memdir_using_subcommand query" -l linked -d 'With one or two items that a link joins to the found ones'
complete -c memdir -n "__fish_memdir_using_subcommand query" -l pinned -d 'Only pinned ones'
complete -c memdir -n "__fish_memdir_using_subcommand query" -s a -l all -d 'Expired items, archive/, inbox/ and procedures/ too'
complete -c memdir -n "__fish_memdir_using_subcommand query" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand query" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand query" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand query" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand query" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand context" -l style -d 'default; index: the files alone; records: all items by date, newest first' -r -f -a "default\t''
index\t''
records\t''"
complete -c memdir -n "__fish_memdir_using_subcommand context" -s b -l budget -d 'At most so many tokens (2000), 320 or more; what is left out is told, with the command to see it' -r
complete -c memdir -n "__fish_memdir_using_subcommand context" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand context" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand context" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand context" -s n -l peek -d 'Leave the reader\'s mark where it is: the same news are told again'
complete -c memdir -n "__fish_memdir_using_subcommand context" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand context" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand context" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand context" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand context" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s F -l file -d 'Read a markdown list from a file (- is stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand add" -l tag -d 'Append #T to each text (repeatable)' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l imp -d 'Importance, 0 to 10' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l exp -d 'Last day it holds, YYYY-MM-DD' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l conf -d 'Confidence, 0 to 1' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l id -d 'An explicit id (one text only)' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand add" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand add" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand add" -l pin -d 'Always in the default context'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand add" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand add" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand add" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand update" -l index -d 'The n-th bullet of the file or section, from 1' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -l old -d 'The text it has' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -s F -l file -d 'Read the new text from a file (- is stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand update" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand update" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand update" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand update" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand update" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand update" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand update" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand update" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand update" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand update" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand update" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l archive -d 'Keep it below archive/'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l forget -d 'Keep it nowhere: slots, journal and archive are scrubbed; cannot be undone'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand rm" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand mv" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand set" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand set" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand set" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand set" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand set" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand set" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand set" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand set" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand set" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand set" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand set" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand set" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand set" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand set" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand set" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand append" -s t -l title -d 'The entry\'s title' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -s s -l summary -d 'The entry\'s own summary, one line' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -s d -l date -d 'The entry\'s date, YYYY-MM-DD (today)' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -l file-summary -d 'The file\'s summary line, as you want it' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -s F -l file -d 'Read the text from a file (- is stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand append" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand append" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand append" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand append" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand append" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand append" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand append" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand append" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand append" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand append" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand append" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l old -d 'A text that stands once (repeatable, each with its --new)' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l new -d 'What stands there then' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s F -l file -d 'Read the JSON from a file (- is stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand patch" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand write" -s F -l file -d 'Read the text from a file (- is stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand write" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand write" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand write" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand write" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand write" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand write" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand write" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand write" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand write" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand write" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand write" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand write" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand write" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand write" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand write" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s F -l file -d 'Read the operations from a file (- is stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand apply" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l resume -d 'Go on with a copy that an earlier edit kept' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand edit" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -f -a "add" -d 'Add bullets to a file or section; what is missing is made'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -f -a "del" -d 'Remove one bullet, named by handle, index or text'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -f -a "update" -d 'Give a bullet a new text'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and not __fish_seen_subcommand_from add del update list" -f -a "list" -d 'All bullets of a file or section, with index and handle'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s F -l file -d 'Read a markdown list from a file (- is stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l tag -d 'Append #T to each text (repeatable)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l imp -d 'Importance, 0 to 10' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l exp -d 'Last day it holds, YYYY-MM-DD' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l conf -d 'Confidence, 0 to 1' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l id -d 'An explicit id (one text only)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l pin -d 'Always in the default context'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from add" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l index -d 'The n-th bullet of the file or section, from 1' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l archive -d 'Keep it below archive/'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l forget -d 'Keep it nowhere; cannot be undone'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from del" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l index -d 'The n-th bullet of the file or section, from 1' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l old -d 'The text it has' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s F -l file -d 'Read the new text from a file (- is stdin)' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from update" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -s L -l limit -d 'At most so many rows; what is left out is counted' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand bullet; and __fish_seen_subcommand_from list" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand log" -l since -d 'Only since then: r41, 2026-11-20, yesterday, 2d, \'2 weeks\'' -r
complete -c memdir -n "__fish_memdir_using_subcommand log" -l by -d 'Only by this one' -r
complete -c memdir -n "__fish_memdir_using_subcommand log" -s L -l limit -d 'At most so many' -r
complete -c memdir -n "__fish_memdir_using_subcommand log" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand log" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand log" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand log" -s p -l patch -d 'Bullet by bullet'
complete -c memdir -n "__fish_memdir_using_subcommand log" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand log" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand log" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand log" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand log" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand show" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand show" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand show" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand show" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand show" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand show" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand show" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand show" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l since -d 'Bullet by bullet from that revision (or date, or age) until now' -r
complete -c memdir -n "__fish_memdir_using_subcommand diff" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l stat -d 'How many bullets came, went, were updated or moved in each file'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l bullets -d 'Bullet by bullet instead of lines'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand diff" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l by -d 'The newest change by this writer that is not undone' -r
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l keep-edited -d 'Leave files alone that moved on and cannot be merged'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand undo" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand redo" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l mode -d 'tools: the model calls them one by one; ops: it answers with one JSON object; auto: whichever its host can' -r -f -a "auto\t''
tools\t''
ops\t''"
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l into -d 'Everything goes into this file' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l provider -d 'Who answers: openai, anthropic, gemini, openrouter, ollama, llamacpp, lmstudio, vllm, exec; also MEMDIR_PROVIDER' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l model -d 'The model, as the provider knows it; also MEMDIR_MODEL' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l timeout -d 'How long to wait for the model, in seconds (30 a request, 600 in all)' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l source -d 'From where, for the journal; without it, the conversation\'s id' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l propose -d 'Keep nothing at once: everything waits in inbox/'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l show-prompt -d 'Show what the model would be told first, and ask nobody'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l check-model -d 'Show which model would be asked, and try it'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l queued -d 'Read the conversations that wait for budget'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s n -l dry-run -d 'Ask, show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand reflect" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l accept -d 'Carry them out, planned on the memory as it is now'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l reject -d 'Drop them'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand inbox" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l to -d 'Down to N bullets (entries, in an episode file), whatever the policy says' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s F -l file -d 'Operations as JSON (- is stdin) that are made in the same batch: what they bring may go, too' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l provider -d 'Who answers: openai, anthropic, gemini, openrouter, ollama, llamacpp, lmstudio, vllm, exec; also MEMDIR_PROVIDER' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l model -d 'The model, as the provider knows it; also MEMDIR_MODEL' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l timeout -d 'How long to wait for the model, in seconds (30 a request, 600 in all)' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l by-age -d 'Ask nobody: the oldest go'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand compact" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand check" -l since -d 'Only what is new since this revision of git\'s; paths from the working directory' -r
complete -c memdir -n "__fish_memdir_using_subcommand check" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand check" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand check" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand check" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand check" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand check" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand check" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand check" -l writing -d 'Hold facts and episodes to the writing rules, too'
complete -c memdir -n "__fish_memdir_using_subcommand check" -l fix -d 'Mend what needs no decision'
complete -c memdir -n "__fish_memdir_using_subcommand check" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand check" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand check" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand check" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand check" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand check" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand check" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand check" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s m -l reason -d 'Why, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l source -d 'From where, for the journal' -r
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l if-match -d 'Only if the file still has this etag (8 or more hex digits)' -r
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l ours -d 'Decide what is left: our side stands'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l theirs -d 'Their side stands'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l both -d 'Both stand, ours first'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s n -l dry-run -d 'Show what would be done, write nothing'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s f -l force -d 'Proof by decree: act on a position, an id, a whole file'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l create -d 'Make a new file although its name is close to another\'s'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand resolve" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l check -d 'Change nothing; exit 6 when something is missing'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l remove -d 'Take out what was set up, and nothing else'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l print -d 'Print the lines, for whoever sets it up by hand'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -s n -l dry-run -d 'Show what would be changed, change nothing'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand setup" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s m -l reason -d 'The commit\'s first line (otherwise told from the journal)' -r
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l timeout -d 'How long git may talk to the remote, in seconds' -r
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l lock-timeout -d 'How long to wait for another writer, in seconds (10)' -r
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s n -l dry-run -d 'Show what would be committed; do nothing, and leave the remote alone'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s f -l force -d 'Also when most of the memory, or a whole folder, is gone here or there. A push is never forced'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand sync" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand merge" -s o -l out -d 'Write the text here instead of to stdout' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand merge" -l marker-size -d 'Characters a conflict marker is long' -r
complete -c memdir -n "__fish_memdir_using_subcommand merge" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand merge" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand merge" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand merge" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand merge" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand merge" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand merge" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand merge" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand merge-driver" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand where" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand where" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand where" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand where" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand where" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand where" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand where" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand where" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand schema" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand schema" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand schema" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand schema" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand schema" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand schema" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand schema" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand schema" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand completions" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand completions" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand completions" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand completions" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand completions" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand completions" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand completions" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand completions" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand man" -l all -d 'Write all pages into this directory' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand man" -s C -l dir -d 'The data dir; also MEMDIR' -r -F
complete -c memdir -n "__fish_memdir_using_subcommand man" -l as -d 'Who is asking, for the journal; also MEMDIR_AS' -r
complete -c memdir -n "__fish_memdir_using_subcommand man" -l color -d 'Colour: auto (on a terminal without NO_COLOR), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c memdir -n "__fish_memdir_using_subcommand man" -s g -l global -d 'Your own memory (memory.dataDir of the user config), wherever you are'
complete -c memdir -n "__fish_memdir_using_subcommand man" -l json -d 'One JSON object: the answer on stdout, or the error on stderr'
complete -c memdir -n "__fish_memdir_using_subcommand man" -s q -l quiet -d 'No answer of a change, no warnings'
complete -c memdir -n "__fish_memdir_using_subcommand man" -s v -l verbose -d 'Etags, metadata, where the data dir was found'
complete -c memdir -n "__fish_memdir_using_subcommand man" -s h -l help -d 'This help'
complete -c memdir -n "__fish_memdir_using_subcommand __complete" -s h -l help -d 'Print help'

# Files, sections, bullets and revisions come from the memory itself.
function __fish_memdir_words
    set -l words (commandline -opc) (commandline -ct)
    command memdir __complete -- $words[2..-1] 2>/dev/null
end

complete -c memdir -n 'not __fish_use_subcommand' -f -a '(__fish_memdir_words)'
