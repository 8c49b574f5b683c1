//! Every literal example of the source documents as one row of a table: the request word for word, and the answer.
//!
//! Each request runs through the command line and through the library, on two equal memories, which must end equal. A
//! row that is not answered as its document says names the reason; a request of a front end that does not exist yet is
//! refused, and changes nothing.

use memdir::view::query::query_json;
use memdir::{ChangeOptions, Memory as Library, OpenOptions};

use crate::support::Memory;

const PROFILE: &str = "# User\n\n> Summary: who the user is.\n\nUser Profile: (ID: mem123)\n- Lives in Denver\n- Age is 30\n- Lives with Anna\n";
const TWO: &str =
    "# User\n\n> Summary: who the user is.\n\nUser Profile: (ID: mem123)\n- Lives in Denver\n- Age is 30\n";
pub const FOOD: &str = "# Food\n\n> Summary: what I like.\n\n## Likes\n\n- Sushi\n- Soup\n- scrambled_eggs_with_lox\n";
pub const USER: &str = "# User Facts\n\n> Summary: user name, language, role\n\n- Name: Zhang San\n- Language: prefers Chinese discussion, English code\n- Role: Full-stack developer\n- Updated: 2026-02-24\n";
const EPISODES: &str = "# 2026-02 Episodes\n\n> Summary: logger fix, short ID, config refactor\n\n## Logger stdout leak fix\n- Summary: pino pipeline stdout leak → custom JS transport\n- Date: 2026-02-24\n- Problem: pino-pretty in pipeline mode leaks to stdout\n- Solution: Custom line-transport.js, removed pipeline entirely\n- Lesson: pino worker threads cannot load .ts files in Bun\n";

