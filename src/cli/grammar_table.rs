//! Generated from clap's grammar: the options that take a value, then each command with its names, its aliases,
//! those options and its positionals.
//!
//! Never edited: `MEMDIR_BLESS=1 cargo test --test it generated` rewrites it.

use super::grammar::ValueKind::{Actor, Address, AddressOrText, Caller, File, Glob, Other, Page, Path, Revision, Scope, Tag, Text};
use super::grammar::{CommandGrammar, OptionGrammar, command, many, one, option};

const C_PATH: OptionGrammar = option("", Some('C'), Path);
const DIR_PATH: OptionGrammar = option("dir", None, Path);
const SCOPE_SCOPE: OptionGrammar = option("scope", Some('S'), Scope);
const AS_CALLER: OptionGrammar = option("as", None, Caller);
const COLOR_OTHER: OptionGrammar = option("color", None, Other);
const LIMIT_OTHER: OptionGrammar = option("limit", Some('L'), Other);
const BUDGET_OTHER: OptionGrammar = option("budget", Some('b'), Other);
const CATEGORY_OTHER: OptionGrammar = option("category", None, Other);
const TAG_TAG: OptionGrammar = option("tag", None, Tag);
const IN_GLOB: OptionGrammar = option("in", None, Glob);
const IMP_OTHER: OptionGrammar = option("imp", None, Other);
const CONF_OTHER: OptionGrammar = option("conf", None, Other);
const SINCE_OTHER: OptionGrammar = option("since", None, Other);
const UNTIL_OTHER: OptionGrammar = option("until", None, Other);
const BY_ACTOR: OptionGrammar = option("by", None, Actor);
const SOURCE_OTHER: OptionGrammar = option("source", None, Other);
const RUN_OTHER: OptionGrammar = option("run", None, Other);
const TOUCHING_OTHER: OptionGrammar = option("touching", None, Other);
const THRESHOLD_OTHER: OptionGrammar = option("threshold", None, Other);
const STYLE_OTHER: OptionGrammar = option("style", None, Other);
const FILE_PATH: OptionGrammar = option("file", Some('F'), Path);
const EXP_OTHER: OptionGrammar = option("exp", None, Other);
const ID_OTHER: OptionGrammar = option("id", None, Other);
const WHEN_OTHER: OptionGrammar = option("when", None, Other);
const KEYWORDS_OTHER: OptionGrammar = option("keywords", None, Other);
const REASON_TEXT: OptionGrammar = option("reason", Some('m'), Text);
const SOURCE_TEXT: OptionGrammar = option("source", None, Text);
const CONSENT_TEXT: OptionGrammar = option("consent", None, Text);
const LOCK_TIMEOUT_OTHER: OptionGrammar = option("lock-timeout", None, Other);
const IF_MATCH_OTHER: OptionGrammar = option("if-match", None, Other);
const INDEX_OTHER: OptionGrammar = option("index", None, Other);
const OLD_TEXT: OptionGrammar = option("old", None, Text);
const TITLE_TEXT: OptionGrammar = option("title", Some('t'), Text);
const SUMMARY_TEXT: OptionGrammar = option("summary", Some('s'), Text);
const DATE_OTHER: OptionGrammar = option("date", Some('d'), Other);
const FILE_SUMMARY_TEXT: OptionGrammar = option("file-summary", None, Text);
const NEW_TEXT: OptionGrammar = option("new", None, Text);
const RESUME_PATH: OptionGrammar = option("resume", None, Path);
const MODE_OTHER: OptionGrammar = option("mode", None, Other);
const INTO_FILE: OptionGrammar = option("into", None, File);
const RELATED_TEXT: OptionGrammar = option("related", None, Text);
const REQUEST_TEXT: OptionGrammar = option("request", None, Text);
const TAGS_TEXT: OptionGrammar = option("tags", None, Text);
const FINDER_OTHER: OptionGrammar = option("finder", None, Other);
const EDITOR_OTHER: OptionGrammar = option("editor", None, Other);
const FACTS_TOKENS_OTHER: OptionGrammar = option("facts-tokens", None, Other);
const PROVIDER_OTHER: OptionGrammar = option("provider", None, Other);
const MODEL_OTHER: OptionGrammar = option("model", None, Other);
const TIMEOUT_OTHER: OptionGrammar = option("timeout", None, Other);
const BRANCH_OTHER: OptionGrammar = option("branch", None, Other);
const TO_OTHER: OptionGrammar = option("to", None, Other);
const OLDER_OTHER: OptionGrammar = option("older", None, Other);
const AGAINST_PATH: OptionGrammar = option("against", None, Path);
const ROT_PATH: OptionGrammar = option("rot", None, Path);
const FORMAT_OTHER: OptionGrammar = option("format", None, Other);
const ONLY_OTHER: OptionGrammar = option("only", None, Other);
const FROM_OTHER: OptionGrammar = option("from", None, Other);
const IN_OTHER: OptionGrammar = option("in", None, Other);
const SETTLE_OTHER: OptionGrammar = option("settle", None, Other);
const OUT_PATH: OptionGrammar = option("out", Some('o'), Path);
const TOOLS_OTHER: OptionGrammar = option("tools", None, Other);
const MARKER_SIZE_OTHER: OptionGrammar = option("marker-size", None, Other);
const HOST_OTHER: OptionGrammar = option("host", None, Other);
const ALL_PATH: OptionGrammar = option("all", None, Path);

