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
    let ran = memory.run(["compact", "episodes", "--by-week"]).exit(0).stderr_contains("1 without a day stay");
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