/// What a request does.
#[derive(Clone, Copy)]
pub enum Does {
    /// Changes these lines; the same request again changes nothing.
    Once(&'static str),
    /// Changes nothing.
    Nothing,
    /// Is refused with this code.
    Refused(&'static str),
    /// With `-f` changes these lines; without it is refused with `needs_proof`, because ARCHITECTURE.md (Which bullet
    /// is meant) lets neither an index alone nor the replacement of a whole file through `apply`.
    WithProof(&'static str),
    /// Is refused as no operation: a tool, a service or an importer of its own answers it.
    OtherFrontEnd,
}
use Does::{Nothing, Once, OtherFrontEnd, Refused, WithProof};

/// Document and place, a file of the memory, the request word for word, what it does.
pub type Row = (&'static str, (&'static str, &'static str), &'static str, Does);

const UPDATE: &str = r#"  {
    "memory_id": "mem123",
    "old_sub_memory": "Lives in Denver",
    "new_sub_memory": "Lives in Austin",
    "index": 1,
    "intent": "update"
  }"#;
const EGGS: &str = r#"{
  "edits": [
    {
      "operation": "delete",
      "path": "food.likes[2]",
      "reason": "User requested removal of egg preferences"
    }
  ],
  "decision": "proceed",
  "reasoning": "Clear intent to remove eggs"
}"#;

pub const ROWS: &[Row] = &[
    (
        "bullet-crud 2B, add",
        ("facts/user.md", TWO),
        r#"  {
    "memory_id": "mem123",
    "sub_memory": "Lives with Anna",
    "intent": "add"
  }"#,
        Once("M facts/user.md\n+- Lives with Anna\n"),
    ),
    (
        "bullet-crud 2C, delete; repeated it is done (3, idempotency)",
        ("facts/user.md", PROFILE),
        r#"  {
    "memory_id": "mem123",
    "sub_memory": "Lives with Anna",
    "index": 3,
    "intent": "delete"
  }"#,
        Once("M facts/user.md\n-- Lives with Anna\n"),
    ),
    (
        "bullet-crud 2D, update",
        ("facts/user.md", PROFILE),
        UPDATE,
        Once("M facts/user.md\n-- Lives in Denver\n+- Lives in Austin\n"),
    ),
    (
        "bullet-crud 5, I moved to Austin and no longer live with Anna",
        ("facts/user.md", PROFILE),
        r#"[
  {
    "memory_id": "mem123",
    "old_sub_memory": "Lives in Denver",
    "new_sub_memory": "Lives in Austin",
    "index": 1,
    "intent": "update"
  },
  {
    "memory_id": "mem123",
    "sub_memory": "Lives with Anna",
    "index": 3,
    "intent": "delete"
  }
]"#,
        Once("M facts/user.md\n-- Lives in Denver\n+- Lives in Austin\n-- Lives with Anna\n"),
    ),
    (
        "bullet-crud 3, an unknown block is created where a category names it",
        ("facts/user.md", PROFILE),
        r#"{"memory_id": "mem999", "category": "Hobbies", "sub_memory": "Plays chess", "intent": "add"}"#,
        Once("M facts/user.md\n+\n+## Hobbies {#mem999}\n+\n+- Plays chess\n"),
    ),
    (
        "bullet-crud 3, a known block wins over the category beside it",
        ("facts/user.md", PROFILE),
        r#"{"memory_id": "mem123", "category": "Hobbies", "sub_memory": "Plays chess", "intent": "add"}"#,
        Once("M facts/user.md\n+- Plays chess\n"),
    ),
    (
        "bullet-crud 3, an unmatched text is no repeated delete",
        ("facts/user.md", PROFILE),
        r#"{"memory_id": "mem123", "sub_memory": "Anna", "index": 3, "intent": "delete"}"#,
        Refused("bullet_not_found"),
    ),
    (
        "bullet-crud 4, a duplicate is not added",
        ("facts/user.md", PROFILE),
        r#"{"memory_id": "mem123", "sub_memory": "Lives with Anna", "intent": "add"}"#,
        Nothing,
    ),
    (
        "json-memory 1, a resource file: `import` reads it",
        ("facts/food.md", FOOD),
        r#"{
  "_metadata": {
    "resource_id": "resource_user_food_prefs",
    "tags": ["food"],
    "last_updated": "2025-12-28"
  },
  "food": {
    "likes": [
      {
        "item": "pasta_carbonara",
        "display": "Pasta (especially carbonara)",
        "added": "2025-12-28",
        "expiry": null
      }
    ]
  }
}"#,
        OtherFrontEnd,
    ),
    (
        "json-memory 4, the finder's answer: an input of the editor, no change",
        ("facts/food.md", FOOD),
        r#"{
  "locations": [
    {
      "path": "food.likes[2]",
      "current_value": "{'item': 'scrambled_eggs_with_lox', ...}",
      "relevance": "Contains 'eggs' in item and display text"
    }
  ],
  "suggested_insert_path": "food.likes",
  "reasoning": "Found 1 egg-related item..."
}"#,
        OtherFrontEnd,
    ),
    (
        "json-memory 4, the editor's answer",
        ("facts/food.md", FOOD),
        r#"{
  "edits": [
    {
      "operation": "delete",
      "path": "food.likes[2]",
      "reason": "User wants to remove egg preferences"
    }
  ],
  "decision": "proceed",
  "reasoning": "Found egg preference, deleting as requested"
}"#,
        WithProof("M facts/food.md\n-- scrambled_eggs_with_lox\n"),
    ),
    (
        "json-memory 5, the handler's list; the file of that name is made by `import`",
        ("facts/resource_user_food_prefs.md", FOOD_RESOURCE),
        r#"[
    {"operation": "delete", "path": "food.likes[2]", "file": "resource_user_food_prefs.json"},
    {"operation": "insert", "path": "food.likes", "file": "resource_user_food_prefs.json", "new_value": {"item": "omelettes", "display": "Omelettes", "added": "2025-12-28", "expiry": null}}
]"#,
        WithProof(
            "M facts/resource_user_food_prefs.md\n-- scrambled_eggs_with_lox\n+- Omelettes\n+  <!-- mem added=2025-12-28 -->\n",
        ),
    ),
    (
        "json-memory 5, the handler's list; the file has another name and the id in its front matter",
        ("facts/food.md", FOOD_WITH_ID),
        r#"[
    {"operation": "delete", "path": "food.likes[2]", "file": "resource_user_food_prefs.json"},
    {"operation": "insert", "path": "food.likes", "file": "resource_user_food_prefs.json", "new_value": {"item": "omelettes", "display": "Omelettes", "added": "2025-12-28", "expiry": null}}
]"#,
        WithProof("M facts/food.md\n-- scrambled_eggs_with_lox\n+- Omelettes\n+  <!-- mem added=2025-12-28 -->\n"),
    ),
    (
        "json-memory, remove all egg preferences, stage 2",
        ("facts/food.md", FOOD),
        EGGS,
        WithProof("M facts/food.md\n-- scrambled_eggs_with_lox\n"),
    ),
    (
        "json-memory, stage 2 with the value of stage 1",
        ("facts/food.md", FOOD),
        r#"{"operation": "delete", "path": "food.likes[2]", "current_value": "scrambled_eggs_with_lox"}"#,
        Once("M facts/food.md\n-- scrambled_eggs_with_lox\n"),
    ),
    (
        "json-memory, testing 1, insert",
        ("facts/food.md", FOOD),
        r#"{"operation": "insert", "path": "food.likes", "new_value": "Omelettes"}"#,
        Once("M facts/food.md\n+- Omelettes\n"),
    ),
    (
        "json-memory, testing 3, duplicate",
        ("facts/food.md", FOOD),
        r#"{"operation": "insert", "path": "food.likes", "new_value": "Sushi"}"#,
        Nothing,
    ),
    (
        "json-memory 4, no_change",
        ("facts/food.md", FOOD),
        r#"{"edits": [{"operation": "no_change", "path": "food.likes"}], "decision": "proceed", "reasoning": "duplicate"}"#,
        Nothing,
    ),
    (
        "m2 6, memory_write creates a file",
        ("facts/project.md", "# Project\n"),
        r##"{"name": "memory_write", "arguments": {"path": "facts/user.md", "content": "# User Facts\n\n> Summary: user name, language, role\n\n- Name: Zhang San\n"}}"##,
        Once("A facts/user.md\n+# User Facts\n+\n+> Summary: user name, language, role\n+\n+- Name: Zhang San\n"),
    ),
    (
        "m2 6, memory_write over a file",
        ("facts/user.md", "# User\n\n> Summary: name\n\n- Name: Li Si\n"),
        r##"{"name": "memory_write", "arguments": {"path": "facts/user.md", "content": "# User\n\n> Summary: name\n\n- Name: Zhang San\n"}}"##,
        WithProof("M facts/user.md\n-- Name: Li Si\n+- Name: Zhang San\n"),
    ),
    (
        "m2 6, memory_patch",
        ("facts/user.md", USER),
        r#"{"name": "memory_patch", "arguments": {"path": "facts/user.md", "patches": [{"oldText": "Full-stack developer", "newText": "Architect"}]}}"#,
        Once("M facts/user.md\n-- Role: Full-stack developer\n+- Role: Architect\n"),
    ),
    (
        "m2 3 and 6, memory_append with the document's entry",
        ("episodes/2026-02.md", EPISODES),
        r###"{"name": "memory_append", "arguments": {"path": "episodes/2026-02.md", "entry": "## Short ID implementation\n- Summary: UUID → 16-char hex short ID\n- Date: 2026-02-24\n- Task: Replace full UUID with shorter IDs\n- Solution: First 64 bits of UUID v4 as 16-char hex\n- Collision probability: ~1 in 2^64\n"}}"###,
        Once(
            "M episodes/2026-02.md\n-> Summary: logger fix, short ID, config refactor\n+> Summary: logger fix, short ID, config refactor, short id implementation\n+\n+## Short ID implementation\n+- Summary: UUID → 16-char hex short ID\n+- Date: 2026-02-24\n+- Task: Replace full UUID with shorter IDs\n+- Solution: First 64 bits of UUID v4 as 16-char hex\n+- Collision probability: ~1 in 2^64\n",
        ),
    ),
    (
        "m2 6, memory_append with a summary of the file",
        ("episodes/2026-02.md", EPISODES),
        r###"{"name": "memory_append", "arguments": {"path": "episodes/2026-02.md", "entry": "## Short ID\n- Date: 2026-02-24\n", "summary": "logger fix, short ID"}}"###,
        Once(
            "M episodes/2026-02.md\n-> Summary: logger fix, short ID, config refactor\n+> Summary: logger fix, short ID\n+\n+## Short ID\n+- Date: 2026-02-24\n",
        ),
    ),
    (
        "m2 6, memory_read",
        ("facts/user.md", USER),
        r#"{"name": "memory_read", "arguments": {"path": "facts/user.md"}}"#,
        OtherFrontEnd,
    ),
    ("m2 6, memory_list", ("facts/user.md", USER), r#"{"name": "memory_list", "arguments": {}}"#, OtherFrontEnd),
    (
        "memory-feature, a decision about records: `compact` asks for it",
        ("facts/user.md", USER),
        r#"{"action": "delete", "targetMemoryId": 1, "newContent": "", "reason": "redundant"}"#,
        OtherFrontEnd,
    ),
    (
        "memory-feature, a request for a record: `reflect --record`",
        ("facts/user.md", USER),
        r#"{"appId": "a", "conversationId": "c", "conversationSummary": "s", "userMessages": [], "assistantMessages": []}"#,
        OtherFrontEnd,
    ),
    (
        "memory-feature, the records of an app: `export --to records`",
        ("facts/user.md", USER),
        r#"{
  "memories": [
    {
      "id": 1,
      "content": "...",
      "createdAt": "2025-10-10T14:30:00Z",
      "updatedAt": "2025-10-10T14:30:00Z"
    }
  ]
}"#,
        OtherFrontEnd,
    ),
    (
        "memory-feature, a purge's answer",
        ("facts/user.md", USER),
        "{\n  \"success\": true,\n  \"deletedCount\": 8\n}",
        OtherFrontEnd,
    ),
    (
        "memory-spec 3, insights: `reflect --insights`",
        ("facts/user.md", USER),
        r#"{"insights":[{"summary":"User shows increased trust when admitting mistakes.","tags":["trust","style"],"importance":2}]}"#,
        OtherFrontEnd,
    ),
];

