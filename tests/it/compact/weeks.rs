//! `compact episodes --by-week` from the command line.

use crate::support::Memory;

const MONTH: &str = "# 2025-11 Episodes\n\n## Release\n- Date: 2025-11-03\n- Ana released 0.4.\n\n\
    ## Cache\n- Date: 2025-11-20\n- Found a bug.\n\n## Some day\n- Rested.\n";

fn memory() -> Memory {
    Memory::new()
        .file("episodes/2025-11.md", MONTH)
        .file("episodes/2025-W48.md", "# 2025-W48 Episodes\n\n## Later\n- Date: 2025-11-25\n- Wrote.\n")
        .file("facts/user.md", "# User\n\n- Knows why, see [[2025-11#cache]]\n")
}

#[test]
fn a_month_is_split_and_undone() {
    let memory = memory();
    let before = memory.tree();
    memory.run(["compact", "episodes", "--by-week", "-n"]).exit(0).unchanged();
    let ran = memory
        .run(["compact", "episodes", "--by-week"])
        .exit(0)
        .stderr_contains("1 entry without a day stays in episodes/2025-11.md");
    insta::assert_snapshot!(ran.difference, @r"
    M episodes/2025-11.md
    -## Release
    -- Date: 2025-11-03
    -- Ana released 0.4.
    -
    -## Cache
    -- Date: 2025-11-20
    -- Found a bug.
    +> Summary: some day, rested
    A episodes/2025-W45.md
    +# 2025-W45 Episodes
    +
    +> Summary: release, ana
    +
    +## Release
    +- Date: 2025-11-03
    +- Ana released 0.4.
    A episodes/2025-W47.md
    +# 2025-W47 Episodes
    +
    +> Summary: cache, bug
    +
    +## Cache
    +- Date: 2025-11-20
    +- Found a bug.
    M facts/user.md
    -- Knows why, see [[2025-11#cache]]
    +> Summary: w47, cache
    +
    +- Knows why, see [[2025-W47#cache]]
    ");
    memory.run(["check"]).exit(0);
    memory.run(["compact", "episodes", "--by-week"]).exit(0).unchanged();
    memory.run(["undo"]).exit(0);
    assert_eq!(memory.tree(), before);
}

#[test]
fn other_addresses_are_refused_and_other_files_stay() {
    let memory = memory();
    memory.run(["compact", "--by-week"]).exit(2).unchanged();
    memory.run(["compact", "facts", "--by-week"]).exit(2).unchanged();
    memory.run(["compact", "episodes", "--by-week", "--older", "2d"]).exit(2).unchanged();
    memory.run(["compact", "episodes/2025-W48", "--by-week"]).exit(0).unchanged();
    memory.put("episodes/2025-11.md", "<<<<<<< a\n- x\n=======\n>>>>>>> b\n");
    memory.run(["compact", "episodes", "--by-week"]).exit(5).unchanged();
}

#[test]
fn each_month_names_its_revision() {
    let october = "# 2025-10 Episodes\n\n## Start\n- Date: 2025-10-06\n- Began.\n";
    let memory = memory().file("episodes/2025-10.md", october);
    let before = memory.tree();
    let ran = memory.done(["compact", "episodes", "--by-week", "--json"]).json();
    assert!(ran["rev"].is_null(), "{ran}");
    let revs = |path: &str| {
        let files = ran["files"].as_array().unwrap().iter();
        files.filter(|file| file["path"] == path).map(|file| file["rev"].clone()).collect::<Vec<_>>()
    };
    assert_eq!((revs("episodes/2025-W41.md"), revs("episodes/2025-W45.md")), (vec!["r1".into()], vec!["r2".into()]));
    memory.done(["undo", "r2"]);
    memory.done(["undo", "r1"]);
    assert_eq!(memory.tree(), before);
    memory.done(["compact", "episodes", "--by-week"]).stdout_contains("episodes/2025-W41.md  r5\n");
}

#[test]
fn tags_that_hide_a_month_hide_its_weeks() {
    let policy = "version: 2\ncategories: {custom: [{name: health}]}\nallowlists: {planner: [work]}\n";
    let month = format!("---\ntags: [health]\npermalink: episodes/2025-11\ntitle: November\n---\n{MONTH}");
    let memory = Memory::new().policy(policy).file("episodes/2025-11.md", &month);
    memory.run(["compact", "episodes", "--by-week"]).exit(0);
    let seen = memory.done(["list"]).stdout.clone();
    assert!(seen.contains("2025-W45") && seen.contains("2025-W47"), "{seen}");
    let planner = memory.run(["list"]).by("planner").exit(0);
    assert!(!planner.stdout.contains("2025-"), "{planner}");
    memory.run(["read", "episodes/2025-W45.md"]).by("planner").exit(5).stderr_contains("category_not_allowed");
    // What names the month is no name of a week.
    let week = memory.text("episodes/2025-W45.md").unwrap();
    assert!(week.starts_with("---\ntags: [health]\n---\n"), "{week}");
}
