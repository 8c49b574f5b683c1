//! Reads content from stdin or from a file given with `-F`.
//!
//! Never waits forever for an open but silent pipe, and never reads from a terminal.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;

use crate::code::{Code, Rejection};
use crate::document::{MAX_FILE_BYTES, MAX_FILE_SIZE};

/// Default time to wait for a silent pipe.
pub const DEFAULT_WAIT: Duration = Duration::from_secs(10);

/// Reads the text of a file, or of stdin if `file` is `-` or `None`.
///
/// # Errors
/// `usage` if stdin is a terminal, `empty_input` if there is no text, `not_text`, `too_large`, `io`.
pub fn read_text(file: Option<&Path>, wait: Duration) -> Result<String, Rejection> {
    decode_text(read_bytes(file, wait)?)
}

/// Reads the bytes of a file, or of stdin if `file` is `-` or `None`.
///
/// # Errors
/// `usage` if stdin is a terminal, `empty_input` if a pipe stays silent, `too_large`, `io`.
pub fn read_bytes(file: Option<&Path>, wait: Duration) -> Result<Vec<u8>, Rejection> {
    let file_path = file.filter(|f| f.as_os_str() != "-");
    match file_path {
        Some(path) => {
            // Without `O_NONBLOCK`, opening a FIFO that has no writer would block forever.
            let flags = OFlags::NONBLOCK.bits() as i32;
            let file = File::options().read(true).custom_flags(flags).open(path);
            read_to_end(file.map_err(|e| read_error(&path.display().to_string(), &e))?, wait)
        }
        None => read_stdin(wait),
    }
}

fn read_error(name: &str, error: &std::io::Error) -> Rejection {
    match error.kind() {
        ErrorKind::NotFound => Rejection::new(Code::FileNotFound, format!("'{name}' does not exist")),
        _ => Rejection::new(Code::Io, format!("'{name}' cannot be read: {error}")),
    }
}

fn read_stdin(wait: Duration) -> Result<Vec<u8>, Rejection> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(Rejection::new(Code::Usage, "no text given: stdin is a terminal")
            .hint("pipe the text in, or name a file with -F"));
    }
    let file = match stdin.as_fd().try_clone_to_owned() {
        Ok(fd) => File::from(fd),
        Err(_) => return Err(no_text_error()),
    };
    read_to_end(file, wait)
}

/// Where the text of a command may come from. Only `add` and `update` take it as an argument.
const TEXT_HINT: &str = "pipe the text in, or name a file with -F; `add` and `update` also take it as an argument";

/// Reads to the end; `wait` limits each pause between two reads.
fn read_to_end(mut file: File, wait: Duration) -> Result<Vec<u8>, Rejection> {
    let mut bytes = Vec::new();
    let mut block = [0; 64 << 10];
    loop {
        if !wait_readable(&file, wait) {
            return Err(Rejection::new(Code::EmptyInput, "no text received: the input is open but silent")
                .hint(TEXT_HINT)
                .detail("waited_ms", wait.as_millis() as u64));
        }
        match file.read(&mut block) {
            Ok(0) => return Ok(bytes),
            Ok(n) if bytes.len() + n > MAX_FILE_BYTES => {
                return Err(Rejection::new(Code::TooLarge, format!("the content is larger than {MAX_FILE_SIZE}")));
            }
            Ok(n) => bytes.extend_from_slice(&block[..n]),
            Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
            Err(e) => return Err(read_error("the content", &e)),
        }
    }
}

/// How much is read and dropped beyond a limit, as a multiple of it: the program that writes it is not to fail.
const DROPPED: usize = 15;

/// Reads what a program wrote to stdin: its first `limit` bytes, within `wait` altogether. A program that keeps its end
/// open is not waited for any longer. Empty if stdin is a terminal or cannot be read.
pub fn read_stdin_within(wait: Duration, limit: usize) -> Vec<u8> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Vec::new();
    }
    stdin.as_fd().try_clone_to_owned().map_or_else(|_| Vec::new(), |fd| read_within(File::from(fd), wait, limit))
}

fn read_within(mut file: File, wait: Duration, limit: usize) -> Vec<u8> {
    let (begun, mut bytes, mut block) = (Instant::now(), Vec::new(), [0; 64 << 10]);
    let mut dropped = 0;
    while dropped < limit.saturating_mul(DROPPED) {
        let left = wait.saturating_sub(begun.elapsed());
        if left.is_zero() || !wait_readable(&file, left) {
            break;
        }
        match file.read(&mut block) {
            Ok(0) => break,
            Ok(n) if bytes.len() >= limit => dropped += n,
            Ok(n) => bytes.extend_from_slice(&block[..n]),
            Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
            Err(_) => break,
        }
    }
    bytes.truncate(limit);
    bytes
}

/// Whether the file has something to read (its end counts) within `wait`.
fn wait_readable(file: &File, wait: Duration) -> bool {
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

fn no_text_error() -> Rejection {
    Rejection::new(Code::EmptyInput, "no text given").hint(TEXT_HINT)
}

fn decode_text(bytes: Vec<u8>) -> Result<String, Rejection> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(no_text_error());
    }
    if let Some(at) = memchr::memchr(0, &bytes) {
        return Err(Rejection::new(Code::NotText, format!("the content contains a NUL at byte {at}")));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Rejection::new(Code::NotText, format!("the content is not UTF-8 at byte {at}"))
    })
}

/// Writes a file outside the data directory to a path that the user named.
///
/// # Errors
/// `io`.
pub fn write_file(path: &Path, text: &str) -> Result<(), Rejection> {
    fs_err::write(path, text).map_err(|e| Rejection::new(Code::Io, e.to_string()))
}

/// Creates a folder outside the data directory at a path that the user named, unless it is there.
///
/// # Errors
/// `io`.
pub fn create_folder(path: &Path) -> Result<(), Rejection> {
    fs_err::create_dir_all(path)
        .map_err(|e| Rejection::new(Code::Io, format!("'{}' cannot be created: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_must_be_nonempty_text() {
        let code = |bytes: &[u8]| decode_text(bytes.to_vec()).map_err(|r| r.code);
        assert_eq!(code(b" \n"), Err(Code::EmptyInput));
        assert_eq!(code(b"a\0b"), Err(Code::NotText));
        assert_eq!(code(b"a\xffb"), Err(Code::NotText));
        assert_eq!(code("tee 茶\n".as_bytes()), Ok("tee 茶\n".into()));
    }

    #[test]
    fn an_open_silent_pipe_is_not_waited_for() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(reader));
        assert_eq!(read_to_end(file, Duration::from_millis(1)).unwrap_err().code, Code::EmptyInput);
    }

    #[test]
    fn what_came_within_the_time_counts_although_the_pipe_stays_open() {
        use std::io::Write;
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"{\"a\":1}").unwrap();
        let file = || File::from(std::os::fd::OwnedFd::from(reader.try_clone().unwrap()));
        assert_eq!(read_within(file(), Duration::from_millis(1), 100), b"{\"a\":1}");
        writer.write_all(&[b'x'; 1000]).unwrap();
        assert_eq!(read_within(file(), DEFAULT_WAIT, 100), [b'x'; 100]);
    }

    #[test]
    fn a_pipe_is_read_to_its_end() {
        use std::io::Write;
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"one\n").unwrap();
        drop(writer);
        let file = File::from(std::os::fd::OwnedFd::from(reader));
        assert_eq!(read_to_end(file, DEFAULT_WAIT).unwrap(), b"one\n");
    }
}