const FOOD_RESOURCE: &str =
    "# Food\n\n> Summary: what I like.\n\n## Food\n\n### Likes\n\n- Sushi\n- Soup\n- scrambled_eggs_with_lox\n";

const FOOD_WITH_ID: &str = "---\nresource_id: resource_user_food_prefs\n---\n# Food\n\n> Summary: what I like.\n\n## Likes\n\n- Sushi\n- Soup\n- scrambled_eggs_with_lox\n";

fn library(memory: &Memory) -> Library {
    Library::open(OpenOptions::new(memory.dir())).unwrap()
}

/// The difference or the code of a request, through the command line; the library must do the same on an equal memory.
fn run(row: &Row, memory: &Memory, other: &Memory, force: bool) -> Result<String, String> {
    let words: &[&str] = if force { &["apply", "-f"] } else { &["apply"] };
    let ran = memory.run(words.iter().copied()).stdin(row.2).ends();
    let options = ChangeOptions { force, ..ChangeOptions::default() };
    let applied = library(other).apply(row.2, &options);
    assert_eq!(memory.tree(), other.tree(), "{}: the library does something else", row.0);
    match ran.status {
        0 => {
            assert!(applied.is_ok(), "{}: {applied:?}", row.0);
            Ok(ran.difference)
        }
        _ => {
            let code = ran.stderr.split(": ").nth(1).unwrap_or_default().to_owned();
            let refused = applied.expect_err(row.0);
            assert_eq!(refused.code().name(), code, "{}", row.0);
            assert_eq!(ran.difference, "", "{}", row.0);
            Err(code)
        }
    }
}

