//! git itself merges, rebases, picks and pops, with the driver that `setup git` wired: two people's bullets meet.
//!
//! Checks that all bullets are there once, not where a new bullet is placed among its neighbours.

use fastrand::Rng;

use crate::support::git_repo::Repo;
use crate::support::program;

const BASE: &str =
    "# User\n\n> Summary: work, travel\n\n## Work\n\n- Standup at ten\n- Prefers tabs\n\n## Travel\n\n- Window seats\n";
const FILE: &str = "facts/user.md";

/// The base with one line put below another.
fn with(below: &str, line: &str) -> String {
    BASE.replace(&format!("{below}\n"), &format!("{below}\n{line}\n"))
}

/// The base with one line in another's place.
fn but(old: &str, new: &str) -> String {
    assert!(BASE.contains(old));
    BASE.replace(old, new)
}

/// The bullets of the file, sorted; each must occur once, without conflict markers.
#[track_caller]
fn bullets(repo: &Repo, path: &str) -> Vec<String> {
    let text = repo.text(path);
    assert!(!text.contains("<<<<<<<") && !text.contains(">>>>>>>"), "{text}");
    let mut all: Vec<String> = text.lines().filter_map(|l| l.strip_prefix("- ")).map(str::to_owned).collect();
    all.sort();
    let mut once = all.clone();
    once.dedup();
    assert_eq!(all, once, "{text}");
    all
}

