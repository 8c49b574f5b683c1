//! Reads a key where the user's config says that it lies.
//!
//! Never keeps it, never shows it, and never takes one from a data dir.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::models::KeyFrom;
use crate::code::{Code, Rejection, Warning};

/// The largest file or answer that can be a key, in bytes.
const MOST: u64 = 16 << 10;
/// How long a program that prints a key may take: it may ask a person.
const WAIT: Duration = Duration::from_secs(60);

/// The key, as it is written, if there is one.
///
/// # Errors
/// `no_model` where the file cannot be read or the program does not print it.
pub fn read(
    from: &KeyFrom,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<(Option<String>, Option<Warning>), Rejection> {
    match from {
        KeyFrom::Nowhere => Ok((None, None)),
        KeyFrom::Variable(_, value) => Ok((Some(value.clone()), None)),
        KeyFrom::File(path) => file(&at_home(path, env)).map(|(key, warning)| (Some(key), warning)),
        KeyFrom::Command(words) => command(words, WAIT).map(|key| (Some(key), None)),
    }
}

fn none(why: String) -> Rejection {
    Rejection::new(Code::NoModel, format!("the model's key cannot be read: {why}"))
}

fn at_home(path: &str, env: &dyn Fn(&str) -> Option<String>) -> PathBuf {
    match (path.strip_prefix("~/"), env("HOME")) {
        (Some(below), Some(home)) => Path::new(&home).join(below),
        _ => PathBuf::from(path),
    }
}

fn file(path: &Path) -> Result<(String, Option<Warning>), Rejection> {
    let failed = |why: String| none(format!("{}: {why}", path.display()));
    let meta = std::fs::metadata(path).map_err(|e| failed(e.to_string()))?;
    if !meta.is_file() || meta.len() > MOST {
        return Err(failed("it is no regular file of at most 16 KiB".into()));
    }
    let text = std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))?;
    let open = meta.permissions().mode() & 0o077 != 0;
    let warning = || {
        let message = format!("{} holds a key and others on this machine may open it; chmod 600 it", path.display());
        Warning::new(Code::Note, message)
    };
    Ok((text, open.then(warning)))
}

fn command(words: &[String], wait: Duration) -> Result<String, Rejection> {
    let Some((program, rest)) = words.split_first() else { return Err(none("model.key_command is empty".into())) };
    let failed = |why: String| none(format!("{program}: {why}"));
    // It stays in our process group and keeps our stderr: it may have to ask for a passphrase at the terminal.
    let mut child = Command::new(program)
        .args(rest)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| failed(e.to_string()))?;
    let out = child.stdout.take();
    let (send, heard) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = out.map_or(Ok(0), |out| out.take(MOST).read_to_end(&mut text));
        // Nobody listens any more when it took too long.
        let _ = send.send(read.map(|_| text));
    });
    let heard = heard.recv_timeout(wait);
    if heard.is_err() {
        let _ = child.kill();
    }
    let ended = child.wait().map_err(|e| failed(e.to_string()))?;
    let text = heard.map_err(|_| failed("it takes too long".into()))?.map_err(|e| failed(e.to_string()))?;
    match ended.success() {
        true => String::from_utf8(text).map_err(|_| failed("what it prints is no text".into())),
        false => Err(failed(format!("it failed ({ended})"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_file_that_others_may_open_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        fs_err::write(&path, "sk-1\n").unwrap();
        let env = |name: &str| (name == "HOME").then(|| dir.path().display().to_string());
        for (mode, told) in [(0o600, false), (0o640, true), (0o604, true)] {
            fs_err::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            let (key, warning) = read(&KeyFrom::File("~/key".into()), &env).unwrap();
            assert_eq!((key.as_deref(), warning.is_some()), (Some("sk-1\n"), told), "{mode:o}");
        }
        let missing = read(&KeyFrom::File("~/other".into()), &env).unwrap_err();
        assert_eq!(missing.code, Code::NoModel);
        assert!(!missing.message.contains("sk-1"));
    }

    #[test]
    fn a_program_prints_a_key_or_is_told_of() {
        assert_eq!(command(&words("echo sk-1"), WAIT).unwrap(), "sk-1\n");
        for (line, why) in [("false", "it failed"), ("no-such-program x", "No such file")] {
            let message = command(&words(line), WAIT).unwrap_err().message;
            assert!(message.contains(why), "{message}");
        }
        let slow = command(&words("sleep 60"), Duration::from_millis(20)).unwrap_err();
        assert!(slow.message.ends_with("it takes too long"), "{}", slow.message);
    }
}
