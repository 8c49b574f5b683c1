//! git's way to another machine: which remote and branch are meant, fetching, pushing.
//!
//! Never forces a push, never waits for ever, and asks a person only where one sits at a terminal.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::git::{Ask, Ended, Git};
use super::repository::first_line;
use crate::code::{Code, Rejection};

/// A branch of another repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The remote's name, or its address.
    pub name: String,
    /// The branch there.
    pub branch: String,
}

impl Remote {
    /// As people write it: `origin/main`.
    pub fn shown(&self) -> String {
        format!("{}/{}", self.name, self.branch)
    }

    /// Where this clone keeps what it fetched: a name of its own, so that no other fetch writes between.
    fn reference(&self) -> String {
        let digest = Sha256::digest(format!("{}\0{}", self.name, self.branch));
        let name: String = digest[..8].iter().map(|b| format!("{b:02x}")).collect();
        format!("refs/memdir/fetched/{name}")
    }
}

/// What a fetch came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The branch's commit.
    Tip(String),
    /// The remote has no such branch.
    Nothing,
    /// Somebody else fetched at the same moment.
    Again,
}

/// What a push came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// The remote has it.
    Done,
    /// Somebody else was faster.
    Behind,
}

impl Git {
    /// The branch that a branch is synced with: at the remote asked for, else the branch's own, else `origin`, else the
    /// only one; `None` where there is none.
    ///
    /// # Errors
    /// `no_remote` for a name that git does not know, `usage` where several could be meant; `git`.
    pub fn remote(&self, asked: Option<&str>, branch: &str) -> Result<Option<Remote>, Rejection> {
        let names: Vec<String> = self.line(&["remote"])?.lines().map(str::to_owned).collect();
        let own = self.setting(&format!("branch.{branch}.remote"))?.filter(|name| name != ".");
        let name = match asked {
            Some(asked) => address(asked, &names)?,
            None => match own.clone().or_else(|| names.iter().find(|name| *name == "origin").cloned()) {
                Some(name) => name,
                None => match &names[..] {
                    [] => return Ok(None),
                    [only] => only.clone(),
                    _ => return Err(several(&names)),
                },
            },
        };
        let follows = own.as_deref() == Some(&name);
        let merge = if follows { self.setting(&format!("branch.{branch}.merge"))? } else { None };
        let there = merge.as_deref().and_then(|m| m.strip_prefix("refs/heads/")).unwrap_or(branch);
        Ok(Some(Remote { branch: there.to_owned(), name }))
    }

    /// Fetches a branch of a remote, and says which commit it is.
    ///
    /// # Errors
    /// `remote` where it cannot be reached, `no_git`.
    pub fn fetch(&self, remote: &Remote, wait: Duration) -> Result<Fetched, Rejection> {
        let own = remote.reference();
        let spec = format!("+refs/heads/{}:{own}", remote.branch);
        let args =
            ["fetch", "--quiet", "--no-tags", "--no-prune", "--no-recurse-submodules", "--", &remote.name, &spec];
        let ended = self.over_network(&args, remote, wait)?;
        if ended.status == 0 {
            return self.commit(&own).map(Fetched::Tip);
        }
        match () {
            () if ended.talk.contains("couldn't find remote ref") => Ok(Fetched::Nothing),
            () if raced(&ended.talk) => Ok(Fetched::Again),
            () => Err(unreached(remote, &ended)),
        }
    }

