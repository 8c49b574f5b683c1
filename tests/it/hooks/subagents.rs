//! What hooks show a sub-agent when it starts: the memory, and what is known about its task.

use serde_json::json;

use crate::hooks::Project;
use crate::hooks::recall::{project, prompt, text};

const DEPLOY: &str = "Deploy the shop to the cluster";
const GATEWAY: &str = "Who looks after the harbour gateway?";

/// The call of the tool that starts a sub-agent of Claude Code.
fn call(project: &Project, agent_type: &str, task: &str) -> String {
    let input = json!({"description": "d", "prompt": task, "subagent_type": agent_type});
    text(project, "claude", "pre-tool", json!({"tool_name": "Agent", "tool_input": input}))
}

fn start(project: &Project, agent: &str, agent_type: &str) -> String {
    let fields = json!({"hook_event_name": "SubagentStart", "agent_id": agent, "agent_type": agent_type});
    text(project, "claude", "subagent-start", fields)
}

/// The lines about the task.
fn about_task(text: &str) -> &str {
    text.split_once("\nAbout the task:\n").map_or("", |(_, lines)| lines)
}

/// A memory whose rules take all the room of a start.
fn large_project() -> Project {
    let project = Project::new();
    let rules: String = (0..300).map(|n| format!("- Never put screws of size {n} into drawer {}\n", n + 7)).collect();
    project.put("work/memory/facts/drawers.md", &format!("# Drawers\n\n{rules}"));
    let facts = "- The shop is deployed through the staging cluster\n- Ana looks after the harbour gateway\n";
    project.put("work/memory/facts/shop.md", &format!("# Shop\n\n{facts}"));
    project
}

#[test]
fn a_sub_agent_starts_with_the_memory_and_what_its_task_is_about() {
    let project = large_project();
    assert!(call(&project, "Explore", DEPLOY).contains("staging cluster"));
    let first = start(&project, "a1", "Explore");
    assert!(first.contains("drawer 7") && first.contains("never instructions."), "{first}");
    let task = about_task(&first);
    assert!(task.starts_with("- facts/shop.md@") && task.contains("staging cluster"), "{first}");
    assert_eq!(task.lines().count(), 1, "{first}");
    // Nothing twice: neither at its own calls, nor when it goes on.
    let own = json!({"agent_id": "a1", "tool_name": "Bash", "tool_input": {"command": "deploy shop staging cluster"}});
    assert_eq!(text(&project, "claude", "pre-tool", own), "");
    assert_eq!(start(&project, "a1", "Explore"), "");
    // It knows nothing of what others have seen, nor they of what it has.
    let second = start(&project, "a2", "Explore");
    assert!(second.contains("drawer 7") && about_task(&second).is_empty(), "{second}");
    // A small memory is shown whole, so the task adds nothing.
    let small = self::project();
    call(&small, "Explore", DEPLOY);
    let shown = start(&small, "a1", "Explore");
    assert_eq!(shown.matches("staging cluster").count(), 1, "{shown}");
}

#[test]
fn each_start_takes_the_task_of_its_type() {
    let project = large_project();
    call(&project, "Explore", "Count the planets of the sun");
    call(&project, "Explore", DEPLOY);
    call(&project, "Plan", GATEWAY);
    assert!(about_task(&start(&project, "p", "Plan")).contains("harbour gateway"));
    assert_eq!(about_task(&start(&project, "e1", "Explore")), "");
    assert!(about_task(&start(&project, "e2", "Explore")).contains("staging cluster"));
    // Without a type, the oldest; and none of an earlier turn.
    call(&project, "", DEPLOY);
    assert!(about_task(&start(&project, "g", "general-purpose")).contains("staging cluster"));
    call(&project, "Explore", DEPLOY);
    prompt(&project, "thanks!");
    assert_eq!(about_task(&start(&project, "e3", "Explore")), "");
    // Another session has tasks of its own.
    call(&project, "Explore", DEPLOY);
    let other = json!({"session_id": "s2", "agent_id": "e4", "agent_type": "Explore"});
    assert_eq!(about_task(&text(&project, "claude", "subagent-start", other)), "");
}

#[test]
fn what_the_main_agent_was_shown_is_new_to_a_sub_agent() {
    let project = large_project();
    assert!(prompt(&project, "Please deploy the shop now.").contains("staging cluster"));
    assert_eq!(call(&project, "Explore", DEPLOY), "");
    assert!(about_task(&start(&project, "a1", "Explore")).contains("staging cluster"));
}

#[test]
fn news_stay_news_for_the_main_agent() {
    let project = project();
    text(&project, "claude", "session-start", json!({"source": "startup"}));
    project.run(&["add", "rules#git", "Never squash commits of the tide branch"]);
    let started = start(&project, "a1", "Explore");
    assert!(started.contains("Never squash") && !started.contains("+created"), "{started}");
    let news = text(&project, "claude", "session-start", json!({"source": "resume"}));
    assert!(news.contains("+created") && news.contains("Never squash"), "{news}");
}

#[test]
fn tools_of_other_hosts_name_tasks_in_their_own_fields() {
    let project = large_project();
    let inputs = [
        ("spawn_agent", json!({"message": DEPLOY, "agent_type": "default"})),
        ("spawn_agent", json!({"items": [{"type": "text", "text": DEPLOY}]})),
        ("subagent", json!({"agent": "default", "task": DEPLOY})),
        ("runSubagent", json!({"prompt": DEPLOY, "description": "d"})),
    ];
    for (n, (tool, input)) in inputs.into_iter().enumerate() {
        let session = format!("c{n}");
        let fields = json!({"session_id": session, "turn_id": "t", "tool_name": tool, "tool_input": input});
        assert!(text(&project, "codex", "pre-tool", fields).contains("staging cluster"), "{tool}");
        let fields = json!({"session_id": session, "turn_id": "t2", "agent_id": "child", "agent_type": "default"});
        let started = text(&project, "codex", "subagent-start", fields);
        assert!(about_task(&started).contains("staging cluster"), "{tool}: {started}");
    }
    // A message that starts no sub-agent is no task.
    let message = json!({"session_id": "m", "tool_name": "send_message", "tool_input": {"message": DEPLOY}});
    assert_eq!(text(&project, "codex", "pre-tool", message), "");
}

#[test]
fn hosts_without_the_event_and_inputs_without_an_agent_get_nothing() {
    let project = project();
    for (host, fields) in [
        ("gemini", json!({"agent_id": "a", "agent_type": "x"})),
        ("cursor", json!({"conversation_id": "c", "subagent_id": "a", "task": DEPLOY})),
        ("claude", json!({"agent_type": "Explore"})),
    ] {
        assert_eq!(text(&project, host, "subagent-start", fields), "", "{host}");
    }
    let kept = fs_err::read_to_string(project.memory().join(".memdir/shown")).unwrap_or_default();
    assert_eq!(kept, "");
    call(&project, "Explore", DEPLOY);
    let kept = fs_err::read_to_string(project.memory().join(".memdir/shown")).unwrap();
    let is_hash = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit() || "+-, \n*<".contains(c));
    assert!(!kept.is_empty() && is_hash(&kept), "{kept}");
}
