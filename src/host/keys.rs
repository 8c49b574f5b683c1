//! Reads an API key from the source that the user config names.
//!
//! Never stores or prints a key, and never takes one from a data directory.

use std::io::{IsTerminal, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::EnvLookup;
use super::models::KeySource;
use crate::code::{Code, Rejection, Warning};
use crate::text::one_line::collapse_whitespace;

/// Maximum size of a key file or of a key command's output, in bytes.
const MAX_KEY_BYTES: u64 = 16 << 10;
/// Timeout of the key command. It is long because the command may ask a person for a passphrase.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

/// The longest that is waited for the messages of a key command that has ended: a program that it started may keep them
/// open.
const MESSAGE_TIMEOUT: Duration = Duration::from_millis(100);
/// How many characters of the messages of a key command are shown.
const MAX_MESSAGE_CHARS: usize = 300;

/// Returns the key as written, if there is one; `hide_secrets` removes keys from what a key command says.
///
/// # Errors
/// `no_model` if the file cannot be read or the command fails.
pub fn read(
    from: &KeySource,
    env: EnvLookup<'_>,
    hide_secrets: fn(&str) -> String,
) -> Result<(Option<String>, Option<Warning>), Rejection> {
    read_within(from, env, COMMAND_TIMEOUT, hide_secrets)
}

/// The same; a key command that takes longer than `wait` is killed.
///
/// # Errors
/// As [`read`].
pub fn read_within(
    from: &KeySource,
    env: EnvLookup<'_>,
    wait: Duration,
    hide_secrets: fn(&str) -> String,
) -> Result<(Option<String>, Option<Warning>), Rejection> {
    match from {
        KeySource::Missing => Ok((None, None)),
        KeySource::Variable(_, value) => Ok((Some(value.clone()), None)),
        KeySource::File(path) => key_from_file(&expand_home(path, env)).map(|(key, warning)| (Some(key), warning)),
        KeySource::Command(words) => key_from_command(words, wait, hide_secrets).map(|(key, said)| (Some(key), said)),
    }
}

fn key_error(reason: String) -> Rejection {
    Rejection::new(Code::NoModel, format!("cannot read the model's API key: {reason}"))
}

fn expand_home(path: &str, env: EnvLookup<'_>) -> PathBuf {
    match (path.strip_prefix("~/"), env("HOME")) {
        (Some(below), Some(home)) => Path::new(&home).join(below),
        _ => PathBuf::from(path),
    }
}

fn key_from_file(path: &Path) -> Result<(String, Option<Warning>), Rejection> {
    let failed = |reason: String| key_error(format!("{}: {reason}", path.display()));
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

fn key_from_command(
    words: &[String],
    wait: Duration,
    hide_secrets: fn(&str) -> String,
) -> Result<(String, Option<Warning>), Rejection> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(key_error("model.key_command is empty".into()));
    };
    let failed = |reason: String| key_error(format!("{program}: {reason}"));
    // The command stays in our process group and keeps our terminal, because it may ask for a passphrase there.
    let keeps_stderr = std::io::stderr().is_terminal();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(if keeps_stderr { Stdio::inherit() } else { Stdio::piped() })
        .spawn()
        .map_err(|e| failed(e.to_string()))?;
    let receiver = read_in_thread(child.stdout.take());
    let messages = read_in_thread(child.stderr.take());
    let received = receiver.recv_timeout(wait);
    if received.is_err() {
        let _ = child.kill();
    }
    let exit_status = child.wait().map_err(|e| failed(e.to_string()))?;
    let text = received
        .map_err(|_| failed(format!("printed no key within {} ms; key_file is faster", wait.as_millis())))?
        .map_err(|e| failed(e.to_string()))?;
    let key = String::from_utf8(text).map_err(|_| failed("its output is not UTF-8".into()))?;
    let said = messages.recv_timeout(MESSAGE_TIMEOUT).ok().and_then(Result::ok).unwrap_or_default();
    let mut said = collapse_whitespace(&String::from_utf8_lossy(&said));
    if !key.trim().is_empty() {
        said = said.replace(key.trim(), "…");
    }
    let said: String = hide_secrets(&said).chars().filter(|c| !c.is_control()).take(MAX_MESSAGE_CHARS).collect();
    match exit_status.success() {
        true => Ok((key, (!said.is_empty()).then(|| Warning::new(Code::Note, format!("{program}: {said}"))))),
        false if said.is_empty() => Err(failed(format!("failed ({exit_status})"))),
        false => Err(failed(format!("failed ({exit_status}): {said}"))),
    }
}

/// Reads a pipe in a thread of its own, as far as a key may go.
fn read_in_thread(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<std::io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let Some(mut pipe) = pipe else { return };
        let read = pipe.by_ref().take(MAX_KEY_BYTES).read_to_end(&mut text);
        // After a timeout there is no receiver.
        let _ = sender.send(read.map(|_| text));
        // A program that says more must not be stopped by a closed pipe.
        drop(std::io::copy(&mut pipe, &mut std::io::sink()));
    });
    receiver
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
            let (key, warning) = read(&KeySource::File("~/key".into()), &env, str::to_owned).unwrap();
            assert_eq!((key.as_deref(), warning.is_some()), (Some("sk-1\n"), warns), "{mode:o}");
        }
        let missing = read(&KeySource::File("~/other".into()), &env, str::to_owned).unwrap_err();
        assert_eq!(missing.code, Code::NoModel);
        assert!(!missing.message.contains("sk-1"));
    }

    #[test]
    fn a_program_prints_a_key_or_gives_an_error() {
        assert_eq!(key_from_command(&words("echo sk-1"), COMMAND_TIMEOUT, str::to_owned).unwrap().0, "sk-1\n");
        for (line, part) in [("false", "failed ("), ("no-such-program x", "No such file")] {
            let message = key_from_command(&words(line), COMMAND_TIMEOUT, str::to_owned).unwrap_err().message;
            assert!(message.contains(part), "{message}");
        }
        let slow = key_from_command(&words("sleep 60"), Duration::from_millis(20), str::to_owned).unwrap_err();
        assert!(slow.message.contains("printed no key within 20 ms"), "{}", slow.message);
    }

    #[test]
    fn what_a_key_command_says_is_shown_without_keys() {
        let hide = |text: &str| text.replace("ghp_hidden", "[redacted]");
        let run = |script: &str| {
            key_from_command(&["sh".to_owned(), "-c".to_owned(), script.to_owned()], COMMAND_TIMEOUT, hide)
        };
        let (key, said) = run("echo sk-12345; echo 'old key sk-12345, ghp_hidden' >&2").unwrap();
        assert_eq!((key.as_str(), said.unwrap().message.as_str()), ("sk-12345\n", "sh: old key …, [redacted]"));
        let failed = run("echo 'no access with ghp_hidden' >&2; exit 3").unwrap_err().message;
        assert!(failed.ends_with("): no access with [redacted]"), "{failed}");
        // A program that writes much is not stopped.
        let (key, _) = run("yes x | head -c 300000 >&2; echo sk-12345").unwrap();
        assert_eq!(key, "sk-12345\n");
    }
}
