//! Hooks show nothing twice in a session, and no rule is missed for the spelling of a path.

use std::os::fd::AsFd;
use std::process::Child;

use serde_json::{Value, json};

use crate::hooks::Project;
use crate::hooks::recall::{edit, project, prompt, text};

const TAG: &str = "May I force-push to main?";

/// A hook that runs, with its input.
fn start(project: &Project, event: &str, fields: Value) -> Child {
    let mut command = project.command(&["hook", event, "--host", "claude"]);
    let mut child = command.spawn().unwrap();
    let mut input = json!({"session_id": "s1", "cwd": project.work()});
    input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.to_string().as_bytes()).unwrap();
    child
}

fn output(child: Child) -> String {
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

fn in_session(project: &Project, session: &str, words: &str) -> String {
    text(project, "claude", "user-prompt", json!({"session_id": session, "prompt": words}))
}

#[test]
fn hooks_at_the_same_time_keep_what_each_other_was_shown() {
    let project = project();
    for round in 0..6 {
        let sessions: Vec<String> = (0..4).map(|n| format!("{round}-{n}")).collect();
        let ask = |session: &String| start(&project, "user-prompt", json!({"session_id": session, "prompt": TAG}));
        let running: Vec<Child> = sessions.iter().map(ask).collect();
        let first: Vec<String> = running.into_iter().map(output).collect();
        assert!(first.iter().all(|answer| answer.contains("Never force-push")), "{first:?}");
        for session in &sessions {
            assert_eq!(in_session(&project, session, TAG), "", "{session}");
        }
        // Tool calls of one session.
        let call = |n: usize| {
            let path = project.work().join(format!("src/api/{n}.rs"));
            let input =
                json!({"session_id": format!("p{round}"), "tool_name": "Read", "tool_input": {"file_path": path}});
            start(&project, "pre-tool", input)
        };
        let running: Vec<Child> = (0..4).map(call).collect();
        let answers: String = running.into_iter().map(output).collect();
        assert_eq!(answers.matches("problem+json").count(), 1, "{answers}");
    }
}

#[test]
fn neither_sub_agents_nor_a_clock_make_a_session_forget() {
    let project = project();
    assert!(prompt(&project, TAG).contains("Never force-push"));
    for n in 0..70 {
        let input = json!({"agent_id": format!("a{n}"), "prompt": TAG});
        assert!(text(&project, "claude", "user-prompt", input).contains("Never force-push"), "{n}");
    }
    assert_eq!(prompt(&project, TAG), "");
    for now in ["2026-02-20T10:00:00Z", "2027-02-20T10:00:00Z"] {
        let input = json!({"session_id": now, "cwd": project.work(), "prompt": TAG}).to_string();
        let words = ["user-prompt", "--host", "claude"];
        let answer = project.hook_with(&words, input.as_bytes(), &[("MEMDIR_NOW", now)]);
        assert!(answer.contains("Never force-push"), "{now}");
        assert_eq!(prompt(&project, TAG), "", "{now}");
    }
}

#[test]
fn a_lock_that_another_process_holds_delays_no_hook() {
    let project = project();
    assert!(prompt(&project, TAG).contains("Never force-push"));
    let lock = fs_err::File::open(project.memory().join(".memdir/shown.lock")).unwrap();
    rustix::fs::flock(lock.as_fd(), rustix::fs::FlockOperation::LockExclusive).unwrap();
    assert!(in_session(&project, "s2", TAG).contains("Never force-push"));
    assert_eq!(in_session(&project, "s2", TAG), "");
}

#[test]
fn what_could_not_be_printed_was_not_shown() {
    let project = project();
    let input = json!({"session_id": "s1", "cwd": project.work(), "prompt": TAG}).to_string();
    project.put("input", &input);
    let mut command = project.command(&["hook", "user-prompt", "--host", "claude"]);
    command.stdin(fs_err::File::open(project.home.path().join("input")).unwrap().into_parts().0);
    command.stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    assert!(command.status().unwrap().success());
    assert!(prompt(&project, TAG).contains("Never force-push"));
}

#[test]
fn one_sentence_in_several_files_takes_one_place() {
    let project = project();
    for file in ["tools", "style", "python"] {
        project.run(&["add", file, "Use ruff for formatting python code"]);
    }
    project.run(&["add", "hints", "Python code has type hints"]);
    let words = "formatting python code with ruff and type hints";
    let shown = prompt(&project, words);
    assert_eq!((shown.matches("Use ruff").count(), shown.matches("type hints").count()), (1, 1), "{shown}");
    let context = project.run(&["context", "-n"]).stdout;
    assert_eq!(context.matches("Use ruff").count(), 1, "{context}");
    // Nor is it new in a file with another name.
    project.run(&["rm", "-f", "style"]);
    project.run(&["rm", "-f", "python"]);
    project.run(&["mv", "tools", "conventions"]);
    assert_eq!(prompt(&project, words), "");
}

#[test]
fn a_label_has_its_subject_from_its_file() {
    let project = project();
    for file in ["database", "gateway"] {
        project.run(&["add", file, "Staging cluster port: 8080"]);
    }
    let shown = prompt(&project, "which port has the staging cluster?");
    assert_eq!(shown.matches("8080").count(), 2, "{shown}");
    let context = project.run(&["context", "-n"]).stdout;
    assert_eq!(context.matches("8080").count(), 2, "{context}");
}

#[test]
fn news_of_a_start_are_not_shown_again() {
    let project = project();
    text(&project, "claude", "session-start", json!({"source": "startup"}));
    project.run(&["add", "rules#git", "Never squash commits of the tide branch"]);
    let news = text(&project, "claude", "session-start", json!({"source": "resume"}));
    assert!(news.contains("Never squash"), "{news}");
    assert_eq!(prompt(&project, "may I squash commits of the tide branch?"), "");
}

#[test]
fn after_an_undo_the_last_word_is_what_holds() {
    let project = project();
    let words = "which port to deploy the harbour gateway on?";
    project.run(&["add", "ports", "Deploy the harbour gateway on port 8080"]);
    assert!(prompt(&project, words).contains("8080"));
    project.run(&["update", "ports@1", "-f", "Deploy the harbour gateway on port 9090"]);
    assert!(prompt(&project, words).contains("9090"));
    project.run(&["undo"]);
    assert!(prompt(&project, words).contains("8080"));
    assert_eq!(prompt(&project, words), "");
    // A text that was removed stood in the place of no other.
    project.run(&["add", "ports", "The harbour gateway is deployed by Ana"]);
    assert!(prompt(&project, "who deploys the harbour gateway?").contains("Ana"));
    project.run(&["rm", "-f", "ports@2"]);
    assert_eq!(prompt(&project, words), "");
}

#[test]
fn a_rule_is_found_however_a_path_is_written() {
    let project = project();
    let work = project.work();
    let work = work.to_str().unwrap();
    let through_parent = format!("../{}/src/api/x.rs", project.work().file_name().unwrap().to_str().unwrap());
    let relative = ["src/../src/api/x.rs", "src//api/x.rs", "./src/./api/x.rs", &through_parent];
    for (n, path) in relative.into_iter().enumerate() {
        let shown = edit(&project, path, json!({"session_id": n.to_string()}));
        assert!(shown.contains("problem+json"), "{path}: {shown}");
        let input = json!({"session_id": format!("r{n}"), "tool_name": "Edit", "tool_input": {"filePath": path}});
        let shown = text(&project, "claude", "pre-tool", input);
        assert!(shown.contains("problem+json"), "{path}: {shown}");
    }
    let lines = "+some line of text\n".repeat(400);
    let patch = format!(
        "*** Begin Patch\n*** Update File: docs/a.md\n@@\n{lines}*** Update File: src/api/x.rs\n@@\n-a\n+b\n*** End Patch"
    );
    let document = format!("cat > docs/a.md <<'EOF'\n{lines}EOF\nsed -i s/a/b/ src/api/x.rs");
    for (host, tool, command) in [("codex", "apply_patch", patch), ("claude", "Bash", document)] {
        let input = json!({"session_id": tool, "tool_name": tool, "tool_input": {"command": command}});
        let shown = text(&project, host, "pre-tool", input);
        assert!(shown.contains("problem+json"), "{tool}: {shown}");
    }
    for (directory, path) in
        [("src/api", "x.rs"), ("src/api", "../api/x.rs"), (".", "src/api/x.rs"), ("src", "api/x.rs")]
    {
        fs_err::create_dir_all(project.work().join(directory)).unwrap();
        for path in [path.to_owned(), format!("{work}/{directory}/{path}")] {
            let mut command = project.command(&["query", "--touching", &path]);
            let output = command.current_dir(project.work().join(directory)).output().unwrap();
            let shown = String::from_utf8(output.stdout).unwrap();
            assert!(shown.contains("problem+json"), "{directory} {path}: {shown}");
        }
    }
}

#[test]
fn a_long_rule_is_shown_as_far_as_there_is_room() {
    let project = project();
    let rule = format!("Migrations are reviewed {}", "by two people of the team ".repeat(80));
    project.run(&["add", "rules", rule.trim(), "--when", "db/**"]);
    let shown = edit(&project, "db/a.sql", json!({}));
    assert!(shown.contains("Migrations are reviewed by two") && shown.contains('…'), "{shown}");
    assert!(memdir::text::llm_tokens::estimate_llm_tokens(&shown) <= 300, "{shown}");
    assert_eq!(edit(&project, "db/a.sql", json!({})), "");
}

/// Two rules for a path are both there before the act, however long one of them is.
#[test]
fn a_long_rule_leaves_room_for_another_one() {
    let long = |words: &str| format!("{words} {}", "with care and by two people of the team ".repeat(60));
    let short = "Never apply terraform without a plan file";
    let tokens = memdir::text::llm_tokens::estimate_llm_tokens;
    for (first, second) in [(long("Deployment background"), short.to_owned()), (long("Alpha"), long("Beta"))] {
        let project = project();
        for rule in [&first, &second] {
            project.run(&["add", "rules", rule.trim(), "--when", "infra/**"]).exit(0);
        }
        let shown = edit(&project, "infra/a.tf", json!({}));
        let lines: Vec<&str> = shown.lines().skip(1).collect();
        let starts = |line: &str, rule: &str| line.contains(&rule[..rule.len().min(60)]);
        assert!(lines.len() == 2 && starts(lines[0], &first) && starts(lines[1], &second), "{shown}");
        assert!(tokens(&shown) <= 300 && tokens(&shown) >= 270, "{} {shown}", tokens(&shown));
        assert!(lines[0].contains('…') && (lines[1].contains(short) || lines[1].contains('…')), "{shown}");
        assert_eq!(edit(&project, "infra/a.tf", json!({})), "");
    }
}
