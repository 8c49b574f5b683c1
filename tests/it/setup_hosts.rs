//! `setup HOST` adds its entries to config files as people have them, changes nothing else in them, and takes the entries
//! out again byte for byte.
//!
//! Never starts a host: that the entries mean what they should is compared as values.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::hooks::Project;

/// A file of the project, and a text that a user has in it.
type Existing = (&'static str, &'static str, &'static str);

const EXISTING: &[Existing] = &[
    (
        "claude",
        ".claude/settings.json",
        "{\n  \"permissions\": {\n    \"allow\": [\"Bash(make:*)\"],\n    \"deny\": []\n  },\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"./check.sh\" }]\n      }\n    ],\n    \"SessionStart\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"echo hi\", \"timeout\": 5 }] }\n    ]\n  },\n  \"futureKey\": {\"a\": [1, 2.50, 1e3], \"b\": null}\n}\n",
    ),
    ("claude", ".claude/settings.json", "{\r\n\t\"model\": \"opus\",\r\n\t\"hooks\": {}\r\n}"),
    ("claude", ".claude/settings.json", "{\"env\":{\"A\":\"{,}\"},\"hooks\":{\"SessionStart\":[]}}"),
    ("claude", ".claude/settings.json", "{}\n"),
    ("claude", ".claude/settings.json", "{\n}\n"),
    (
        "claude",
        ".claude/settings.json",
        "\u{feff}{\n    \"hooks\": {\n        \"SessionEnd\": [\n        ]\n    }\n}\n",
    ),
    (
        "claude",
        ".mcp.json",
        "{\n  \"mcpServers\": {\n    \"github\": {\n      \"type\": \"http\",\n      \"url\": \"https://example.org/mcp\"\n    }\n  }\n}\n",
    ),
    (
        "codex",
        ".codex/hooks.json",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"notify-send done\"}]}\n    ]\n  }\n}\n",
    ),
    (
        "codex",
        ".codex/config.toml",
        "# mine\nmodel = \"gpt-5-codex\"  # fast\n\n[mcp_servers.other]\ncommand = \"other\"\nargs = [ \"x\",\n  \"y\", ]\n\n[projects.\"/w\"]\ntrust_level = \"trusted\"\n",
    ),
    ("codex", ".codex/config.toml", ""),
    ("codex", ".codex/config.toml", "model = 'o'\r\n[tui]\r\nnotifications = true"),
    (
        "gemini",
        ".gemini/settings.json",
        "// mine\n{\n  // look\n  \"ui\": { \"theme\": \"GitHub\" /* dark */ }, // , not the last\n  \"mcpServers\": {\n    // \"memdir\": {}\n    \"a\": { \"command\": \"a\" } // a\n  }\n  /* the end */\n}\n// behind\n",
    ),
    (
        "cursor",
        ".cursor/hooks.json",
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"./audit.sh\" }, // mine\n    ],\n  },\n}\n",
    ),
    ("cursor", ".cursor/hooks.json", "{\n  \"version\": 1\n}\n"),
    ("cursor", ".cursor/hooks.json", "{}\n"),
    ("cursor", ".cursor/hooks.json", "{ \"other\": 2 }\n"),
    ("cursor", ".cursor/mcp.json", "{ \"mcpServers\": { } }\n"),
    ("agents-md", "AGENTS.md", "# Agents\r\n\r\n* Run `make` first\r\n"),
    ("agents-md", "AGENTS.md", "# Agents\n\n* Run `make` first"),
    ("agents-md", "AGENTS.md", ""),
    ("mcp", ".mcp.json", "{\"mcpServers\":{\"a\":{\"command\":\"a\"}},\"x\":1}"),
];

const HOSTS: [&str; 6] = ["claude", "codex", "gemini", "cursor", "agents-md", "mcp"];

/// The files of a project outside its memory.
fn files(project: &Project) -> Vec<(PathBuf, Vec<u8>)> {
    let walk = walkdir::WalkDir::new(project.home.path()).sort_by_file_name().into_iter().map(Result::unwrap);
    let plain = walk.filter(|e| e.file_type().is_file() && !e.path().starts_with(project.memory()));
    let user_config = project.home.path().join(".config");
    plain
        .filter(|e| !e.path().starts_with(&user_config))
        .map(|e| (e.path().to_owned(), fs_err::read(e.path()).unwrap()))
        .collect()
}

fn text(project: &Project, path: &str) -> String {
    fs_err::read_to_string(project.work().join(path)).unwrap()
}

/// A text as its host reads it.
fn value(path: &str, text: &str) -> Value {
    use memdir::text::json_edit::{JsonDialect, parse};
    match path.rsplit_once('.').unwrap().1 {
        "json" => parse(text, JsonDialect { comments: true, trailing_commas: true }).unwrap(),
        _ => Value::from(text),
    }
}

/// A value without the entries of memdir.
fn without_ours(mut value: Value) -> Value {
    if let Some(servers) = value["mcpServers"].as_object_mut() {
        servers.shift_remove("memdir");
    }
    if let Some(hooks) = value["hooks"].as_object_mut() {
        for groups in hooks.values_mut() {
            groups.as_array_mut().unwrap().retain(|group| !group.to_string().contains("memdir hook "));
        }
    }
    value
}

#[test]
fn entries_are_added_to_what_a_user_has_and_taken_out_byte_for_byte() {
    for (host, path, existing) in EXISTING {
        let project = Project::new();
        project.put(&format!("work/{path}"), existing);
        let before = files(&project);
        project.run(&["setup", host, "--check"]).exit(6);
        let dry_run = project.run(&["setup", host, "-n"]).exit(0);
        assert_eq!(files(&project), before, "{host} {existing}");
        let done = project.run(&["setup", host]).exit(0);
        assert_eq!(dry_run.stdout, format!("dry run, nothing written\n{}", done.stdout), "{host} {existing}");
        let after = text(&project, path);
        assert!(after.contains("memdir"), "{after}");
        if path.ends_with(".json") {
            let (old, new) = (value(path, existing), without_ours(value(path, &after)));
            for (key, old) in old.as_object().unwrap().iter().filter(|(key, _)| *key != "hooks") {
                assert_eq!(&new[key], old, "{after}");
            }
            for (event, old) in old["hooks"].as_object().into_iter().flatten() {
                assert_eq!(&new["hooks"][event], old, "{after}");
            }
        }
        // Twice is once.
        let written = files(&project);
        let again = project.run(&["setup", host]).exit(0);
        assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("", "memdir: everything is set up already\n"));
        assert_eq!(files(&project), written);
        project.run(&["setup", host, "--check"]).exit(0);
        project.run(&["setup", host, "--remove"]).exit(0);
        let shown = text(&project, path);
        assert_eq!(files(&project), before, "{host} {existing:?}\n{after:?}\n{shown:?}");
        let again = project.run(&["setup", host, "--remove"]).exit(0);
        assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("", "memdir: nothing to do\n"));
    }
}