    /// Pushes a branch to a remote's; with `follow`, the branch follows it from now on.
    ///
    /// # Errors
    /// `remote` where it cannot be reached, `remote_refused` where it says no.
    pub fn push(&self, branch: &str, remote: &Remote, follow: bool, wait: Duration) -> Result<Pushed, Rejection> {
        let spec = format!("refs/heads/{branch}:refs/heads/{}", remote.branch);
        let mut args = vec!["push", "--porcelain", "--no-force", "--recurse-submodules=no"];
        args.extend(follow.then_some("--set-upstream"));
        args.extend(["--", &remote.name, &spec]);
        let ended = self.over_network(&args, remote, wait)?;
        if ended.status == 0 {
            return Ok(Pushed::Done);
        }
        let out = String::from_utf8_lossy(&ended.out);
        let Some(refused) = out.lines().find(|line| line.starts_with("!\t")) else {
            return Err(unreached(remote, &ended));
        };
        let why = refused.rsplit('\t').next().unwrap_or_default();
        if why.starts_with("[rejected]") || raced(why) || raced(&ended.talk) {
            return Ok(Pushed::Behind);
        }
        let said = ended.talk.lines().find_map(|line| line.strip_prefix("remote: ")).unwrap_or_default().trim_end();
        let said = first_line(&Ended { talk: format!("{why} {said}"), ..ended.clone() });
        Err(Rejection::new(Code::RemoteRefused, format!("{} did not take the branch: {said}", remote.name)))
    }

    /// Runs git where it talks to another machine.
    fn over_network(&self, args: &[&str], remote: &Remote, wait: Duration) -> Result<Ended, Rejection> {
        let person = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let own_ssh = || std::env::var_os("GIT_SSH_COMMAND").is_some() || std::env::var_os("GIT_SSH").is_some();
        let mut env = Vec::new();
        if person {
            env.push(("GIT_TERMINAL_PROMPT", "1"));
        } else if !own_ssh() && self.setting("core.sshCommand")?.is_none() {
            // ssh asks on the terminal itself, whatever its streams are: then nobody would ever answer.
            env.push(("GIT_SSH_COMMAND", "ssh -oBatchMode=yes"));
        }
        self.run(args, &Ask { env: &env, wait, ..Ask::default() }).map_err(|why| {
            match why.details.contains_key("timeout") {
                true => {
                    Rejection::new(Code::Remote, format!("{} did not answer within {} s", remote.name, wait.as_secs()))
                        .hint("try again, or wait longer with --timeout")
                }
                false => why,
            }
        })
    }
}

/// Whether somebody else wrote the same name at the same moment.
fn raced(said: &str) -> bool {
    let signs = ["cannot lock ref", "unable to lock", "failed to update ref", "incorrect old value", "fetch first"];
    signs.iter().any(|sign| said.contains(sign)) || said.contains("reference already exists")
}

fn unreached(remote: &Remote, ended: &Ended) -> Rejection {
    Rejection::new(Code::Remote, format!("{} cannot be synced with: {}", remote.name, first_line(ended)))
}

fn several(names: &[String]) -> Rejection {
    Rejection::new(Code::Usage, format!("there are several remotes ({})", names.join(", ")))
        .hint("name one: `memdir sync REMOTE`")
}

/// What was asked for: a remote's name, or an address; a path is meant from the working directory.
fn address(asked: &str, names: &[String]) -> Result<String, Rejection> {
    if names.iter().any(|name| name == asked) {
        return Ok(asked.to_owned());
    }
    let elsewhere = asked.contains("://") || asked.contains(':');
    let path = Path::new(asked);
    match () {
        () if asked.starts_with('-') || asked.is_empty() || !asked.contains(['/', ':']) => {
            let shown: String = asked.chars().take(60).flat_map(char::escape_debug).collect();
            let known =
                if names.is_empty() { "it knows none".to_owned() } else { format!("it knows {}", names.join(", ")) };
            Err(Rejection::new(Code::NoRemote, format!("git knows no remote '{shown}' here; {known}")))
        }
        () if elsewhere => Ok(asked.to_owned()),
        () => match path.canonicalize().ok().and_then(|path| path.into_os_string().into_string().ok()) {
            Some(path) => Ok(path),
            None => Err(Rejection::new(Code::NoRemote, format!("there is no repository '{}'", path.display()))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_is_a_name_or_an_address() {
        let names = ["origin".to_owned()];
        assert_eq!(address("origin", &names).unwrap(), "origin");
        assert_eq!(address("git@host:notes.git", &names).unwrap(), "git@host:notes.git");
        for none in ["other", "--upload-pack=x", "", "./nowhere/at/all"] {
            assert_eq!(address(none, &names).unwrap_err().code, Code::NoRemote, "{none}");
        }
    }
}
