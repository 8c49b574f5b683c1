//! The user's own prompts reach the model instead of ours.

use crate::support::Memory;

const TALK: &str = "user: I prefer meetings after 2pm on weekdays.\nassistant: Noted.\n";
const FOOD: &str = "# Food\n\n## Likes\n\n- Pasta\n- Sushi\n- Prefers window seats on trains\n- Usually prefers window seats on trains\n";

/// A memory whose model keeps what it is asked, and gives no usable answer.
fn memory() -> Memory {
    let memory = Memory::new().file("facts/food.md", FOOD);
    let home = memory.dir().parent().unwrap().to_path_buf();
    let config = home.join("config/memdir");
    fs_err::create_dir_all(config.join("prompts")).unwrap();
    let line = format!("cat >> {}/asked; echo none", home.display());
    let text = format!("people: [tester]\nmodel: {{provider: exec, command: [sh, -c, '{line}']}}\n");
    fs_err::write(config.join("config.yaml"), text).unwrap();
    memory.put("episodes/2025-11.md", "# 2025-11 Episodes\n\n## Release\n- Date: 2025-11-03\n- Ana released 0.4\n");
    memory.done(["add", "user", "Plays chess on Sundays"]);
    memory
}

fn prompt(memory: &Memory, name: &str) -> std::path::PathBuf {
    memory.dir().with_file_name("config").join(format!("memdir/prompts/{name}.md"))
}

#[test]
fn every_prompt_may_be_the_users_own() {
    for (name, line) in [
        ("reflect", "reflect"),
        ("record", "reflect --record"),
        ("procedure", "reflect --procedure"),
        ("insights", "reflect --insights"),
        ("finder", "reflect --finder small --request pasta"),
        ("editor", "reflect --request pasta"),
        ("compact", "compact food --to 2"),
        ("digest", "compact episodes --older 2d"),
        ("duplicates", "compact --duplicates"),
    ] {
        let memory = memory();
        let asked = || fs_err::read_to_string(memory.dir().with_file_name("asked")).unwrap_or_default();
        let run = || {
            let words: Vec<&str> = line.split(' ').chain(["-n"]).collect();
            let read = ["reflect", "record", "procedure"].contains(&name);
            if read {
                memory.run(words).stdin(TALK).ends()
            } else {
                memory.run(words).ends()
            };
        };
        run();
        let ours = asked();
        assert!(!ours.is_empty(), "{name}");
        fs_err::write(prompt(&memory, name), "Own words, {max_chars} at most.\n").unwrap();
        run();
        let own = asked()[ours.len()..].to_owned();
        assert!(own.starts_with("Own words, "), "{name}: {own}");
        assert_eq!(own.starts_with("Own words, 280 at most."), ["reflect", "editor"].contains(&name), "{name}: {own}");
        // One that cannot be read is an error: the model would get other words than the user chose.
        fs_err::write(prompt(&memory, name), b"\xff\xfe").unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        memory.run(words).stdin(TALK).exit(5).unchanged().stderr_contains("invalid_policy");
    }
}