#[test]
fn a_file_without_the_version_that_the_host_needs_gets_it() {
    let project = Project::new();
    project.put("work/.cursor/hooks.json", "{}");
    project.run(&["setup", "cursor"]).exit(0);
    let path = ".cursor/hooks.json";
    assert_eq!(value(path, &text(&project, path))["version"], 1);
    let without = text(&project, path).replace("\"version\": 1", "\"other\": 1");
    project.put("work/.cursor/hooks.json", &without);
    project.run(&["setup", "cursor", "--check"]).exit(6).stdout_contains("no version");
}

#[test]
fn missing_files_are_created_in_the_hosts_shape_and_removed() {
    let hook = |event: &str, host: &str| {
        let budget = if event.ends_with("-start") { " --budget 600" } else { "" };
        format!("memdir hook {event} --host {host}{budget}")
    };
    let group = |command: String| json!([{"hooks": [{"type": "command", "command": command}]}]);
    for host in HOSTS {
        // The caller is the host that starts the server; `.mcp.json` alone may be read by several.
        let args = if host == "mcp" { json!(["mcp"]) } else { json!(["--as", host, "mcp"]) };
        let server = json!({"command": "memdir", "args": args});
        let project = Project::new();
        let before = files(&project);
        project.run(&["setup", host]).exit(0);
        let read = |path: &str| value(path, &text(&project, path));
        match host {
            "claude" => {
                let hooks = json!({"SessionStart": group(hook("session-start", host)),
                    "SubagentStart": group(hook("subagent-start", host)),
                    "UserPromptSubmit": group(hook("user-prompt", host)),
                    "PreToolUse": group(hook("pre-tool", host)),
                    "PreCompact": group(hook("pre-compact", host)), "SessionEnd": group(hook("session-end", host))});
                assert_eq!(read(".claude/settings.json"), json!({"hooks": hooks}));
                assert_eq!(read(".mcp.json"), json!({"mcpServers": {"memdir": server}}));
            }
            "codex" => {
                let hooks = json!({"SessionStart": group(hook("session-start", host)),
                    "SubagentStart": group(hook("subagent-start", host)),
                    "UserPromptSubmit": group(hook("user-prompt", host)),
                    "PreToolUse": group(hook("pre-tool", host)),
                    "PreCompact": group(hook("pre-compact", host)), "Stop": group(hook("stop", host))});
                assert_eq!(read(".codex/hooks.json"), json!({"hooks": hooks}));
                let toml = "# memdir begin\n[mcp_servers.memdir]\ncommand = \"memdir\"\nargs = [\"--as\", \"codex\", \"mcp\"]\n# memdir end\n";
                assert_eq!(text(&project, ".codex/config.toml"), toml);
            }
            "gemini" => {
                let hooks = json!({"SessionStart": group(hook("session-start", host)),
                    "BeforeAgent": group(hook("user-prompt", host)),
                    "PreCompress": group(hook("pre-compact", host)), "SessionEnd": group(hook("session-end", host))});
                assert_eq!(read(".gemini/settings.json"), json!({"hooks": hooks, "mcpServers": {"memdir": server}}));
            }
            "cursor" => {
                let one = |event: &str| json!([{"command": hook(event, host)}]);
                let hooks = json!({"sessionStart": one("session-start"), "beforeSubmitPrompt": one("user-prompt"),
                    "postToolUse": one("post-tool"), "preCompact": one("pre-compact"),
                    "sessionEnd": one("session-end")});
                assert_eq!(read(".cursor/hooks.json"), json!({"hooks": hooks, "version": 1}));
                assert_eq!(read(".cursor/mcp.json"), json!({"mcpServers": {"memdir": server}}));
            }
            "mcp" => assert_eq!(read(".mcp.json"), json!({"mcpServers": {"memdir": server}})),
            _ => assert!(text(&project, "AGENTS.md").starts_with("<!-- memdir begin -->\nLong-term memory: `memdir`.")),
        }
        // What is printed to copy is what is written.
        let printed = project.run(&["setup", host, "--print"]).exit(0).stdout;
        for (path, bytes) in files(&project).iter().filter(|file| !before.contains(file)) {
            let body = String::from_utf8_lossy(bytes);
            let lines = body.lines().filter(|line| !line.starts_with("<!--"));
            assert!(printed.contains(&lines.collect::<Vec<_>>().join("\n")), "{}: {printed}", path.display());
        }
        project.run(&["setup", host, "--remove"]).exit(0);
        assert_eq!(files(&project), before, "{host}");
    }
}

/// What a user changed in our entries is theirs: the path of the program, options, a timeout, an environment.
#[test]
fn what_a_user_changed_in_an_entry_stays() {
    let settings = |command: &str| {
        let hook = |event: &str, command: &str| {
            let mut hook = json!({"type": "command", "command": command});
            if event == "SessionStart" {
                hook["timeout"] = json!(9);
            }
            json!({"hooks": [hook]})
        };
        let other = |event: &str, words: &str| {
            (event.to_owned(), json!([hook(event, &format!("memdir hook {words} --host claude"))]))
        };
        let mut hooks: serde_json::Map<String, serde_json::Value> = [
            other("SubagentStart", "subagent-start"),
            other("UserPromptSubmit", "user-prompt"),
            other("PreToolUse", "pre-tool"),
            other("PreCompact", "pre-compact"),
            other("SessionEnd", "session-end"),
        ]
        .into_iter()
        .collect();
        hooks.insert("SessionStart".into(), json!([hook("SessionStart", command)]));
        json!({"hooks": hooks})
    };
    let server = |args: serde_json::Value| json!({"mcpServers": {"memdir": {"command": "/opt/memdir", "args": args, "env": {"A": "1"}}}});
    let start = "/opt/memdir --as ana hook session-start --host claude --budget 900";
    let project = Project::new();
    project.put(".config/memdir/config.yaml", &format!("trusted: [{:?}]\n", project.memory()));
    project.put("work/.claude/settings.json", &settings(start).to_string());
    project.put("work/.mcp.json", &server(json!(["--as", "ana", "mcp", "--read-only"])).to_string());
    let before = files(&project);
    for target in ["claude", "mcp"] {
        project.run(&["setup", target, "--check"]).exit(0);
        project.run(&["setup", target]).exit(0);
    }
    assert_eq!(files(&project), before);
    // Another data directory is set, and nothing else.
    let elsewhere = start.replace("--as ana", "--dir /old --as ana");
    project.put("work/.claude/settings.json", &settings(&elsewhere).to_string());
    project.put("work/.mcp.json", &server(json!(["--dir", "/old", "mcp", "--read-only"])).to_string());
    project.run(&["setup", "claude", "--check"]).exit(6);
    project.run(&["setup", "claude"]).exit(0);
    assert_eq!(value(".claude/settings.json", &text(&project, ".claude/settings.json")), settings(start));
    let args = json!(["--as", "claude", "mcp", "--read-only"]);
    assert_eq!(value(".mcp.json", &text(&project, ".mcp.json")), server(args));
    // The server of one host is also that of any other.
    let before = files(&project);
    project.run(&["setup", "mcp"]).exit(0);
    assert_eq!(files(&project), before);
    // A server with an environment and options is not what `setup` writes.
    let mcp = text(&project, ".mcp.json");
    let removed = project.run(&["setup", "claude", "--remove"]).exit(0);
    assert!(!text(&project, ".claude/settings.json").contains("memdir"));
    assert!(removed.stderr.contains("mcpServers.memdir stays: it is not as `setup` writes it"), "{removed:#?}");
    assert_eq!(text(&project, ".mcp.json"), mcp);
}