#[test]
fn every_request_is_answered_as_its_document_says() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let [memory, other] = [0, 1].map(|_| Memory::new().file(row.1.0, row.1.1));
        let refused = |code: &str| Err(code.to_owned());
        let mut check = |what: &str, got: Result<String, String>, expected: Result<String, String>| {
            if got != expected {
                wrong.push(format!("{}{what}\n  got {got:?}\n  not {expected:?}", row.0));
            }
        };
        match row.3 {
            Once(diff) => {
                check("", run(row, &memory, &other, false), Ok(diff.into()));
                check(", repeated", run(row, &memory, &other, false), Ok(String::new()));
            }
            Nothing => check("", run(row, &memory, &other, false), Ok(String::new())),
            Refused(code) => check("", run(row, &memory, &other, false), refused(code)),
            WithProof(diff) => {
                check("", run(row, &memory, &other, false), refused("needs_proof"));
                check(" with -f", run(row, &memory, &other, true), Ok(diff.into()));
            }
            OtherFrontEnd => check("", run(row, &memory, &other, false), refused("invalid_operation")),
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), ROWS.len(), wrong.join("\n"));
}

/// memory-spec 5, word for word.
const POLICY: &str = "\
categories:
  system:
    - name: profile
      context: all
    - name: event
      context: rag
      rag_length: 30
    - name: activity
      context: rag
      rag_length: 50
  custom: []
