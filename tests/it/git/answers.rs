//! What the commands around git answer with `--json` is one object, valid by the schema that the program prints.
//!
//! Checks the form only, no value.

use serde_json::Value;

use crate::support::git_repo::Repo;

const FILE: &str = "facts/user.md";
const BASE: &str = "# User\n\n- Prefers tabs\n- Lives in Austin\n";

#[test]
fn every_answer_around_git_fits_the_schema() {
    let repo = Repo::new();
    let schema: Value = serde_json::from_str(&repo.memdir_in_work_tree(["schema", "answer"]).exit(0).stdout).unwrap();
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("answer.json", schema).unwrap();
    let index = compiler.compile("answer.json", &mut schemas).unwrap();
    repo.parted(FILE, BASE, &BASE.replace("tabs", "spaces"), &BASE.replace("tabs", "any indent"));
    repo.memdir(["add", "user", "Plays the cello", "--source", "chat", "-m", "why"]).exit(0);
    repo.save("cello");
    let [base, ours, theirs] = ["main~2", "main", "other"].map(|rev| {
        let file = repo.root().join(format!("{}.md", rev.replace('~', "-")));
        fs_err::write(&file, repo.try_git(["show", &format!("{rev}:memory/{FILE}")]).stdout).unwrap();
        file.into_os_string().into_string().unwrap()
    });
    let lines: &[(&[&str], i32)] = &[
        (&["status"], 0),
        (&["setup", "git", "--check"], 6),
        (&["setup", "git", "-n"], 0),
        (&["setup", "git"], 0),
        (&["setup", "git"], 0),
        (&["setup", "git", "--remove"], 0),
        (&["diff", "main...other"], 0),
        (&["diff", "HEAD~1"], 0),
        (&["diff", "nowhere"], 3),
        (&["check", "--since", "HEAD"], 0),
        (&["merge", &base, &ours, &theirs], 4),
        (&["merge", &base, &ours, &base], 0),
        (&["merge", &base, &ours, "nowhere"], 3),
        (&["resolve"], 0),
        (&["resolve", "nowhere"], 3),
    ];
    let check = |line: &[&str], status: i32| {
        let result = repo.memdir([line, &["--json"]].concat()).exit(status);
        let (run_output, silent) =
            if result.stdout.is_empty() { (&result.stderr, &result.stdout) } else { (&result.stdout, &result.stderr) };
        assert!(
            silent.is_empty() && run_output.starts_with("{\"v\":1,") && run_output.lines().count() == 1,
            "{line:?}: {result:#?}"
        );
        let value: Value = serde_json::from_str(run_output).unwrap();
        assert_eq!(value.get("code").is_some(), matches!(status, 3), "{line:?}");
        if let Err(why) = schemas.validate(&value, index) {
            panic!("{line:?}: {why}\n{run_output}");
        }
    };
    lines.iter().for_each(|(line, status)| check(line, *status));
    repo.try_git(["-c", "merge.conflictStyle=diff3", "merge", "--no-edit", "other"]).exit(1);
    check(&["status"], 0);
    check(&["resolve", "-n"], 4);
    check(&["resolve"], 4);
    check(&["resolve", "--both"], 0);
}