#[track_caller]
fn check(repo: &Repo, expected: [&str; 5]) {
    assert_eq!(bullets(repo, FILE), expected);
    assert!(repo.text(FILE).starts_with("# User\n\n> Summary: work, travel\n\n## Work\n"));
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

const BOTH: [&str; 5] = ["Likes dark mode", "Prefers tabs", "Speaks Dutch", "Standup at ten", "Window seats"];

fn two_adds() -> Repo {
    let repo = Repo::wired();
    repo.parted(FILE, BASE, &with("- Prefers tabs", "- Likes dark mode"), &with("- Prefers tabs", "- Speaks Dutch"));
    repo
}

#[test]
fn two_adds_under_one_heading_merge() {
    let repo = two_adds();
    repo.git(["merge", "--quiet", "--no-edit", "other"]);
    check(&repo, BOTH);
}

#[test]
fn the_same_two_adds_are_a_conflict_for_git_alone() {
    let repo = two_adds();
    repo.memdir(["setup", "git", "--remove"]).exit(0);
    repo.save("without");
    repo.try_git(["merge", "--no-edit", "other"]).exit(1);
    assert!(repo.text(FILE).contains("<<<<<<<"));
}

#[test]
fn an_edit_and_the_removal_of_its_neighbour_merge() {
    let repo = Repo::wired();
    repo.parted(FILE, BASE, &but("Prefers tabs", "Prefers spaces"), &but("- Standup at ten\n", ""));
    repo.git(["merge", "--quiet", "--no-edit", "other"]);
    assert_eq!(bullets(&repo, FILE), ["Prefers spaces", "Window seats"]);
}

#[test]
fn an_edit_follows_a_bullet_that_moved() {
    let repo = Repo::wired();
    let moved = but("- Prefers tabs\n", "") + "- Prefers tabs\n";
    repo.parted(FILE, BASE, &but("- Prefers tabs", "- Prefers tabs, four wide"), &moved);
    repo.git(["merge", "--quiet", "--no-edit", "other"]);
    assert_eq!(bullets(&repo, FILE), ["Prefers tabs, four wide", "Standup at ten", "Window seats"]);
    assert!(repo.text(FILE).ends_with("- Window seats\n- Prefers tabs, four wide\n"), "{}", repo.text(FILE));
}

#[test]
fn two_edits_of_one_bullet_are_a_conflict_around_that_bullet_alone() {
    let repo = Repo::wired();
    let ours = but("Prefers tabs", "Prefers spaces") + "- Aisle never\n";
    repo.parted(FILE, BASE, &ours, &but("Prefers tabs", "Prefers whatever the file has"));
    let run_output = repo.try_git(["merge", "--no-edit", "other"]).exit(1);
    assert!(run_output.stdout.contains("CONFLICT (content)"), "{run_output:#?}");
    let text = repo.text(FILE);
    let (before, rest) = text.split_once("<<<<<<< HEAD\n- Prefers spaces\n").unwrap();
    let (inside, after) = rest.split_once(">>>>>>> other\n").unwrap();
    assert!(inside.starts_with("||||||| ") && inside.ends_with("=======\n- Prefers whatever the file has\n"), "{text}");
    assert!(before.ends_with("- Standup at ten\n") && after.ends_with("- Aisle never\n"), "{text}");
    assert_eq!(repo.git(["status", "--porcelain"]), "UU memory/facts/user.md\n");
}

#[test]
fn a_branch_is_rebased_over_bullets_of_others() {
    let repo = two_adds();
    repo.commit("facts/other.md", "# Other\n\n- One more\n");
    repo.git(["checkout", "--quiet", "other"]);
    repo.git(["rebase", "--quiet", "main"]);
    check(&repo, BOTH);
    assert_eq!(repo.git(["log", "--format=%s", "--merges"]), "");
}

#[test]
fn a_commit_is_picked_between_bullets_of_others() {
    let repo = two_adds();
    repo.git(["cherry-pick", "other"]);
    check(&repo, BOTH);
}

#[test]
fn a_stash_is_popped_over_bullets_of_others() {
    let repo = Repo::wired();
    repo.commit(FILE, BASE);
    repo.put(FILE, with("- Prefers tabs", "- Likes dark mode"));
    repo.git(["stash", "push", "--quiet"]);
    repo.commit(FILE, &with("- Prefers tabs", "- Speaks Dutch"));
    repo.git(["stash", "pop", "--quiet"]);
    assert_eq!(bullets(&repo, FILE), BOTH);
    assert_eq!(repo.git(["stash", "list"]), "");
}

#[test]
fn a_revert_takes_back_one_bullet_among_later_ones() {
    let repo = Repo::wired();
    repo.commit(FILE, BASE);
    repo.commit(FILE, &with("- Prefers tabs", "- Likes dark mode"));
    repo.commit(FILE, &with("- Prefers tabs", "- Likes dark mode\n- Speaks Dutch"));
    repo.git(["revert", "--no-edit", "HEAD^"]);
    assert_eq!(bullets(&repo, FILE), ["Prefers tabs", "Speaks Dutch", "Standup at ten", "Window seats"]);
}

#[test]
fn a_renamed_file_gets_the_bullets_that_the_other_side_added_to_it() {
    let repo = Repo::wired();
    repo.commit(FILE, BASE);
    repo.git(["checkout", "--quiet", "-b", "other"]);
    repo.commit(FILE, &with("- Prefers tabs", "- Speaks Dutch"));
    repo.git(["checkout", "--quiet", "main"]);
    repo.git(["mv", "memory/facts/user.md", "memory/facts/person.md"]);
    repo.commit("facts/person.md", &with("- Prefers tabs", "- Likes dark mode"));
    repo.git(["merge", "--quiet", "--no-edit", "other"]);
    assert_eq!(bullets(&repo, "facts/person.md"), BOTH);
    assert!(!repo.memory().join(FILE).exists());
}

/// Two branches that merged each other's first commit: their merge has two bases, which git merges first.
fn crossed(first: [&str; 2], second: [&str; 2]) -> Repo {
    let repo = Repo::wired();
    repo.parted(FILE, BASE, first[0], first[1]);
    let tips = ["main", "other"].map(|branch| repo.git(["rev-parse", branch]).trim().to_owned());
    for (branch, (tip, text)) in ["main", "other"].into_iter().zip([&tips[1], &tips[0]].into_iter().zip(second)) {
        repo.git(["checkout", "--quiet", branch]);
        // The result of that merge is not checked; the results of both strategies are compared here.
        repo.try_git(["merge", "--quiet", "--no-edit", tip]);
        repo.commit(FILE, text);
    }
    repo.git(["checkout", "--quiet", "main"]);
    assert_eq!(repo.git(["merge-base", "--all", "main", "other"]).lines().count(), 2);
    repo
}

#[test]
fn a_criss_cross_merge_merges_its_ancestors_by_bullet_too() {
    let (dark, dutch) = (with("- Prefers tabs", "- Likes dark mode"), with("- Prefers tabs", "- Speaks Dutch"));
    let both = with("- Prefers tabs", "- Likes dark mode\n- Speaks Dutch");
    let ours = both.replace("Standup at ten", "Standup at nine");
    let theirs = both.replace("Window seats", "Aisle seats");
    let repo = crossed([&dark, &dutch], [&ours, &theirs]);
    repo.git(["merge", "--quiet", "--no-edit", "other"]);
    assert_eq!(
        bullets(&repo, FILE),
        ["Aisle seats", "Likes dark mode", "Prefers tabs", "Speaks Dutch", "Standup at nine"]
    );
}

#[test]
fn a_conflict_between_ancestors_does_not_spoil_what_both_sides_decided() {
    let (spaces, any) = (but("Prefers tabs", "Prefers spaces"), but("Prefers tabs", "Prefers any indent"));
    let decided = but("Prefers tabs", "Prefers spaces, any width");
    let theirs = decided.replace("Window seats", "Aisle seats");
    let repo = crossed([&spaces, &any], [&decided, &theirs]);
    repo.git(["merge", "--quiet", "--no-edit", "other"]);
    assert_eq!(bullets(&repo, FILE), ["Aisle seats", "Prefers spaces, any width", "Standup at ten"]);
}

#[test]
fn a_clone_without_memdir_merges_as_git_does() {
    let repo = two_adds();
    let gone = repo.git(["config", "merge.memdir.driver"]).replace(program().to_str().unwrap(), "/nonexistent/memdir");
    repo.git(["config", "merge.memdir.driver", gone.trim_end()]);
    let git = std::env::split_paths(&std::env::var_os("PATH").unwrap()).find(|dir| dir.join("git").exists()).unwrap();
    let mut command = repo.program("git", repo.root());
    let output = command.env("PATH", git).args(["merge", "--no-edit", "other"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = repo.text(FILE);
    assert!(text.contains("- Likes dark mode\n=======\n- Speaks Dutch\n>>>>>>>"), "{text}");
}

#[test]
fn each_clone_needs_its_own_setup_and_the_attribute_rule_is_shared() {
    let repo = two_adds();
    let clone = repo.clone_to("clone");
    assert_eq!(
        clone.memdir(["setup", "git", "--check"]).exit(6).stdout,
        "this clone's config has no merge.memdir.driver\n"
    );
    clone.memdir(["setup", "git"]).exit(0);
    assert_eq!(clone.git(["status", "--porcelain"]), "", "the rule came with the clone");
    clone.git(["merge", "--quiet", "--no-edit", "origin/other"]);
    check(&clone, BOTH);
}

#[test]
fn a_memory_that_is_the_root_merges_too() {
    let repo = Repo::whole();
    repo.memdir(["setup", "git"]).exit(0);
    repo.parted(FILE, BASE, &with("- Prefers tabs", "- Likes dark mode"), &with("- Prefers tabs", "- Speaks Dutch"));
    repo.git(["merge", "--quiet", "--no-edit", "other"]);
    check(&repo, BOTH);
}

const WORDS: [&str; 16] = [
    "anchor", "breeze", "copper", "dahlia", "ember", "falcon", "ginger", "harbour", "indigo", "juniper", "kettle",
    "lantern", "marble", "nutmeg", "orchid", "pepper",
];

fn sentence(rng: &mut Rng, number: usize) -> String {
    let word = |rng: &mut Rng| WORDS[rng.usize(..WORDS.len())];
    format!("{} {} keeps the {} near the {} {number}", word(rng), word(rng), word(rng), word(rng))
}

#[test]
fn changes_of_different_bullets_always_merge_and_nothing_is_lost() {
    let mut rng = Rng::with_seed(7);
    for round in 0..12 {
        let repo = Repo::wired();
        let all: Vec<String> = (0..12).map(|n| sentence(&mut rng, n)).collect();
        let mut text = String::from("# Things\n");
        for (n, bullet) in all.iter().enumerate() {
            if n % 4 == 0 {
                text += &format!("\n## Part {}\n\n", n / 4);
            }
            text += &format!("- {bullet}\n");
        }
        repo.commit("facts/things.md", &text);
        repo.git(["branch", "other"]);
        let mut expected = all.clone();
        for (side, branch) in ["main", "other"].into_iter().enumerate() {
            repo.git(["checkout", "--quiet", branch]);
            let new = sentence(&mut rng, 100 + side);
            repo.memdir(["add", &format!("things#part-{}", rng.usize(..3)), &new]).exit(0);
            expected.push(new);
            for _ in 0..3 {
                // Each side has bullets of its own: every change can be merged.
                let old = all[rng.usize(..6) * 2 + side].clone();
                if !expected.contains(&old) {
                    continue;
                }
                match rng.usize(..3) {
                    0 => {
                        let new = old.replacen("keeps", "always keeps", 1);
                        repo.memdir(["update", "things", &old, &new]).exit(0);
                        expected.iter_mut().filter(|text| **text == old).for_each(|text| *text = new.clone());
                    }
                    1 => {
                        repo.memdir(["bullet", "del", "things", &old]).exit(0);
                        expected.retain(|text| *text != old);
                    }
                    _ => {
                        let at = format!("things@{}", crate::support::handle(&old));
                        repo.memdir(["mv", &at, &format!("things#part-{}", rng.usize(..3))]);
                    }
                }
            }
            repo.save(branch);
        }
        repo.git(["checkout", "--quiet", "main"]);
        let run_output = repo.try_git(["merge", "--quiet", "--no-edit", "other"]);
        assert_eq!(run_output.status, 0, "round {round}: {run_output:#?}\n{}", repo.text("facts/things.md"));
        expected.sort();
        assert_eq!(bullets(&repo, "facts/things.md"), expected, "round {round}");
    }
}
