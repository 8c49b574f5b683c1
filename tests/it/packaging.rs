//! What a release consists of beside the program: one address and one version everywhere, and the GitHub Action and the
//! hooks of pre-commit, run on a repository of this disk.
//!
//! Reaches no network and installs nothing; `.ci/release` builds and installs the packages.

use std::path::{Path, PathBuf};

use serde_yaml::Value;

use crate::support::ProgramOutput;
use crate::support::git_repo::Repo;

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
const FILE: &str = "facts/project.md";

fn read(path: &str) -> String {
    fs_err::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn yaml(path: &str) -> Value {
    serde_yaml::from_str(&read(path)).unwrap()
}

#[test]
fn every_file_names_the_address_of_cargo_toml() {
    let owner = REPOSITORY.rsplit('/').nth(1).unwrap();
    assert!(read("packaging/install.sh").contains(&format!("address={REPOSITORY}/releases\n")));
    assert!(
        read("packaging/npm/memdir.js")
            .contains(&format!("@{owner}/${{process.platform}}-${{process.arch}}/bin/memdir"))
    );
    for path in ["packaging/build", "packaging/memdir.rb.in", "action.yml", ".github/workflows/release.yml"] {
        let text = read(path);
        assert!(!text.contains(REPOSITORY), "{path} repeats the address");
        assert!(!text.contains(env!("CARGO_PKG_VERSION")), "{path} repeats the version");
    }
    let manifest = read("Cargo.toml");
    // What packaging/build calls the archives, and where the program is in them.
    for target in ["x86_64", "aarch64"] {
        assert!(manifest.contains(&format!("memdir-{target}-unknown-linux-musl.tar.gz\"")));
        assert!(manifest.contains(&format!("bin-dir = \"memdir-{target}-unknown-linux-musl/bin/{{ bin }}\"")));
    }
}

/// Programs in steps take their input from variables: the name of a branch would be run as a part of the text.
#[test]
fn no_step_has_an_expression_in_its_program() {
    let scripts = |steps: &Value| {
        let steps = steps.as_sequence().unwrap().clone();
        steps.into_iter().filter_map(|step| step["run"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let mut all = scripts(&yaml("action.yml")["runs"]["steps"]);
    for path in [".github/workflows/ci.yml", ".github/workflows/release.yml"] {
        for (_, job) in yaml(path)["jobs"].as_mapping().unwrap() {
            all.extend(scripts(&job["steps"]));
        }
    }
    assert!(all.len() >= 8);
    for script in all {
        assert!(!script.contains("${{"), "{script}");
    }
}

/// The files that GitHub gives a step.
struct Runner {
    repo: Repo,
    dir: PathBuf,
}

impl Runner {
    fn new(repo: Repo) -> Runner {
        let dir = repo.root().with_file_name("runner");
        fs_err::create_dir_all(&dir).unwrap();
        Runner { repo, dir }
    }

    /// Runs a step of the action with its inputs, as `bash` of GitHub's runners does.
    fn step(&self, name: &str, inputs: &[(&str, &str)]) -> ProgramOutput {
        let action = yaml("action.yml");
        let steps = action["runs"]["steps"].as_sequence().unwrap();
        let step = steps.iter().find(|step| step["name"] == name).unwrap();
        assert_eq!(step["shell"], "bash");
        let mut command = self.repo.program("bash", self.repo.root());
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"].as_str().unwrap()]);
        for (variable, expression) in step["env"].as_mapping().unwrap() {
            let expression = expression.as_str().unwrap();
            let input = expression.strip_prefix("${{ inputs.").and_then(|rest| rest.strip_suffix(" }}"));
            let value = input.map(|input| {
                let default = &action["inputs"][input]["default"];
                let given = inputs.iter().find(|(name, _)| *name == input).map(|(_, value)| *value);
                given.or(default.as_str()).unwrap_or_else(|| panic!("{input} has no default")).to_owned()
            });
            command.env(variable.as_str().unwrap(), value.unwrap_or_default());
        }
        command.env("RUNNER_TEMP", &self.dir);
        for file in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH"] {
            command.env(file, self.dir.join(file));
        }
        command.output().unwrap().into()
    }

    fn file(&self, name: &str) -> String {
        fs_err::read_to_string(self.dir.join(name)).unwrap_or_default()
    }
}

/// A branch that adds a link to nowhere, with characters that mean something to GitHub, to a memory that has one already.
fn branch() -> Repo {
    let repo = Repo::new();
    repo.commit(FILE, "# Project\n\n- See [[an old problem]]\n");
    repo.commit(FILE, "# Project\n\n- See [[an old problem]]\n- Costs ``` ::error::no [[of 100% it]]\n");
    repo
}

#[test]
fn more_changes_than_a_comment_holds_are_cut() {
    let repo = Repo::new();
    repo.commit(FILE, "# Project\n");
    let bullets: String = (0..2000).map(|n| format!("- Costs 项目 {n} of something that has some length\n")).collect();
    repo.commit(FILE, &format!("# Project\n\n{bullets}"));
    let runner = Runner::new(repo);
    let compared = runner.step("Compare the memory", &[("base", "HEAD~1")]);
    assert_eq!((compared.status, compared.stderr.as_str()), (0, ""), "{compared:?}");
    let chars = runner.file("memdir-comment.md").chars().count();
    assert!((60_000..61_000).contains(&chars), "{chars}");
    assert!(runner.file("GITHUB_OUTPUT").contains("changed=true"));
}

#[test]
fn the_action_writes_the_changes_and_annotates_new_problems() {
    let runner = Runner::new(branch());
    let base = [("base", "HEAD~1")];

    let installed = runner.step("Install memdir", &[]);
    assert_eq!((installed.status, runner.file("GITHUB_PATH").as_str()), (0, ""), "{installed:?}");

    let compared = runner.step("Compare the memory", &base);
    assert_eq!(compared.status, 0, "{compared:?}");
    let comment = runner.file("memdir-comment.md");
    assert!(comment.starts_with("<!-- memdir -->\n### Changes in the memory\n\n    facts/project.md"), "{comment}");
    assert!(
        comment.contains("Costs ``` ::error::no [[of 100% it]]") && !comment.contains("an old problem"),
        "{comment}"
    );
    // The text of a memory is code in the comment, never markup.
    assert!(comment.lines().skip(3).all(|line| line.starts_with("    ")), "{comment}");
    assert_eq!(runner.file("GITHUB_STEP_SUMMARY"), comment);
    let file = runner.dir.join("memdir-comment.md");
    assert_eq!(runner.file("GITHUB_OUTPUT"), format!("comment-file={}\nchanged=true\n", file.display()));

    let checked = runner.step("Check the memory", &base);
    assert_eq!(checked.status, 1, "{checked:?}");
    let annotation =
        "::warning file=memory/facts/project.md,line=4,col=27,title=dangling_link::no file named 'of 100%25 it'\n";
    assert_eq!(checked.stdout, annotation);
    let lenient = runner.step("Check the memory", &[("base", "HEAD~1"), ("fail", "false")]);
    assert_eq!((lenient.status, lenient.stdout.as_str()), (0, annotation));
}

/// What a scope says, and what rules agents, is reviewed like the parent memory.
#[test]
fn the_action_looks_into_scopes_and_shows_what_changes_in_policies() {
    let repo = Repo::new();
    repo.commit(FILE, "# Project\n");
    repo.memdir(["scope", "add", "web"]).exit(0);
    repo.put("memdir.yaml", "# Who writes\nversion: 2\nagents:\n  write: propose\n");
    repo.save("base");
    repo.memdir(["-S", "web", "add", "rules", "Injected, see [[nowhere]]"]).exit(0);
    repo.save("scope");
    repo.put("memdir.yaml", "# Who may write\nversion: 2\nagents:\n  write: direct\n");
    repo.save("policy");
    repo.put("memdir.yaml", "# Nobody\nversion: 2\nagents:\n  write: direct\n");
    repo.save("comment");
    repo.memdir(["scope", "rm", "web"]).exit(0);
    repo.save("removed");
    let runner = Runner::new(repo);
    let comment = |head: &str, base: &str| {
        runner.repo.git(["checkout", "--quiet", head]);
        let compared = runner.step("Compare the memory", &[("base", base)]);
        assert_eq!((compared.status, compared.stderr.as_str()), (0, ""), "{compared:?}");
        runner
            .file("memdir-comment.md")
            .strip_prefix("<!-- memdir -->\n### Changes in the memory\n\n")
            .unwrap()
            .to_owned()
    };
    let scope = comment("main~3", "main~4");
    let expected = "    scope web:\n    new file facts/rules.md\n    + # Rules\n    + @";
    assert!(scope.starts_with(expected) && scope.ends_with(" Injected, see [[nowhere]]\n"), "{scope}");
    let checked = runner.step("Check the memory", &[("base", "main~4")]);
    assert_eq!(checked.status, 1, "{checked:?}");
    assert!(checked.stdout.starts_with("::warning file=memory/scopes/web/facts/rules.md,line="), "{checked:?}");
    let expected = "    diff --git a/memory/memdir.yaml b/memory/memdir.yaml\n     version: 2\n     agents:\n    -  write: propose\n    +  write: direct\n";
    assert_eq!(comment("main~2", "main~3"), expected);
    assert_eq!(comment("main~1", "main~2"), "None.\n");
    let removed = comment("main", "main~1");
    assert!(removed.contains("scopes/web/memdir.yaml") && removed.contains("    deleted file mode"), "{removed}");
    assert_eq!(runner.step("Check the memory", &[("base", "main~1"), ("dir", "memory")]).status, 0);
}

/// What a pull request contains takes nothing out of its comment, nor puts anything into it but indented text.
#[test]
fn nothing_in_a_pull_request_hides_its_changes() {
    let repo = Repo::new();
    repo.put("memdir.yaml", "version: 2\nsecrets: refuse\n");
    repo.put("scopes/travel/facts/trips.md", "# Trips\n\n- Oslo\n");
    repo.commit(FILE, "# Project\n");
    let comment = |repo: Repo| {
        let runner = Runner::new(repo);
        let compared = runner.step("Compare the memory", &[("base", "HEAD~1")]);
        assert_eq!(compared.status, 0, "{compared:?}");
        assert!(runner.file("GITHUB_OUTPUT").ends_with("changed=true\n"));
        (runner.file("memdir-comment.md"), runner.repo)
    };
    fs_err::write(repo.root().join(".gitattributes"), "memdir.yaml -diff\n").unwrap();
    repo.put("memdir.yaml", "version: 2\nsecrets: off\n");
    repo.save("attributes");
    let (shown, repo) = comment(repo);
    assert!(shown.contains("    +secrets: off\n"), "{shown}");
    repo.put("memdir.yaml", "version: 2\nsecrets: off # \r\r## Approved\r\n");
    repo.save("carriage returns");
    let (shown, repo) = comment(repo);
    assert!(shown.contains("## Approved") && !shown.contains('\r'), "{shown:?}");
    // A policy that is not valid is shown, too: the check says what is wrong with it.
    repo.put("memdir.yaml", "version: 2\nconsent_days: lots\n");
    repo.save("invalid");
    let (shown, repo) = comment(repo);
    assert!(shown.contains("    +consent_days: lots\n"), "{shown}");
    let runner = Runner::new(repo);
    assert_ne!(runner.step("Check the memory", &[("base", "HEAD~1")]).status, 0);
    let repo = runner.repo;
    repo.git(["rm", "-r", "--quiet", "memory/scopes"]);
    repo.save("no scope");
    let (shown, _) = comment(repo);
    assert!(shown.contains("    removed memory/scopes/travel/facts/trips.md\n"), "{shown}");
}

#[test]
fn the_action_says_that_nothing_changed_and_fails_where_it_cannot_compare() {
    let runner = Runner::new(branch());
    let nothing = [("base", "HEAD"), ("dir", "memory")];
    assert_eq!(runner.step("Compare the memory", &nothing).status, 0);
    assert!(runner.file("memdir-comment.md").ends_with("\nNone.\n"));
    assert!(runner.file("GITHUB_OUTPUT").ends_with("changed=false\n"));
    let checked = runner.step("Check the memory", &nothing);
    assert_eq!((checked.status, checked.stdout.as_str()), (0, ""));
    for step in ["Compare the memory", "Check the memory"] {
        assert_ne!(runner.step(step, &[("base", "no-such-commit")]).status, 0);
        assert_ne!(runner.step(step, &[("base", "HEAD"), ("dir", "nowhere")]).status, 0);
    }
}

#[test]
fn the_hooks_of_pre_commit_run() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let words = |id: &str| -> Vec<String> {
        let hook = hooks.as_sequence().unwrap().iter().find(|hook| hook["id"] == id).unwrap();
        assert_eq!((hook["language"].as_str(), hook["pass_filenames"].as_bool()), (Some("system"), Some(false)));
        let mut words: Vec<String> = hook["entry"].as_str().unwrap().split(' ').map(str::to_owned).collect();
        let more = hook["args"].as_sequence().cloned().unwrap_or_default();
        words.extend(more.iter().map(|word| word.as_str().unwrap().to_owned()));
        assert_eq!(words.remove(0), "memdir");
        words
    };
    let repo = branch();
    repo.memdir_in_work_tree(words("memdir-check")).exit(0);
    repo.put(FILE, "# Project\n\n- See [[a new problem]]\n");
    let found = repo.memdir_in_work_tree(words("memdir-check")).exit(6);
    assert!(found.stdout.contains("a new problem") && !found.stdout.contains("an old problem"), "{found:?}");
    repo.memdir_in_work_tree(words("memdir-merge-driver")).exit(0);
    assert!(repo.git(["config", "merge.memdir.driver"]).contains("merge-driver"));
}
