//! Which shell commands touch a path, as the hook before a tool decides: labelled commands, and the tools of hosts.

use serde_json::{Value, json};

use super::recall::text;
use crate::hooks::Project;

const RULES: &str = "# Rules\n\n- Handlers return errors as problem+json\n  <!-- mem when=src/api/** -->\n";

fn project() -> Project {
    let project = Project::new();
    project.put("work/memory/facts/rules.md", RULES);
    project
}

/// Whether the rule is shown for a call of a tool, in a session of its own.
fn is_shown(project: &Project, session: &str, tool: &str, input: &Value) -> bool {
    let fields = json!({"session_id": session, "tool_name": tool, "tool_input": input});
    text(project, "claude", "pre-tool", fields).contains("problem+json")
}

/// The commands of a file for which the answer is not as `expected`, and the number of all.
fn mistaken(file: &str, expected: bool) -> (Vec<String>, usize) {
    let project = project();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/touched/");
    let list = fs_err::read_to_string(format!("{path}{file}")).unwrap();
    let root = project.work().to_str().unwrap().to_owned();
    let lines: Vec<&str> = list.lines().skip(2).collect();
    let of_line = |line: &str| line.replace("{root}", &root).replace("\\n", "\n").replace("\\\n", "\\n");
    let is_wrong = |(n, line): &(usize, &str)| {
        is_shown(&project, &format!("{file}{n}"), "Bash", &json!({"command": of_line(line)})) != expected
    };
    let wrong = lines.iter().copied().enumerate().filter(is_wrong).map(|(_, line)| line.to_owned()).collect();
    (wrong, lines.len())
}

#[test]
fn commands_that_touch_a_path_get_its_rule() {
    let (missed, all) = mistaken("touching.txt", true);
    assert!(all >= 20 && missed.is_empty(), "{} of {all} missed: {missed:#?}", missed.len());
}

#[test]
fn commands_that_only_name_a_path_get_nothing() {
    let (wrong, all) = mistaken("other.txt", false);
    assert!(all >= 20 && wrong.is_empty(), "{} of {all} wrong: {wrong:#?}", wrong.len());
}

#[test]
fn tools_name_paths_in_many_fields() {
    let project = project();
    let patch = |path: &str| format!("*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch");
    let replacements = |path: &str| {
        let one = |path: &str| json!({"explanation": "x", "filePath": path, "oldString": "a", "newString": "b"});
        let mut all = vec![one("README.md"); 60];
        all.push(one(path));
        json!({"explanation": "src/api/a.rs", "replacements": all})
    };
    let uri = |path: &str| format!("file://{}", project.work().join(path).display());
    for (n, (tool, input, expected)) in [
        ("Grep", json!({"pattern": "x", "path": "src/api"}), true),
        ("Grep", json!({"pattern": "src/api/x.rs", "path": "docs"}), false),
        ("Grep", json!({"pattern": "x", "glob": "src/api/*.rs"}), true),
        ("Glob", json!({"pattern": "src/api/**/*.rs"}), true),
        ("Glob", json!({"pattern": "**/*.rs", "path": "src/api"}), true),
        ("Glob", json!({"pattern": "**/*.rs"}), false),
        ("Grep", json!({"pattern": "x", "path": "src"}), false),
        ("mcp__fs__read", json!({"paths": ["README.md", "src/api/a.rs"]}), true),
        ("mcp__fs__move", json!({"source": "a.rs", "destination": "src/api/a.rs"}), true),
        ("mcp__fs__edit", json!({"files": [{"path": "src/api/a.rs"}]}), true),
        ("shell", json!({"command": ["bash", "-lc", "cd src && vim api/a.rs"]}), true),
        ("shell", json!({"command": ["git", "commit", "-m", "move src/api/a.rs away"]}), false),
        ("shell", json!({"command": ["vim", "src/api/a file.rs"]}), true),
        ("apply_patch", json!({"input": patch("src/api/a.rs"), "explanation": "x"}), true),
        ("apply_patch", json!({"input": patch("docs/a.md"), "explanation": "edits src/api/a.rs"}), false),
        ("multi_replace_string_in_file", replacements("src/api/a.rs"), true),
        ("multi_replace_string_in_file", replacements("docs/a.md"), false),
        ("read_file", json!({"filePath": uri("src/api/a%20file.rs")}), true),
        ("apply_patch", json!({"input": patch(&uri("src/api/a.rs"))}), true),
        ("read_file", json!({"filePath": "file://src/api/a.rs"}), false),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(is_shown(&project, &n.to_string(), tool, &input), expected, "{tool} {input}");
    }
}

#[test]
fn a_file_of_many_megabytes_gets_its_rule() {
    let project = project();
    for (session, megabytes) in [("a", 3), ("b", 5), ("c", 12)] {
        let content = "a \"quoted\" line \u{e9}\n".repeat((megabytes << 20) / 19);
        let input = json!({"file_path": "src/api/x.rs", "content": content});
        assert!(is_shown(&project, session, "Write", &input), "{megabytes} MB");
    }
}

#[test]
fn a_long_command_is_answered_in_time() {
    let project = project();
    let many = |text: &str| format!("vim {}", text.repeat(4000 / text.len()));
    for (n, command) in
        [many("src/{a,b}/*.rs "), many("{a,b}"), many("$("), many("src/*/**/"), many("[a]")].into_iter().enumerate()
    {
        let begun = std::time::Instant::now();
        is_shown(&project, &n.to_string(), "Bash", &json!({"command": command}));
        assert!(begun.elapsed().as_millis() < 2000, "{}", &command[..20]);
    }
}
