//! Reads an API key from the source that the user config names.
//!
//! Never stores or prints a key, and never takes one from a data directory.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::models::KeySource;
use crate::code::{Code, Rejection, Warning};

/// Maximum size of a key file or of a key command's output, in bytes.
const MAX_KEY_BYTES: u64 = 16 << 10;
/// Timeout of the key command. It is long because the command may ask a person for a passphrase.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the key as written, if there is one.
///
/// # Errors
/// `no_model` if the file cannot be read or the command fails.
pub fn read(
    from: &KeySource,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<(Option<String>, Option<Warning>), Rejection> {
    read_within(from, env, COMMAND_TIMEOUT)
}

/// The same; a key command that takes longer than `wait` is killed.
///
/// # Errors
/// As [`read`].
pub fn read_within(
    from: &KeySource,
    env: &dyn Fn(&str) -> Option<String>,
    wait: Duration,
) -> Result<(Option<String>, Option<Warning>), Rejection> {
    match from {
        KeySource::Missing => Ok((None, None)),
        KeySource::Variable(_, value) => Ok((Some(value.clone()), None)),
        KeySource::File(path) => key_from_file(&expand_home(path, env)).map(|(key, warning)| (Some(key), warning)),
        KeySource::Command(words) => key_from_command(words, wait).map(|key| (Some(key), None)),
    }
}

fn key_error(why: String) -> Rejection {
    Rejection::new(Code::NoModel, format!("cannot read the model's API key: {why}"))
}

fn expand_home(path: &str, env: &dyn Fn(&str) -> Option<String>) -> PathBuf {
    match (path.strip_prefix("~/"), env("HOME")) {
        (Some(below), Some(home)) => Path::new(&home).join(below),
        _ => PathBuf::from(path),
    }
}

fn key_from_file(path: &Path) -> Result<(String, Option<Warning>), Rejection> {
    let failed = |why: String| key_error(format!("{}: {why}", path.display()));
    let meta = std::fs::metadata(path).map_err(|e| failed(e.to_string()))?;
    if !meta.is_file() || meta.len() > MAX_KEY_BYTES {
        return Err(failed("not a regular file of at most 16 KiB".into()));
    }
    let text = std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))?;
    let open_to_others = meta.permissions().mode() & 0o077 != 0;
    let warning = || {
        let message = format!("{} holds an API key and is open to other users; chmod 600 it", path.display());
        Warning::new(Code::Note, message)
    };
    Ok((text, open_to_others.then(warning)))
}

fn key_from_command(words: &[String], wait: Duration) -> Result<String, Rejection> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(key_error("model.key_command is empty".into()));
    };
    let failed = |why: String| key_error(format!("{program}: {why}"));
    // The command stays in our process group and keeps our stderr, because it may ask for a passphrase at the terminal.
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| failed(e.to_string()))?;
    let out = child.stdout.take();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = out.map_or(Ok(0), |out| out.take(MAX_KEY_BYTES).read_to_end(&mut text));
        // After a timeout there is no receiver.
        let _ = sender.send(read.map(|_| text));
    });
    let received = receiver.recv_timeout(wait);
    if received.is_err() {
        let _ = child.kill();
    }
    let exit_status = child.wait().map_err(|e| failed(e.to_string()))?;
    let text = received
        .map_err(|_| failed(format!("printed no key within {} ms; key_file is faster", wait.as_millis())))?
        .map_err(|e| failed(e.to_string()))?;
    match exit_status.success() {
        true => String::from_utf8(text).map_err(|_| failed("its output is not UTF-8".into())),
        false => Err(failed(format!("failed ({exit_status})"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_key_file_open_to_others_gives_a_warning() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        fs_err::write(&path, "sk-1\n").unwrap();
        let env = |name: &str| (name == "HOME").then(|| dir.path().display().to_string());
        for (mode, warns) in [(0o600, false), (0o640, true), (0o604, true)] {
            fs_err::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            let (key, warning) = read(&KeySource::File("~/key".into()), &env).unwrap();
            assert_eq!((key.as_deref(), warning.is_some()), (Some("sk-1\n"), warns), "{mode:o}");
        }
        let missing = read(&KeySource::File("~/other".into()), &env).unwrap_err();
        assert_eq!(missing.code, Code::NoModel);
        assert!(!missing.message.contains("sk-1"));
    }

    #[test]
    fn a_program_prints_a_key_or_gives_an_error() {
        assert_eq!(key_from_command(&words("echo sk-1"), COMMAND_TIMEOUT).unwrap(), "sk-1\n");
        for (line, why) in [("false", "failed ("), ("no-such-program x", "No such file")] {
            let message = key_from_command(&words(line), COMMAND_TIMEOUT).unwrap_err().message;
            assert!(message.contains(why), "{message}");
        }
        let slow = key_from_command(&words("sleep 60"), Duration::from_millis(20)).unwrap_err();
        assert!(slow.message.contains("printed no key within 20 ms"), "{}", slow.message);
    }
}