allowlists:
  supervisor: [profile, goals, preferences, event, activity, relationships, tasks]
  planner:    [goals, tasks, projects]
  stylist:    [preferences, tone, style]
  researcher: [knowledge, interests, history]
  executor:   [tasks, recent_activity, constraints]
";
/// memory-spec 6, word for word.
const QUERY: &str = r#"  {
    "agent":"planner",
    "query":"deployment plan context",
    "categories":["tasks","projects"],
    "filters":{ "user_id":"...", "agent_id":"...", "run_id":"...", "actor_id":"...", "role":"assistant", "pinned":false, "importance_min":1, "importance_max":5, "updated_after":"2025-07-01", "updated_before":null },
    "top_k":3,
    "return":"bullets",
    "budget_tokens":512
  }"#;
const TASKS: &str = "# Tasks\n\n- [tasks] The deployment plan context is in the wiki\n- [profile] Name: Ana\n";

/// The texts that a query finds, the same through the command line and the library.
fn found(memory: &Memory, request: &str) -> Vec<(String, String)> {
    let answer = memory.run(["query", "-", "--json"]).stdin(request).exit(0).unchanged().json();
    let rows = answer["items"].as_array().unwrap().iter();
    let rows: Vec<_> =
        rows.map(|i| [&i["category"], &i["text"]].map(|v| v.as_str().unwrap_or_default().to_owned()).into()).collect();
    let library = library(memory).query(query_json::parse(request).unwrap()).unwrap();
    assert_eq!(library.items.iter().map(|i| i.text.clone()).collect::<Vec<_>>(), texts(&rows), "{request}");
    rows
}

fn texts(rows: &[(String, String)]) -> Vec<String> {
    rows.iter().map(|(_, text)| text.clone()).collect()
}

#[test]
fn the_query_of_the_specification_only_narrows() {
    let memory = Memory::new().policy(POLICY).file("facts/tasks.md", TASKS);
    assert_eq!(found(&memory, QUERY), [], "no scope, writer or run is called '...'");
    let without = |names: &[&str]| {
        let mut query: serde_json::Value = serde_json::from_str(QUERY).unwrap();
        names.iter().for_each(|name| drop(query["filters"].as_object_mut().unwrap().remove(*name)));
        query.to_string()
    };
    let expected = ("tasks".to_owned(), "[tasks] The deployment plan context is in the wiki".to_owned());
    let all = without(&["user_id", "agent_id", "run_id", "actor_id", "role", "updated_after"]);
    assert_eq!(found(&memory, &all), std::slice::from_ref(&expected), "the response's category and text");
    assert_eq!(found(&memory, &without(&["agent_id", "run_id", "actor_id", "role", "updated_after"])), []);
    // A scope of that name narrows the search to itself.
    memory.put("scopes/ana/memdir.yaml", POLICY);
    memory.put("scopes/ana/facts/tasks.md", "# Tasks\n\n- [tasks] Deployment plan of Ana\n");
    let scoped = all.replace("\"filters\":{", "\"filters\":{\"user_id\":\"ana\",");
    assert_eq!(texts(&found(&memory, &scoped)), ["[tasks] Deployment plan of Ana"]);
}