/// JSON and TOML alike: what has another argument or key than `setup` writes is the user's, and stays.
#[test]
fn a_server_of_the_users_own_stays_when_the_setup_goes() {
    let server = |more: &str| format!("{{\"mcpServers\":{{\"memdir\":{{\"command\":\"memdir\",{more}}}}}}}");
    let table =
        |more: &str| format!("# memdir begin\n[mcp_servers.memdir]\ncommand = \"memdir\"\n{more}\n# memdir end\n");
    for (host, path, own) in [
        ("gemini", ".gemini/settings.json", server("\"args\":[\"--as\",\"gemini\",\"mcp\"],\"env\":{\"X\":\"1\"}")),
        ("gemini", ".gemini/settings.json", server("\"args\":[\"--as\",\"gemini\",\"mcp\",\"--read-only\"]")),
        ("gemini", ".gemini/settings.json", server("\"args\":[\"--as\",\"gemini\",\"mcp\"],\"timeout\":5")),
        ("codex", ".codex/config.toml", table("args = [\"--as\", \"codex\", \"mcp\"]\nenv = { X = \"1\" }")),
        ("codex", ".codex/config.toml", table("args = [\"--as\", \"codex\", \"mcp\", \"--read-only\"]")),
        ("codex", ".codex/config.toml", table("args = [\"mcp\"]\n[mcp_servers.memdir.env]\nX = \"1\"")),
        ("codex", ".codex/config.toml", table("# reads only what ana sees\nargs = [\"--as\", \"codex\", \"mcp\"]")),
        ("codex", ".codex/config.toml", table("args = [\"--as\", \"codex\", \"mcp\"] # why")),
        ("codex", ".codex/config.toml", "[mcp_servers.memdir]\ncommand = \"memdir\"\nargs = [\"mcp\"]\n".to_owned()),
    ] {
        let project = Project::new();
        project.put(&format!("work/{path}"), &own);
        project.run(&["setup", host]).exit(0);
        assert!(text(&project, path).contains("memdir"));
        let removed = project.run(&["setup", host, "--remove"]).exit(0);
        assert_eq!(text(&project, path), own, "{host}");
        let is_in_block = own.starts_with('{') || own.starts_with('#');
        assert_eq!(removed.stderr.contains("stays: it is not as `setup` writes it"), is_in_block, "{own} {removed:#?}");
    }
    // What setup wrote for another directory, or host, it takes out again.
    let project = Project::new();
    project.put("work/.mcp.json", &server("\"args\":[\"--dir\",\"/old\",\"--as\",\"claude\",\"mcp\"]"));
    project.run(&["setup", "mcp", "--remove"]).exit(0);
    assert!(!text(&project, ".mcp.json").contains("memdir"));
}

#[test]
fn a_server_of_the_users_own_gets_the_data_directory() {
    let server = |args: &str| {
        format!("[mcp_servers.memdir]\ncommand = \"memdir\"\nargs = {args} # mine\nenv = {{ X = \"1\" }}\n")
    };
    let (old, new) = (server("[\"--dir\", \"/old\", \"mcp\"]"), server("[\"mcp\"]"));
    for (head, foot) in [("# memdir begin\n", "# memdir end\n"), ("\u{feff}a = 1\r\n", "")] {
        let project = Project::new();
        let put = |server: &str| project.put("work/.codex/config.toml", &format!("{head}{server}{foot}"));
        put(&new);
        project.run(&["setup", "codex"]).exit(0);
        project.run(&["setup", "codex", "--check"]).exit(0);
        put(&old);
        let checked = project.run(&["setup", "codex", "--check"]).exit(6);
        assert!(checked.stdout.contains("mcp_servers.memdir is for another data directory"), "{checked:#?}");
        project.run(&["setup", "codex"]).exit(0);
        assert_eq!(text(&project, ".codex/config.toml"), format!("{head}{new}{foot}"));
        // A list with a comment cannot be replaced without it.
        let commented = server("[\"--dir\", \"/old\", # was here\n  \"mcp\"]");
        put(&commented);
        project.run(&["setup", "codex", "--check"]).exit(6);
        let refused = project.run(&["setup", "codex"]);
        assert_eq!((refused.status, refused.error_code().as_str()), (5, "invalid_config"), "{refused:#?}");
        assert!(refused.stderr.contains("write [\"mcp\"] there"), "{refused:#?}");
        assert_eq!(text(&project, ".codex/config.toml"), format!("{head}{commented}{foot}"));
    }
}

#[test]
fn a_setup_without_hooks_needs_no_trust() {
    let project = Project::new();
    let config = || fs_err::read_to_string(project.home.path().join(".config/memdir/config.yaml")).unwrap();
    project.put(".config/memdir/config.yaml", "people: [ana]\n");
    let output = project.run(&["--as", "bot", "setup", "mcp"]).exit(0);
    assert!(output.stdout.contains(".mcp.json") && !output.stdout.contains("hooks"), "{output:#?}");
    project.run(&["--as", "bot", "setup", "mcp", "--check"]).exit(0);
    project.run(&["--as", "ana", "setup", "mcp"]).exit(0);
    assert_eq!(config(), "people: [ana]\n");
}

#[test]
fn an_agent_sets_up_a_host_and_a_person_trusts_the_memory() {
    let project = Project::new();
    let config = || fs_err::read_to_string(project.home.path().join(".config/memdir/config.yaml")).unwrap();
    project.put(".config/memdir/config.yaml", "people: [ana]\n");
    let as_agent: [&[&str]; 2] = [&["--as", "bot", "setup", "claude"], &["--as", "bot", "setup", "claude", "-n"]];
    for words in as_agent {
        let output = project.run(words).exit(6);
        assert!(output.stdout.contains("only a person adds it"), "{output:#?}");
        assert!(!output.stdout.contains("trusted: in the user config\n"), "{output:#?}");
    }
    let by_host = crate::support::ProgramOutput::of(project.command(&["setup", "cursor"]).env("CURSOR_AGENT", "1"));
    assert_eq!(by_host.status, 6, "{by_host:#?}");
    assert_eq!(config(), "people: [ana]\n");
    assert!(text(&project, ".claude/settings.json").contains("memdir hook"));
    let input = project.input("claude", "session-start");
    assert_eq!(project.hook(&["session-start"], &input), "{}\n");
    project.run(&["--as", "bot", "setup", "agents-md"]).exit(0);
    project.run(&["--as", "ana", "setup", "claude"]).exit(0);
    assert!(config().contains(project.memory().to_str().unwrap()));
    project.run(&["--as", "bot", "setup", "claude"]).exit(0);
}

