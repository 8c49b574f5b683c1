//! What hooks take for the name of a folder, a program or a keyword, and what a session starts with.

use serde_json::{Value, json};

use super::recall::{edit, prompt, text};
use crate::hooks::Project;

fn project(rules: &[&str]) -> Project {
    let project = Project::new();
    let bullets: String = rules.iter().map(|rule| format!("- {rule}\n")).collect();
    project.put("work/memory/facts/rules.md", &format!("# Rules\n\n{bullets}"));
    project
}

fn run(project: &Project, session: &str, command: &str) -> String {
    let input = json!({"session_id": session, "tool_name": "Bash", "tool_input": {"command": command}});
    text(project, "claude", "pre-tool", input)
}

#[test]
fn a_folder_is_not_named_by_a_longer_path() {
    let project = project(&["Generated code in services/booking/gen/ is not edited", "services/booking/ has an owner"]);
    let shown = edit(&project, "services/booking/internal/hold.go", json!({}));
    assert!(shown.contains("has an owner") && !shown.contains("Generated code"), "{shown}");
    let shown = edit(&project, "services/booking/gen/api.go", json!({"session_id": "s2"}));
    assert!(shown.contains("Generated code"), "{shown}");
}

#[test]
fn a_rule_that_begins_with_a_program_is_shown_whatever_the_program_is_given() {
    let project = project(&[
        "ssh to prod only with a ticket",
        "sqlite3 opens the copy",
        "mysql only through the jump host",
        "rsync never with --delete",
        "`pulumi up` only by the deploy bot",
    ]);
    for (command, rule) in [
        ("ssh web1", "with a ticket"),
        ("sqlite3 app.db .tables", "opens the copy"),
        ("mysql -h db1 -u app -e 'select 1'", "jump host"),
        ("rsync -a a/ b/", "never with"),
        ("pulumi -s dev up", "deploy bot"),
    ] {
        assert!(run(&project, command, command).contains(rule), "{command}");
    }
    assert_eq!(run(&project, "p", "pulumi preview"), "");
}

#[test]
fn a_command_is_read_in_the_directory_that_its_tool_names() {
    let project = project(&["Money is an integer of cents\n  <!-- mem when=services/pricing/** -->"]);
    let folder = project.work().join("services/pricing");
    let ask = |session: &str, input: Value| {
        let fields = json!({"conversation_id": session, "workspace_roots": [project.work()], "tool_name": "Shell",
            "tool_input": input});
        text(&project, "cursor", "post-tool", fields)
    };
    let command = "sed -i s/a/b/ a.py";
    assert!(ask("a", json!({"command": command, "working_directory": folder})).contains("integer of cents"));
    assert_eq!(ask("b", json!({"command": command})), "");
}

/// Their path brings them: other rules are shown only here, where the host takes a text before a tool.
#[test]
fn a_session_starts_with_the_rules_that_no_path_brings() {
    let project = Project::new();
    let for_paths = |n: usize| {
        format!(
            "- Guideline {n} for the module is kept short and clear here\n  <!-- mem when=src/m{n}/** added=2026-01-02 -->\n"
        )
    };
    let others = "- Never ship boats without a label\n  <!-- mem added=2026-01-02 -->\n";
    let text_of_file = format!("# Rules\n\n{}{others}", (0..40).map(for_paths).collect::<String>());
    project.put("work/memory/facts/rules.md", &text_of_file);
    let start = |host: &str| {
        let fields = json!({"source": "startup", "conversation_id": host, "workspace_roots": [project.work()]});
        text(&project, host, "session-start", fields);
        text(&project, host, "session-start", fields_of(&project, host))
    };
    assert!(start("claude").contains("Never ship boats"));
    assert!(!start("cursor").contains("Never ship boats"));
}

fn fields_of(project: &Project, host: &str) -> Value {
    json!({"source": "startup", "conversation_id": host, "workspace_roots": [project.work()], "session_id": "s9"})
}

#[test]
fn a_policy_that_is_no_yaml_shows_agents_nothing() {
    let project = project(&["Deploy the shop through the staging cluster"]);
    assert!(prompt(&project, "deploy the shop to the cluster").contains("staging"));
    project.put("work/memory/memdir.yaml", "version: 2\ncategories:\n  custom:\n    - name: [health\n");
    let input = json!({"session_id": "s2", "prompt": "deploy the shop to the cluster"});
    assert_eq!(text(&project, "claude", "user-prompt", input), "");
}