#[test]
fn the_threshold_and_the_recall_call_of_the_specification() {
    let memory = Memory::new().file("facts/tasks.md", TASKS);
    let query = r#"{"query": "deployment plan context", "threshold": 0.65, "return": "bullets", "top_k": 3, "budget_tokens": 512}"#;
    assert_eq!(found(&memory, query)[0].1, "[tasks] The deployment plan context is in the wiki");
    assert_eq!(found(&memory, r#"{"query": "deployment schedule next quarter", "threshold": 0.65}"#), []);
    // Of more items three are shown, and as many as the budget holds.
    let all: String = (1..=6).map(|n| format!("- [tasks] Deployment plan context number {n}\n")).collect();
    let memory = Memory::new().file("facts/tasks.md", &format!("# Tasks\n\n{all}"));
    assert_eq!(found(&memory, query).len(), 3);
    let few = found(&memory, &query.replace("\"budget_tokens\": 512", "\"budget_tokens\": 70")).len();
    assert!((1..3).contains(&few), "{few} items in 70 tokens");
}

#[test]
fn filters_choose_before_items_are_counted() {
    // All of the others match better than the one that passes the filters.
    let others: String = (1..=12).map(|n| format!("- [profile] Deployment plan context {n}\n")).collect();
    let passes = "- [tasks] The plan for the harbour\n  <!-- mem imp=9 by=ana -->\n";
    let memory = Memory::new().policy(POLICY).file("facts/notes.md", &format!("# Notes\n\n{others}{passes}"));
    let first = |request: &str| texts(&found(&memory, request));
    assert!(first(r#"{"query": "deployment plan context", "top_k": 1}"#)[0].starts_with("[profile]"));
    for filter in [
        r#""categories": ["tasks"]"#,
        r#""agent": "planner""#,
        r#""filters": {"importance_min": 4}"#,
        r#""filters": {"actor_id": "ana"}"#,
    ] {
        let request = format!(r#"{{"query": "deployment plan context", {filter}, "top_k": 1, "budget_tokens": 60}}"#);
        assert_eq!(first(&request), ["[tasks] The plan for the harbour"], "{filter}");
    }
    let ran = memory.run(["query", "deployment plan context", "--imp", "4..10", "-L", "1"]).exit(0);
    ran.stdout_contains("The plan for the harbour").stdout_contains("1 of 1 item");
}

#[test]
fn a_category_outside_the_allowlist_is_refused() {
    let memory = Memory::new().policy(POLICY).file("facts/tasks.md", TASKS);
    let query = QUERY.replace("\"projects\"", "\"profile\"");
    memory.run(["query", "-"]).stdin(query).exit(5).stderr_contains("category_not_allowed");
}

#[test]
fn the_delta_header_of_the_specification() {
    let memory = Memory::new();
    memory.run(["add", "goals", "[Goals] Ship v1"]).exit(0);
    memory.run(["context"]).by("ana").exit(0);
    memory.run(["add", "profile", "[Personal] Preferred name is Ana", "--imp", "2"]).exit(0);
    let goal = crate::support::handle("[Goals] Ship v1");
    memory.run(["update", &format!("goals@{goal}"), "[Goals] Ship v1 by Sep"]).exit(0);
    let printed = memory.run(["context"]).by("ana").exit(0).stdout;
    let expected = "Memory updates since rev 1:\n- +created: [Personal] Preferred name is Ana (imp=2)\n- ↑updated: [Goals] Ship v1 by Sep\n";
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().take(3).map(str::to_owned).collect();
        lines[1..].sort();
        lines
    };
    assert_eq!(sorted(&printed), sorted(expected), "{printed}");
}

#[test]
fn the_records_block_of_the_memory_feature() {
    let memory = Memory::new().file(
        "episodes/2025-10.md",
        "# 2025-10 Episodes\n\n## Meetings\n- Summary: User prefers meetings after 2pm on weekdays.\n- Date: 2025-10-10\n",
    );
    let printed = memory.done(["context", "--style", "records"]).stdout;
    for part in [
        "The following are memories from previous conversations with this app:\n",
        "1. [Created: 2025-10-10] ",
        "User prefers meetings after 2pm on weekdays.",
        "\nUse these memories to provide context-aware responses.",
    ] {
        assert!(printed.contains(part), "no {part:?} in\n{printed}");
    }
}

#[test]
fn the_files_of_m2_are_listed_as_the_document_does() {
    let memory = Memory::new().file("facts/user.md", USER).file("episodes/2026-02.md", EPISODES);
    let printed = memory.done(["list"]).stdout;
    for (path, text, summary) in [
        ("facts/user.md", USER, "user name, language, role"),
        ("episodes/2026-02.md", EPISODES, "logger fix, short ID, config refactor"),
    ] {
        let row = format!("{path} ({}B): {summary}", text.len());
        assert!(printed.contains(&row), "no {row:?} in\n{printed}");
    }
}