#[test]
fn a_block_in_an_example_that_stays_is_named() {
    for (own, is_named) in
        [("```\n<!-- memdir begin -->\nexample\n<!-- memdir end -->\n```\n", true), ("# Agents\n", false)]
    {
        let project = Project::new();
        project.put("work/AGENTS.md", own);
        let removed = project.run(&["setup", "agents-md", "--remove"]).exit(0);
        assert_eq!(removed.stderr.contains("stays: it is in a code block or a comment"), is_named, "{removed:#?}");
    }
}

#[test]
fn markers_in_a_string_or_an_example_are_no_block() {
    for (host, path, own) in [
        ("codex", ".codex/config.toml", "x = \"\"\"\n# memdir begin\nmine\n# memdir end\n\"\"\"\n"),
        ("codex", ".codex/config.toml", "x = [\n  '''\n# memdir begin\n''',\n]\n# memdir end\n"),
        ("agents-md", "AGENTS.md", "```\n<!-- memdir begin -->\nexample\n<!-- memdir end -->\n```\n"),
        ("agents-md", "AGENTS.md", "~~~ md\n```\n<!-- memdir begin -->\n<!-- memdir end -->\n~~~\n\nText"),
        ("agents-md", "AGENTS.md", "<!-- how it looks:\n<!-- memdir begin -->\n\n```\n<!-- memdir end -->\n```\n"),
    ] {
        let project = Project::new();
        project.put(&format!("work/{path}"), own);
        project.run(&["setup", host, "--remove"]).exit(0);
        assert_eq!(text(&project, path), own, "{host}");
        project.run(&["setup", host]).exit(0);
        assert!(text(&project, path).starts_with(own) && text(&project, path).len() > own.len(), "{own}");
        let again = project.run(&["setup", host]).exit(0);
        assert_eq!(again.stderr, "memdir: everything is set up already\n", "{own}");
        project.run(&["setup", host, "--check"]).exit(0);
        project.run(&["setup", host, "--remove"]).exit(0);
        assert_eq!(text(&project, path), own, "{host}");
    }
}

#[test]
fn instructions_are_not_written_into_an_open_block() {
    for (open, line) in [("# A\n\n```sh\nmake\n", 3), ("# A\n\n<!-- todo\n", 3), ("~~~\n```\n", 1)] {
        let project = Project::new();
        project.put("work/AGENTS.md", open);
        for words in [&["setup", "agents-md"][..], &["setup", "agents-md", "--check"], &["setup", "agents-md", "-n"]] {
            let refused = project.run(words);
            assert_eq!((refused.status, refused.error_code().as_str()), (5, "invalid_config"), "{refused:#?}");
            assert!(refused.stderr.contains(&format!("starts in line {line} is not closed")), "{refused:#?}");
        }
        project.run(&["setup", "agents-md", "--remove"]).exit(0);
        assert_eq!(text(&project, "AGENTS.md"), open);
    }
}

#[test]
fn a_valid_file_that_cannot_be_edited_is_refused_with_its_reason() {
    for (own, line) in [("mcp_servers = { other = { command = \"x\" } }\n", 1), ("a = 1\r\nmcp_servers = {}\r\n", 2)] {
        let project = Project::new();
        project.put("work/.codex/config.toml", own);
        let refused = project.run(&["setup", "codex"]).exit(5);
        let reason = format!("'mcp_servers' on line {line} is no table to which [mcp_servers.memdir] can be added");
        assert!(refused.stderr.contains(&reason) && !refused.stderr.contains("\\n"), "{refused:#?}");
        assert_eq!(text(&project, ".codex/config.toml"), own);
    }
    let project = Project::new();
    project.put("work/.codex/config.toml", "a = 1\n[b\n");
    let refused = project.run(&["setup", "codex"]).exit(5);
    assert!(refused.stderr.contains(" on line 2; nothing") && !refused.stderr.contains("\\n"), "{refused:#?}");
    // Comments at the end of a list, or in an empty one, are in no one's way.
    for own in [
        "{\n  \"hooks\": {\"SessionStart\": [ {\"hooks\":[]} // todo\n ]}\n}\n",
        "{\"hooks\": { // later\n }, \"mcpServers\": {}}",
        "{\n  // only a comment\n}\n",
        "{\"hooks\": {\"SessionStart\": [ // none\n ], \"SessionEnd\": [ /* none */ ]} // end\n}",
    ] {
        let project = Project::new();
        project.put("work/.gemini/settings.json", own);
        project.run(&["setup", "gemini"]).exit(0);
        project.run(&["setup", "gemini", "--check"]).exit(0);
        project.run(&["setup", "gemini", "--remove"]).exit(0);
        assert_eq!(text(&project, ".gemini/settings.json"), own);
    }
}

#[test]
fn the_folder_that_a_setup_created_is_removed_with_its_file() {
    for (host, folder) in [("claude", ".claude"), ("codex", ".codex"), ("gemini", ".gemini"), ("cursor", ".cursor")] {
        let project = Project::new();
        project.run(&["setup", host]).exit(0);
        assert!(project.work().join(folder).is_dir());
        project.run(&["setup", host, "--remove"]).exit(0);
        assert!(!project.work().join(folder).exists(), "{host}");
        project.put(&format!("work/{folder}/mine"), "x");
        project.run(&["setup", host]).exit(0);
        project.run(&["setup", host, "--remove"]).exit(0);
        assert!(project.work().join(folder).join("mine").exists(), "{host}");
    }
}