/// The program itself, then all commands.
pub const COMMANDS: &[CommandGrammar] = &[
    command(&[], &[], &[C_PATH, DIR_PATH, SCOPE_SCOPE, AS_CALLER, COLOR_OTHER], &[]),
    command(&["init"], &[], &[], &[one(Path)]),
    command(&["status"], &["st"], &[], &[]),
    command(&["list"], &["ls"], &[LIMIT_OTHER], &[one(Address)]),
    command(&["read"], &["cat", "get", "view"], &[], &[one(Address)]),
    command(&["query"], &["search", "find", "grep", "recall"], &[LIMIT_OTHER, BUDGET_OTHER, CATEGORY_OTHER, TAG_TAG, IN_GLOB, IMP_OTHER, CONF_OTHER, SINCE_OTHER, UNTIL_OTHER, BY_ACTOR, SOURCE_OTHER, RUN_OTHER, TOUCHING_OTHER, THRESHOLD_OTHER], &[many(Other)]),
    command(&["context"], &[], &[STYLE_OTHER, BUDGET_OTHER], &[]),
    command(&["add"], &["remember"], &[FILE_PATH, TAG_TAG, IMP_OTHER, EXP_OTHER, CONF_OTHER, ID_OTHER, WHEN_OTHER, KEYWORDS_OTHER, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[one(Address), many(Text)]),
    command(&["update"], &["replace"], &[INDEX_OTHER, OLD_TEXT, FILE_PATH, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[one(Address), many(Text)]),
    command(&["rm"], &["remove", "delete", "del"], &[REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[many(AddressOrText)]),
    command(&["restore"], &[], &[REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[many(Address)]),
    command(&["mv"], &["move", "rename"], &[REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[one(Address), one(File)]),
    command(&["set"], &[], &[REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[one(Address), many(Other)]),
    command(&["append"], &[], &[TITLE_TEXT, SUMMARY_TEXT, DATE_OTHER, FILE_SUMMARY_TEXT, FILE_PATH, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[one(File), one(Other)]),
    command(&["patch"], &[], &[OLD_TEXT, NEW_TEXT, FILE_PATH, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[one(File), one(Other)]),
    command(&["write"], &[], &[FILE_PATH, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[one(File), one(Other)]),
    command(&["apply"], &[], &[FILE_PATH, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[one(Other)]),
    command(&["edit"], &[], &[RESUME_PATH, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER], &[one(File)]),
    command(&["bullet"], &[], &[], &[]),
    command(&["bullet", "add"], &[], &[FILE_PATH, TAG_TAG, IMP_OTHER, EXP_OTHER, CONF_OTHER, ID_OTHER, WHEN_OTHER, KEYWORDS_OTHER, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[one(Address), many(Text)]),
    command(&["bullet", "del"], &["rm"], &[INDEX_OTHER, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[one(Address), one(Text)]),
    command(&["bullet", "update"], &[], &[INDEX_OTHER, OLD_TEXT, FILE_PATH, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[one(Address), many(Text)]),
    command(&["bullet", "list"], &[], &[LIMIT_OTHER], &[one(Address)]),
    command(&["log"], &["history"], &[SINCE_OTHER, BY_ACTOR, LIMIT_OTHER], &[one(Address)]),
    command(&["show"], &[], &[], &[one(Revision)]),
    command(&["diff"], &[], &[SINCE_OTHER], &[one(Revision), one(File)]),
    command(&["stats"], &[], &[SINCE_OTHER], &[]),
    command(&["undo"], &[], &[BY_ACTOR, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER], &[one(Revision)]),
    command(&["redo"], &[], &[REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER], &[one(Revision)]),
    command(&["reflect"], &[], &[MODE_OTHER, INTO_FILE, RELATED_TEXT, REQUEST_TEXT, TAGS_TEXT, FINDER_OTHER, EDITOR_OTHER, FACTS_TOKENS_OTHER, PROVIDER_OTHER, MODEL_OTHER, TIMEOUT_OTHER, REASON_TEXT, SOURCE_TEXT, LOCK_TIMEOUT_OTHER], &[one(Path)]),
    command(&["inbox"], &[], &[BRANCH_OTHER, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER], &[many(Other)]),
    command(&["compact"], &[], &[TO_OTHER, FILE_PATH, OLDER_OTHER, PROVIDER_OTHER, MODEL_OTHER, TIMEOUT_OTHER, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER, IF_MATCH_OTHER], &[one(Address)]),
    command(&["prune"], &[], &[REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER], &[]),
    command(&["check"], &[], &[SINCE_OTHER, AGAINST_PATH, ROT_PATH, FORMAT_OTHER, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER], &[many(File)]),
    command(&["resolve"], &[], &[REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER], &[one(File)]),
    command(&["setup"], &[], &[], &[one(Other)]),
    command(&["scope"], &[], &[], &[one(Other), one(Scope)]),
    command(&["sync"], &[], &[ONLY_OTHER, REASON_TEXT, TIMEOUT_OTHER, LOCK_TIMEOUT_OTHER], &[one(Other)]),
    command(&["import"], &[], &[FROM_OTHER, IN_OTHER, REASON_TEXT, SOURCE_TEXT, CONSENT_TEXT, LOCK_TIMEOUT_OTHER], &[one(Path)]),
    command(&["embed"], &[], &[SETTLE_OTHER], &[]),
    command(&["export"], &[], &[TO_OTHER, OUT_PATH], &[many(File)]),
    command(&["mcp"], &[], &[TOOLS_OTHER], &[]),
    command(&["checkpoint"], &[], &[FILE_PATH, IF_MATCH_OTHER, LOCK_TIMEOUT_OTHER], &[one(Other), one(Other), one(Other)]),
    command(&["merge"], &[], &[OUT_PATH, MARKER_SIZE_OTHER], &[one(Path), one(Path), one(Path)]),
    command(&["merge-driver"], &[], &[], &[one(Path), one(Path), one(Path), one(Other), many(Other)]),
    command(&["hook"], &[], &[HOST_OTHER, BUDGET_OTHER], &[one(Other)]),
    command(&["tool"], &[], &[], &[one(Other)]),
    command(&["etag"], &[], &[], &[one(Address)]),
    command(&["where"], &[], &[], &[one(File)]),
    command(&["schema"], &[], &[], &[one(Other)]),
    command(&["completions"], &[], &[], &[one(Other)]),
    command(&["man"], &[], &[ALL_PATH], &[one(Page)]),
    command(&["__complete"], &[], &[], &[many(Other)]),
];
