//! Bullets of equal text: every address that is printed works, and means one of them.

use crate::support::{Memory, handle};

const TEXT: &str = "# D\n\n## A\n\n- same thing\n- other\n\n## B\n\n- same thing\n- between\n- same thing\n";

#[test]
fn every_printed_address_means_one_bullet() {
    let memory = Memory::new().file("facts/d.md", TEXT);
    let h = handle("same thing");
    let refused = memory.run(["rm", &*format!("d@{h}")]).exit(4);
    for address in [format!("facts/d.md#a@{h}"), "facts/d.md#b@1".into(), "facts/d.md#b@3".into()] {
        assert!(refused.stderr.contains(&format!("  {address} same thing\n")), "{refused}");
        memory.run(["read", &*address]).exit(0).stdout("- same thing\n");
    }
    let json = memory.run(["--json", "rm", "d", "- same thing"]);
    let error = json.exit(4).error();
    let addresses: Vec<&str> =
        error["details"]["candidates"].as_array().unwrap().iter().map(|c| c["address"].as_str().unwrap()).collect();
    assert_eq!(addresses, [&*format!("facts/d.md#a@{h}"), "facts/d.md#b@1", "facts/d.md#b@3"]);
}

#[test]
fn list_numbers_equal_texts() {
    let memory = Memory::new().file("facts/d.md", TEXT);
    memory.run(["list", "d#b"]).exit(0).stdout_contains("\n#b@1 same thing\n").stdout_contains("\n#b@3 same thing\n");
    let h = handle("same thing");
    memory.run(["list", "d#a"]).exit(0).stdout_contains(&format!("\n#a@{h} same thing\n"));
    memory.run(["list", "d#a"]).exit(0).stdout_contains(&format!("\n@{} other\n", handle("other")));
    let rows = memory.run(["--json", "bullet", "list", "d"]).exit(0).json();
    for row in rows["bullets"].as_array().unwrap() {
        let read = memory.run(["--json", "read", row["address"].as_str().unwrap()]).exit(0).json();
        assert_eq!(read["text"], format!("- {}\n", row["text"].as_str().unwrap()), "{row}");
    }
}

#[test]
fn a_handle_in_a_section_is_enough_to_change_and_a_number_needs_f() {
    let memory = Memory::new().file("facts/d.md", TEXT);
    let h = handle("same thing");
    memory.run(["update", &*format!("d#a@{h}"), "new"]).exit(0);
    memory.run(["rm", "d#b@3"]).exit(4).stderr_contains("needs_proof");
    memory.run(["rm", "d#b@3", "-f"]).exit(0);
    let text = memory.text("facts/d.md").unwrap();
    assert!(text.ends_with("## A\n\n- new\n- other\n\n## B\n\n- same thing\n- between\n"), "{text}");
}

#[test]
fn query_and_context_print_addresses_that_work() {
    let memory = Memory::new().file("facts/d.md", &TEXT.replace("- same thing", "- same thing\n  <!-- mem imp=9 -->"));
    let json = memory.run(["--json", "query", "same thing"]).exit(0).json();
    let rows = json["items"].as_array().unwrap();
    assert_eq!(rows.len(), 3, "{json}");
    for row in rows {
        memory.run(["read", row["address"].as_str().unwrap()]).exit(0);
    }
    memory.run(["query", "same thing"]).exit(0).stdout_contains("#b@1 ");
    memory.run(["context"]).exit(0).stdout_contains("\nfacts/d.md:\n- #a@").stdout_contains("\n- #b@1 same thing\n");
}

#[test]
fn the_hint_of_a_read_names_no_option_for_changes() {
    let memory = Memory::new().file("facts/user.md", "# User\n\n- Same\n\n## Work\n\n- Same\n");
    let at = format!("user@{}", handle("Same"));
    let read = memory.run(["read", &at]).exit(4).unchanged();
    assert!(read.stderr.contains("they have the same text; use one of these addresses\n"), "{read}");
    memory.run(["rm", &at]).exit(4).stderr_contains("use one of these addresses, with -f where it ends in a number\n");
}

/// Each bullet under a parent has a text that another one has, too.
const NESTED: &str = "# P\n\n- Atlas\n  - Status: active\n- Borealis\n  - Status: active\n- Status: active\n";

#[test]
fn equal_nested_bullets_have_addresses_that_every_command_takes() {
    let memory = Memory::new().file("facts/p.md", NESTED);
    let h = handle("Status: active");
    let [first, second] = [1, 2].map(|n| format!("facts/p.md#p@{h}.{n}"));
    memory
        .run(["list", "p"])
        .exit(0)
        .stdout_contains(&format!("\n  #p@{h}.1 Status: active\n"))
        .stdout_contains(&format!("\n  #p@{h}.2 Status: active\n"))
        .stdout_contains("\n#p@3 Status: active\n");
    let refused = memory.run(["rm", &format!("p@{h}")]).exit(4);
    let candidates = [&*first, &*second, "facts/p.md#p@3"].map(|at| format!("  {at} Status: active\n"));
    assert!(candidates.iter().all(|line| refused.stderr.contains(line)), "{refused}");
    let found = memory.run(["--json", "query", "status active"]).exit(0).json();
    for row in found["items"].as_array().unwrap() {
        memory.run(["read", row["address"].as_str().unwrap()]).exit(0);
    }
    memory.run(["read", &second]).exit(0).stdout("  - Status: active\n");
    memory.run(["read", &format!("p@{h}.4")]).exit(3).stderr_contains("bullet_not_found");
    memory.run(["read", "p@zzzz.2"]).exit(3).stderr_contains("bullet_not_found");
    memory.run(["log", &second]).exit(0);
    memory.run(["rm", &second]).exit(4).unchanged().stderr_contains("needs_proof").stderr_contains("-f acts on");
    let etag = memory.done(["etag", "p"]).stdout.trim().to_owned();
    memory.run(["update", &second, "Status: done", "--if-match", &etag]).exit(0);
    memory.run(["set", &first, "imp=7", "-f"]).exit(0);
    let old = format!(r#"{{"op":"update","at":"{first}","old":"Status: active","text":"Status: paused"}}"#);
    memory.run(["apply"]).stdin(old).exit(0);
    let text = memory.text("facts/p.md").unwrap();
    assert_eq!(
        &text[text.find("- Atlas").unwrap()..],
        "- Atlas\n  - Status: paused\n    <!-- mem imp=7 -->\n- Borealis\n  - Status: done\n- Status: active\n"
    );
}

#[test]
fn a_nested_bullet_moves_by_its_number() {
    let memory = Memory::new().file("facts/p.md", "- Atlas\n  - Status: active\n- Borealis\n  - Status: active\n");
    memory.run(["mv", &format!("p@{}.2", handle("Status: active")), "p#Done", "-f"]).exit(0);
    let text = memory.text("facts/p.md").unwrap().replace("\n\n", "\n");
    assert_eq!(
        &text[text.find("- Atlas").unwrap()..],
        "- Atlas\n  - Status: active\n- Borealis\n## Done\n- Status: active\n"
    );
}