/// A machine may be killed at any moment: with a remote, the end of each turn pushes.
#[test]
fn with_a_remote_the_end_of_a_turn_is_a_hook_too() {
    for (host, path, event) in [
        ("claude", ".claude/settings.json", "Stop"),
        ("codex", ".codex/hooks.json", "Stop"),
        ("gemini", ".gemini/settings.json", "AfterAgent"),
        ("cursor", ".cursor/hooks.json", "stop"),
    ] {
        for by_config in [true, false] {
            let project = Project::new();
            let before = files(&project);
            let remote = project.home.path().join("remote.git");
            let run = |words: &[&str], has_remote: bool| {
                let mut command = project.command(words);
                let config =
                    if by_config && has_remote { format!("sync: {{remote: {:?}}}\n", remote) } else { String::new() };
                let trusted = format!("trusted: [{:?}]\n{config}", project.memory());
                project.put(".config/memdir/config.yaml", &trusted);
                if !by_config && has_remote {
                    command.env("MEMDIR_REMOTE", &remote);
                }
                let output = crate::support::ProgramOutput::of(command.stdin(std::process::Stdio::null()));
                assert!(output.status == 0 || output.status == 6, "{words:?} {output:#?}");
                output
            };
            run(&["setup", host], false);
            let is_wired =
                || value(path, &text(&project, path))["hooks"][event].to_string().contains("memdir hook stop");
            assert_eq!(is_wired(), host == "codex", "{host}");
            if host != "codex" {
                assert_eq!(run(&["setup", host, "--check"], true).status, 6, "{host}");
            }
            run(&["setup", host], true);
            assert!(is_wired(), "{host}");
            assert_eq!(run(&["setup", host, "--check"], true).status, 0);
            // Without the remote it stays, and is removed with the others.
            run(&["setup", host], false);
            assert!(is_wired(), "{host}");
            run(&["setup", host, "--remove"], false);
            assert_eq!(files(&project), before, "{host}");
        }
    }
    let project = Project::new();
    project.put(".config/memdir/config.yaml", "sync: {remote: origin}\n");
    let refused = project.run(&["setup", "claude"]).exit(2);
    assert!(refused.stderr.contains("sync.remote must be a URL or an absolute path"), "{refused:#?}");
}

/// Its text before a tool did not reach the model; the hook that was written for it goes with the others.
#[test]
fn a_hook_that_is_no_longer_written_is_removed_too() {
    let project = Project::new();
    let before = files(&project);
    project.run(&["setup", "cursor"]).exit(0);
    let hooks = text(&project, ".cursor/hooks.json");
    let old = hooks.replace("postToolUse", "preToolUse").replace("hook post-tool", "hook pre-tool");
    assert_ne!(old, hooks);
    project.put("work/.cursor/hooks.json", &old);
    project.run(&["setup", "cursor", "--check"]).exit(6).stdout_contains("no hook for postToolUse");
    // A hook of the user's own for that event stays.
    let own = old.replace("\"preToolUse\": [", "\"preToolUse\": [\n      {\n        \"command\": \"lint\"\n      },");
    for (text_before, has_event) in [(&own, true), (&old, false)] {
        project.put("work/.cursor/hooks.json", text_before);
        project.run(&["setup", "cursor"]).exit(0);
        let now = text(&project, ".cursor/hooks.json");
        assert!(!now.contains("hook pre-tool") && now.contains("hook post-tool"), "{now}");
        assert_eq!((now.contains("preToolUse"), now.contains("lint")), (has_event, has_event), "{now}");
    }
    project.run(&["setup", "cursor", "--check"]).exit(0);
    project.run(&["setup", "cursor", "--remove"]).exit(0);
    assert_eq!(files(&project), before);
    // A command that does something else, too, stays.
    let composite = old.replace("hook pre-tool --host cursor", "hook pre-tool --host cursor && my-logger");
    assert!(composite.contains("my-logger"), "{composite}");
    project.put("work/.cursor/hooks.json", &composite);
    project.run(&["setup", "cursor"]).exit(0);
    assert!(text(&project, ".cursor/hooks.json").contains("my-logger"));
}

/// In AGENTS.md, as in what a hook prints.
#[test]
fn instructions_name_a_memory_that_commands_would_not_find() {
    let project = Project::new();
    for words in [&["init", "notes"][..], &["init", "./-m"], &["init", "../else where/notes"], &["scope", "add", "web"]]
    {
        project.run(words).exit(0);
    }
    let setup = |options: &[&str], more: &[&str], status: i32| {
        let words: Vec<&str> =
            options.iter().copied().chain(["setup", "agents-md"]).chain(more.iter().copied()).collect();
        project.run(&words).exit(status);
    };
    let note = || {
        let agents = text(&project, "AGENTS.md");
        agents.lines().find_map(|line| line.strip_prefix("Here `memdir` means: ")).map(str::to_owned)
    };
    setup(&[], &[], 0);
    assert_eq!(note(), None);
    // A block that lacks it is outdated.
    setup(&["--dir", "notes"], &["--check"], 6);
    setup(&["--dir", "notes"], &[], 0);
    assert_eq!(note().as_deref(), Some("memdir --dir notes, from the directory of this file"));
    setup(&["--dir", "notes"], &["--check"], 0);
    setup(&[], &["--check"], 6);
    setup(&["--dir", "./-m"], &[], 0);
    assert_eq!(note().as_deref(), Some("memdir --dir ./-m, from the directory of this file"));
    setup(&["-S", "web"], &[], 0);
    assert_eq!(note().as_deref(), Some("memdir --dir memory/scopes/web, from the directory of this file"));
    // What it says is true.
    project.run(&["--dir", "memory/scopes/web", "add", "user", "Likes rain"]).exit(0);
    project.run(&["-S", "web", "list", "user"]).exit(0).stdout_contains("Likes rain");
    let elsewhere = project.home.path().join("else where/notes");
    let elsewhere = elsewhere.to_str().unwrap();
    setup(&["--dir", elsewhere], &[], 0);
    assert_eq!(note(), Some(format!("memdir --dir '{elsewhere}'")));
    setup(&[], &["--remove"], 0);
    assert!(!project.work().join("AGENTS.md").exists());
}

#[test]
fn the_hooks_that_are_written_work() {
    let project = Project::new();
    project.put(".config/memdir/config.yaml", "people: [ana]\n");
    let input = project.input("claude", "session-start");
    assert_eq!(project.hook(&["session-start"], &input), "{}\n");
    project.run(&["setup", "claude"]).exit(0);
    let settings = value(".claude/settings.json", &text(&project, ".claude/settings.json"));
    let command = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"].as_str().unwrap();
    let words: Vec<&str> = command.strip_prefix("memdir hook ").unwrap().split(' ').collect();
    assert!(project.hook(&words, &input).contains("Prefers tabs"));
    let config = fs_err::read_to_string(project.home.path().join(".config/memdir/config.yaml")).unwrap();
    assert_eq!(config, format!("people: [ana]\ntrusted:\n  - {:?}\n", project.memory().to_str().unwrap()));
}

#[test]
fn a_config_with_an_error_is_refused_and_stays() {
    for (host, path, broken) in [
        ("claude", ".claude/settings.json", "{\n  // a comment\n}\n"),
        ("claude", ".claude/settings.json", "{\"a\": 1,}"),
        ("claude", ".claude/settings.json", ""),
        ("claude", ".claude/settings.json", "{\"hooks\": []}"),
        ("claude", ".claude/settings.json", "{\"hooks\": {\"SessionStart\": {}}}"),
        ("claude", ".mcp.json", "{\"mcpServers\": {\"a\": 1}"),
        ("claude", ".mcp.json", "{\"mcpServers\": {}, \"mcpServers\": {}}"),
        ("codex", ".codex/config.toml", "[a\n"),
        ("codex", ".codex/config.toml", "mcp_servers = {}\n"),
        ("gemini", ".gemini/settings.json", "{\"a\": 1,}"),
        ("cursor", ".cursor/mcp.json", "[]"),
        ("mcp", ".mcp.json", "null"),
    ] {
        let project = Project::new();
        project.put(".config/memdir/config.yaml", "people: [ana]\n");
        project.put(&format!("work/{path}"), broken);
        let before = files(&project);
        for words in [&["setup", host][..], &["setup", host, "-n"], &["setup", host, "--check"]] {
            let output = project.run(words);
            assert_eq!((output.status, output.error_code().as_str()), (5, "invalid_config"), "{broken}: {output:#?}");
            assert!(output.stderr.contains(path), "{output:#?}");
        }
        assert_eq!(files(&project), before, "{broken}");
        let config = fs_err::read_to_string(project.home.path().join(".config/memdir/config.yaml")).unwrap();
        assert_eq!(config, "people: [ana]\n", "{broken}");
    }
}

