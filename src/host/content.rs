//! Content that comes by stdin or from a file named with `-F`.
//!
//! Never waits for ever on an open, silent pipe, and never asks a terminal.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;

use crate::code::{Code, Rejection};

/// The largest content, in bytes: what a file of a memory may hold.
pub const LIMIT: usize = 64 << 20;

/// How long a silent pipe is waited for, unless told otherwise.
pub const WAIT: Duration = Duration::from_secs(10);

/// The text of a file, or of stdin for `-` and for none.
///
/// # Errors
/// `usage` where stdin is a terminal, `empty_input` where nothing comes, `not_text`, `too_large`, `io`.
pub fn content(file: Option<&Path>, wait: Duration) -> Result<String, Rejection> {
    text(bytes(file, wait)?)
}

/// The same, whatever the bytes are.
///
/// # Errors
/// `usage` where stdin is a terminal, `empty_input` where nothing comes, `too_large`, `io`.
pub fn bytes(file: Option<&Path>, wait: Duration) -> Result<Vec<u8>, Rejection> {
    let named = file.filter(|f| f.as_os_str() != "-");
    match named {
        Some(path) => {
            // Opening a FIFO that nobody writes to would wait for ever.
            let flags = OFlags::NONBLOCK.bits() as i32;
            let file = File::options().read(true).custom_flags(flags).open(path);
            all(file.map_err(|e| unreadable(&path.display().to_string(), &e))?, wait)
        }
        None => stdin(wait),
    }
}

fn unreadable(what: &str, error: &std::io::Error) -> Rejection {
    match error.kind() {
        ErrorKind::NotFound => Rejection::new(Code::FileNotFound, format!("'{what}' does not exist")),
        _ => Rejection::new(Code::Io, format!("'{what}' cannot be read: {error}")),
    }
}

fn stdin(wait: Duration) -> Result<Vec<u8>, Rejection> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(Rejection::new(Code::Usage, "a text is due on stdin, and stdin is a terminal")
            .hint("pipe the text in, or name a file with -F"));
    }
    let file = match stdin.as_fd().try_clone_to_owned() {
        Ok(fd) => File::from(fd),
        Err(_) => return Err(empty()),
    };
    all(file, wait)
}

/// Reads to the end; `wait` bounds each silence.
fn all(mut file: File, wait: Duration) -> Result<Vec<u8>, Rejection> {
    let mut bytes = Vec::new();
    let mut block = [0; 64 << 10];
    loop {
        if !ready(&file, wait) {
            return Err(Rejection::new(Code::EmptyInput, "the input is open and sends nothing")
                .hint("pipe the text in, name a file with -F, or give it as an argument")
                .detail("waited_ms", wait.as_millis() as u64));
        }
        match file.read(&mut block) {
            Ok(0) => return Ok(bytes),
            Ok(n) if bytes.len() + n > LIMIT => {
                return Err(Rejection::new(Code::TooLarge, "the content is over 64 MiB"));
            }
            Ok(n) => bytes.extend_from_slice(&block[..n]),
            Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
            Err(e) => return Err(unreadable("the content", &e)),
        }
    }
}

/// Whether there is something to read (the end counts) within the time.
fn ready(file: &File, wait: Duration) -> bool {
    let timeout = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() };
    loop {
        let mut fds = [PollFd::new(file, PollFlags::IN)];
        match poll(&mut fds, Some(&timeout)) {
            Ok(n) => return n > 0,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return true,
        }
    }
}

fn empty() -> Rejection {
    Rejection::new(Code::EmptyInput, "a text is due, and nothing came")
        .hint("pipe the text in, name a file with -F, or give it as an argument")
}

fn text(bytes: Vec<u8>) -> Result<String, Rejection> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(empty());
    }
    if let Some(at) = memchr::memchr(0, &bytes) {
        return Err(Rejection::new(Code::NotText, format!("the content holds a NUL at byte {at}")));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Rejection::new(Code::NotText, format!("the content is not UTF-8 from byte {at}"))
    })
}

/// Writes a file that is no memory, where the user said.
///
/// # Errors
/// `io`.
pub fn save(path: &Path, text: &str) -> Result<(), Rejection> {
    fs_err::write(path, text).map_err(|e| Rejection::new(Code::Io, e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_text_and_not_nothing() {
        let code = |bytes: &[u8]| text(bytes.to_vec()).map_err(|r| r.code);
        assert_eq!(code(b" \n"), Err(Code::EmptyInput));
        assert_eq!(code(b"a\0b"), Err(Code::NotText));
        assert_eq!(code(b"a\xffb"), Err(Code::NotText));
        assert_eq!(code("tee 茶\n".as_bytes()), Ok("tee 茶\n".into()));
    }

    #[test]
    fn an_open_silent_pipe_is_not_waited_for() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(reader));
        assert_eq!(all(file, Duration::from_millis(1)).unwrap_err().code, Code::EmptyInput);
    }

    #[test]
    fn a_pipe_is_read_to_its_end() {
        use std::io::Write;
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"one\n").unwrap();
        drop(writer);
        let file = File::from(std::os::fd::OwnedFd::from(reader));
        assert_eq!(all(file, WAIT).unwrap(), b"one\n");
    }
}