#[test]
fn what_the_user_changed_in_an_entry_or_wrote_under_our_name_stays() {
    let project = Project::new();
    let own = "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"matcher\": \"startup\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"memdir hook session-start --host claude --budget 900\", \"timeout\": 3 },\n          { \"type\": \"command\", \"command\": \"echo hi\" }\n        ]\n      }\n    ]\n  }\n}\n";
    project.put("work/.claude/settings.json", own);
    project.put("work/.mcp.json", "{\"mcpServers\": {\"memdir\": {\"command\": \"docker\", \"args\": [\"run\"]}}}");
    let output = project.run(&["setup", "claude"]).exit(6);
    let settings = text(&project, ".claude/settings.json");
    assert!(settings.contains("\"timeout\": 3") && settings.contains("--budget 900"), "{settings}");
    assert!(!settings.contains("session-start --host claude --budget 600"), "{settings}");
    assert!(output.stdout.contains("mcpServers.memdir is another program's"), "{output:#?}");
    let check = project.run(&["setup", "claude", "--check"]).exit(6);
    assert!(check.stdout.contains("mcpServers.memdir is another program's"), "{check:#?}");
    project.run(&["setup", "claude", "--remove"]).exit(0);
    let left = value("x.json", &text(&project, ".claude/settings.json"));
    let expected = json!({"hooks": {"SessionStart": [
        {"matcher": "startup", "hooks": [{"type": "command", "command": "echo hi"}]}]}});
    assert_eq!(left, expected);
    assert!(text(&project, ".mcp.json").contains("docker"));
}

#[test]
fn a_memory_elsewhere_is_named_and_renamed() {
    let project = Project::new();
    for name in ["it's", "other"] {
        project.run(&["init", &format!("../{name}/notes")]).exit(0);
    }
    let dir = |name: &str| project.home.path().join(name).join("notes").to_str().unwrap().to_owned();
    project.run(&["--dir", &dir("it's"), "setup", "claude"]).exit(0);
    let settings = text(&project, ".claude/settings.json");
    assert!(
        settings.contains(&format!("memdir --dir '{}' hook session-end", dir("it's").replace('\'', "'\\\\''"))),
        "{settings}"
    );
    let server = value("x.json", &text(&project, ".mcp.json"));
    assert_eq!(server["mcpServers"]["memdir"]["args"], json!(["--dir", dir("it's"), "--as", "claude", "mcp"]));
    project.run(&["--dir", &dir("it's"), "setup", "claude", "--check"]).exit(0);
    project.run(&["--dir", &dir("other"), "setup", "claude", "--check"]).exit(6);
    project.run(&["--dir", &dir("other"), "setup", "claude"]).exit(0);
    let settings = text(&project, ".claude/settings.json");
    assert!(settings.matches(&dir("other")).count() == 6 && !settings.contains("it's"), "{settings}");
    project.run(&["setup", "claude", "--remove"]).exit(0);
    assert!(!project.work().join(".claude/settings.json").exists() && !project.work().join(".mcp.json").exists());
}

#[test]
fn links_in_a_project_are_refused_and_the_users_own_are_followed_in_the_home() {
    let project = Project::new();
    let outside = tempfile::tempdir().unwrap();
    fs_err::write(outside.path().join("settings.json"), "{}").unwrap();
    let link = |to: PathBuf, at: PathBuf| {
        fs_err::create_dir_all(at.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, at).unwrap();
    };
    link(outside.path().join("settings.json"), project.work().join(".claude/settings.json"));
    link(outside.path().to_owned(), project.work().join(".gemini"));
    for host in ["claude", "gemini"] {
        let output = project.run(&["setup", host]);
        assert_eq!((output.status, output.error_code().as_str()), (5, "unsafe_file"), "{output:#?}");
    }
    assert!(!project.work().join(".mcp.json").exists());
    project.put("dotfiles/claude.json", "{\n  \"model\": \"opus\"\n}\n");
    link(project.home.path().join("dotfiles/claude.json"), project.home.path().join(".claude/settings.json"));
    project.run(&["setup", "claude", "--user"]).exit(0);
    assert!(project.home.path().join(".claude/settings.json").is_symlink());
    let edited = fs_err::read_to_string(project.home.path().join("dotfiles/claude.json")).unwrap();
    // Hooks of the user run in every project, so they name a memory that is not the user's own.
    assert!(edited.contains("\"model\": \"opus\"") && edited.contains("memdir --dir /"), "{edited}");
    project.run(&["setup", "claude", "--user", "--remove"]).exit(0);
    let restored = fs_err::read_to_string(project.home.path().join("dotfiles/claude.json")).unwrap();
    assert_eq!(restored, "{\n  \"model\": \"opus\"\n}\n");
    link(outside.path().join("settings.json"), project.home.path().join(".gemini/settings.json"));
    let output = project.run(&["setup", "gemini", "--user"]);
    assert_eq!((output.status, output.error_code().as_str()), (5, "unsafe_file"), "{output:#?}");
    assert_eq!(fs_err::read_to_string(outside.path().join("settings.json")).unwrap(), "{}");
}

#[test]
fn the_users_own_memory_is_set_up_for_the_user() {
    let project = Project::new();
    project.run(&["-g", "init"]).exit(0);
    project.run(&["-g", "setup", "cursor"]).exit(0);
    let hooks = fs_err::read_to_string(project.home.path().join(".cursor/hooks.json")).unwrap();
    assert!(hooks.contains("\"memdir hook session-start --host cursor --budget 600\""), "{hooks}");
    assert!(!project.work().join(".cursor").exists());
    for words in [&["setup", "mcp", "--user"][..], &["setup", "agents-md", "--user"], &["setup", "git", "--user"]] {
        assert_eq!(project.run(words).status, 2, "{words:?}");
    }
    let codex = project.home.path().join("elsewhere");
    let mut command = project.command(&["-g", "setup", "codex"]);
    let output =
        crate::support::ProgramOutput::of(command.env("CODEX_HOME", &codex).stdin(std::process::Stdio::null()));
    assert_eq!(output.status, 0, "{output:#?}");
    assert!(codex.join("hooks.json").exists() && codex.join("config.toml").exists());
}

/// An entry for the user's own memory is not for that of a project, which is found without an option.
#[test]
fn entries_with_a_global_option_are_for_the_memory_of_the_project() {
    let project = Project::new();
    let server = r#"{"mcpServers":{"memdir":{"command":"memdir","args":["-g","--as","claude","mcp"]}}}"#;
    project.put("work/.mcp.json", server);
    let hook = "memdir -g hook session-start --host claude";
    let hooks = json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": hook}]}]}});
    project.put("work/.claude/settings.json", &hooks.to_string());
    project.run(&["setup", "claude", "--check"]).exit(6);
    project.run(&["setup", "claude"]).exit(0);
    let args = value("x.json", &text(&project, ".mcp.json"))["mcpServers"]["memdir"]["args"].clone();
    assert_eq!(args, json!(["--as", "claude", "mcp"]));
    assert!(!text(&project, ".claude/settings.json").contains("-g"));
    project.run(&["setup", "claude", "--check"]).exit(0);
    // Beside a hook that is right, one of the user's own memory stays.
    let both = text(&project, ".claude/settings.json").replacen(
        "\"SessionStart\": [",
        &format!("\"SessionStart\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"{hook}\"}}]}}, "),
        1,
    );
    project.put("work/.claude/settings.json", &both);
    project.run(&["setup", "claude", "--check"]).exit(0);
    project.run(&["setup", "claude"]).exit(0);
    assert_eq!(text(&project, ".claude/settings.json"), both);
    // The user's own memory keeps it.
    project.run(&["-g", "init"]).exit(0);
    project.put(".claude.json", server);
    project.run(&["-g", "setup", "claude"]).exit(0);
    assert!(fs_err::read_to_string(project.home.path().join(".claude.json")).unwrap().contains("\"-g\""));
}

#[test]
fn the_lines_to_copy_in_the_docs_are_those_that_are_written() {
    let docs = fs_err::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/agents.md")).unwrap();
    let blocks = docs.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let blocks: Vec<Value> = blocks.map(|block| serde_json::from_str(block).unwrap()).collect();
    for (host, path) in [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("cursor", ".cursor/hooks.json"),
        ("mcp", ".mcp.json"),
    ] {
        let project = Project::new();
        project.run(&["setup", host]).exit(0);
        let mut written = value(path, &text(&project, path));
        if host == "gemini" {
            written.as_object_mut().unwrap().shift_remove("mcpServers");
        }
        assert!(blocks.contains(&written), "{host}: {written}");
    }
}

#[track_caller]
fn prints(project: &Project, words: &[&str], status: i32, part: &str) {
    let output = project.run(words).exit(status);
    assert!(output.stdout.contains(part), "{}", output.stdout);
}

#[test]
fn the_memory_becomes_the_hosts_own_memory_folder() {
    let project = Project::new();
    let settings = "{\n  \"permissions\": {}\n}\n";
    project.put("work/.claude/settings.local.json", settings);
    let before = files(&project);
    prints(&project, &["setup", "claude", "--auto-memory", "--check"], 6, "no autoMemoryDirectory");
    project.run(&["setup", "claude", "--auto-memory"]).exit(0);
    let written = value(".json", &text(&project, ".claude/settings.local.json"));
    assert_eq!(written["autoMemoryDirectory"], project.memory().canonicalize().unwrap().to_str().unwrap());
    let index = fs_err::read_to_string(project.memory().join("MEMORY.md")).unwrap();
    assert!(index.starts_with("# Memory Index\n"), "{index}");
    let after = files(&project);
    project.run(&["setup", "claude", "--auto-memory"]).exit(0);
    project.run(&["setup", "claude", "--auto-memory", "--check"]).exit(0);
    assert_eq!(files(&project), after);
    project.run(&["setup", "claude", "--remove"]).exit(0);
    assert_eq!(files(&project), before);
    // Another folder is the user's choice.
    project.put("work/.claude/settings.local.json", "{\"autoMemoryDirectory\": \"~/elsewhere\"}\n");
    let other = files(&project);
    project.run(&["setup", "claude", "--auto-memory"]).exit(5);
    project.run(&["setup", "claude", "--remove"]).exit(0);
    assert_eq!(files(&project), other);
    project.run(&["setup", "codex", "--auto-memory"]).exit(2);
}

#[test]
fn a_server_that_only_the_host_can_write_is_a_command_to_run() {
    let project = Project::new();
    let run = "run: claude mcp add --scope user memdir -- memdir --dir ";
    prints(&project, &["setup", "claude", "--user"], 0, run);
    prints(&project, &["setup", "claude", "--user", "--check"], 6, "claude mcp add --scope user memdir");
    let settings = fs_err::read_to_string(project.home.path().join(".claude/settings.json")).unwrap();
    assert!(settings.contains("memdir"), "{settings}");
    project.put(".claude.json", "{\"mcpServers\": {\"memdir\": {\"command\": \"memdir\"}}}");
    let done = project.run(&["setup", "claude", "--user"]).exit(0);
    assert!(!done.stdout.contains("run:"), "{}", done.stdout);
    project.run(&["setup", "claude", "--user", "--check"]).exit(0);
    prints(&project, &["setup", "claude", "--user", "--remove"], 0, "run: claude mcp remove --scope user memdir\n");
    assert!(project.home.path().join(".claude.json").exists());
    // Both settings stand in one file of the user.
    project.run(&["setup", "claude", "--user", "--auto-memory"]).exit(0);
    let settings = fs_err::read_to_string(project.home.path().join(".claude/settings.json")).unwrap();
    assert!(settings.contains("autoMemoryDirectory") && settings.contains("session-start"), "{settings}");
    project.run(&["setup", "claude", "--user", "--remove"]).exit(0);
    assert!(!project.home.path().join(".claude/settings.json").exists());
}

/// `--as` would overrule the name, and with it an allowlist.
#[test]
fn a_server_whose_environment_names_its_caller_gets_no_other() {
    let project = Project::new();
    let server =
        json!({"mcpServers": {"memdir": {"command": "memdir", "args": ["mcp"], "env": {"MEMDIR_AS": "planner"}}}});
    project.put("work/.mcp.json", &server.to_string());
    project.run(&["setup", "claude"]).exit(0);
    assert_eq!(value(".mcp.json", &text(&project, ".mcp.json")), server);
}

#[test]
fn another_programs_server_in_our_place_is_a_finding_of_the_setup() {
    for server in [json!({"command": "npx", "args": ["other-memdir"]}), Value::Null] {
        let project = Project::new();
        project.put("work/.mcp.json", &json!({"mcpServers": {"memdir": server}}).to_string());
        prints(&project, &["setup", "claude"], 6, ".mcp.json: mcpServers.memdir is another program's");
        let json = project.run(&["setup", "claude", "--json"]);
        assert!(json.stdout.contains("\"wired\":false"), "{json:#?}");
        assert!(text(&project, ".claude/settings.json").contains("session-start"));
    }
}

#[test]
fn the_hosts_own_state_may_be_large_or_unreadable() {
    let large = format!("{{\"projects\":{{\"x\":\"{}\"}}}}", "a".repeat(5 << 20));
    for state in [large.into_bytes(), b"\xff\xfe".to_vec()] {
        let project = Project::new();
        fs_err::write(project.home.path().join(".claude.json"), &state).unwrap();
        prints(&project, &["setup", "claude", "--user"], 0, "run: claude mcp add");
        prints(&project, &["setup", "claude", "--user", "--check"], 6, "claude mcp add");
        project.run(&["setup", "claude", "--user", "--remove"]).exit(0);
        assert!(!project.home.path().join(".claude/settings.json").exists());
        assert_eq!(fs_err::read(project.home.path().join(".claude.json")).unwrap(), state);
    }
}

#[test]
fn a_setup_for_a_directory_with_an_apostrophe_changes_nothing_the_second_time() {
    let project = Project::new();
    project.put("Ana's notes/memory/memdir.yaml", "version: 1\n");
    let dir = project.home.path().join("Ana's notes/memory");
    let words = ["--dir", dir.to_str().unwrap(), "setup", "claude"];
    project.run(&words).exit(0);
    let before = files(&project);
    project.run(&words).exit(0);
    assert_eq!(files(&project), before);
    project.run(&[&words[..], &["--check"]].concat()).exit(0);
}

/// As in a monorepo. The files are committed, so they must be right for others and in other work trees.
#[test]
fn a_memory_below_the_root_is_named_by_its_path_in_the_project() {
    const MEMORY: &str = "services/api/memory";
    const FILES: [&str; 8] = [
        ".claude/settings.json",
        ".mcp.json",
        ".codex/hooks.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".cursor/hooks.json",
        ".cursor/mcp.json",
        "AGENTS.md",
    ];
    let project = Project::new();
    for folder in ["work/.git", "work/services/web"] {
        fs_err::create_dir_all(project.home.path().join(folder)).unwrap();
    }
    project.run(&["init", MEMORY]).exit(0);
    project.run(&["--dir", MEMORY, "add", "user", "Likes rain"]).exit(0);
    let setup = |dir: &str, more: &[&str], status: i32| {
        for host in HOSTS {
            project.run(&[&["--dir", dir, "setup", host], more].concat()).exit(status);
        }
    };
    let texts = || FILES.map(|path| text(&project, path));
    setup(MEMORY, &[], 0);
    setup(MEMORY, &["--check"], 0);
    let written = texts();
    let home = project.home.path().to_str().unwrap();
    assert!(written.iter().all(|text| text.contains(MEMORY) && !text.contains(home)), "{written:#?}");
    assert!(
        written[0].contains("\"memdir --dir services/api/memory hook session-end --host claude\""),
        "{}",
        written[0]
    );
    let server = value("x.json", &written[1]);
    assert_eq!(server["mcpServers"]["memdir"]["args"], json!(["--dir", MEMORY, "--as", "claude", "mcp"]));
    let server = value("x.json", &written[6]);
    let named = "${workspaceFolder}/services/api/memory";
    assert_eq!(server["mcpServers"]["memdir"]["args"], json!(["--dir", named, "--as", "cursor", "mcp"]));
    // However the caller named it.
    let absolute = project.work().join(MEMORY).to_str().unwrap().to_owned();
    setup(&absolute, &["--check"], 0);
    // What earlier versions wrote is replaced, and removed.
    let of_earlier_version = || {
        for (path, text) in FILES.iter().zip(&written) {
            let text = text.replace("${workspaceFolder}/", "").replace(MEMORY, &absolute);
            project.put(&format!("work/{path}"), &text);
        }
    };
    of_earlier_version();
    setup(MEMORY, &["--check"], 6);
    setup(MEMORY, &[], 0);
    assert_eq!(texts(), written);
    of_earlier_version();
    setup(MEMORY, &["--remove"], 0);
    assert!(FILES.iter().all(|path| !project.work().join(path).exists()));
    // The files of the user hold in all projects.
    project.run(&["--dir", MEMORY, "setup", "cursor", "--user"]).exit(0);
    for name in ["hooks.json", "mcp.json"] {
        let own = fs_err::read_to_string(project.home.path().join(".cursor").join(name)).unwrap();
        assert!(own.contains(&absolute) && !own.contains("workspaceFolder"), "{own}");
    }
}

/// The path in a project's files leads to the memory from where a host starts a hook or a server.
#[test]
fn a_path_from_the_root_is_found_in_each_work_tree() {
    let project = Project::new();
    for (tree, fact) in [("work", "Likes rain"), ("tree", "Likes snow")] {
        project.put(&format!("{tree}/services/api/memory/facts/user.md"), &format!("# User\n\n- {fact}\n"));
        project.put(&format!("{tree}/services/web/main.rs"), "");
        project.put(&format!("{tree}/.git/HEAD"), "ref: refs/heads/main\n");
    }
    let dir = ["--dir", "services/api/memory"];
    project.run(&[&dir[..], &["setup", "claude"]].concat()).exit(0);
    let started = |directory: &str| {
        let input = String::from_utf8(project.input("claude", "session-start")).unwrap();
        let directory = project.home.path().join(directory);
        let input = input.replace(project.work().to_str().unwrap(), directory.to_str().unwrap());
        project.hook(&[&dir[..], &["session-start"]].concat(), input.as_bytes())
    };
    for directory in ["work", "work/services/web", "work/services/api"] {
        assert!(started(directory).contains("Likes rain"), "{directory}");
        let list = project.run(&[&["-C", &format!("../{directory}")], &dir[..], &["list", "user"]].concat());
        list.exit(0).stdout_contains("Likes rain");
    }
    // Its branch may be another person's, so the hooks of another work tree say nothing until it is trusted.
    assert_eq!(started("tree/services/web"), "{}\n");
    let list = project.run(&[&["-C", "../tree/services/web"], &dir[..], &["list", "user"]].concat());
    list.exit(0).stdout_contains("Likes snow");
    // `status` has the command that trusts it, which changes no file that both have.
    let settings = text(&project, ".claude/settings.json");
    project.put("tree/.claude/settings.json", &settings);
    let memory = project.home.path().join("tree/services/api/memory");
    let command = format!("`memdir --dir {} setup claude` trusts it", memory.display());
    project.run(&[&["-C", "../tree"], &dir[..], &["status"]].concat()).exit(0).stderr_contains(&command);
    project.run(&["-C", "../tree", "--dir", memory.to_str().unwrap(), "setup", "claude"]).exit(0);
    assert_eq!(fs_err::read_to_string(project.home.path().join("tree/.claude/settings.json")).unwrap(), settings);
    assert!(started("tree/services/web").contains("Likes snow"));
}
