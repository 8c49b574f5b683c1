//! A local program as a model: the whole request goes to its stdin, its stdout is the reply.
//!
//! Never uses a shell, and never lets the program outlive the request. The program runs in a process group with a
//! watchdog; the group is killed when the program exits, when the deadline passes, and when memdir itself dies.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use super::{
    Deadline, ErrorKind, LlmError, Model, ModelConfig, ModelId, ModelReply, ModelRequest, StopReason, TokenUsage,
    host_fault, prompt,
};

/// Largest accepted stdout, in bytes.
const MAX_STDOUT_BYTES: usize = 8 << 20;
/// How much of stderr is kept for an error message, in bytes.
const MAX_STDERR_BYTES: usize = 64 << 10;
/// Longest single poll. The exit of the program is noticed within this time even if a child process keeps its pipes
/// open.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A model that is a local program.
pub struct ExecModel {
    id: ModelId,
    command: Vec<String>,
    variables: Vec<(String, String)>,
    timeout: Duration,
    hide_secrets: fn(&str) -> String,
}

impl ExecModel {
    /// Does not start the program; each call of `complete` starts it anew.
    pub fn new(config: &ModelConfig) -> ExecModel {
        let name = || config.command.first().map(|path| path.rsplit('/').next().unwrap_or(path).to_owned());
        let model = config.model.clone().or_else(name).unwrap_or_default();
        ExecModel {
            id: ModelId { provider: config.provider.clone(), model },
            command: config.command.clone(),
            variables: config.variables.clone(),
            timeout: config.timeout,
            hide_secrets: config.hide_secrets,
        }
    }
}

impl Model for ExecModel {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn complete(&self, request: &ModelRequest, deadline: Deadline) -> Result<ModelReply, LlmError> {
        if !request.tools.is_empty() {
            return Err(LlmError::new(ErrorKind::NoTools, "a program cannot use tools"));
        }
        let time_limit = Deadline::within(deadline.remaining().unwrap_or_default().min(self.timeout));
        let stdout = self.run_program(prompt::as_text(request).as_bytes(), time_limit)?;
        let text = String::from_utf8(stdout).map_err(|_| self.error("its output is not valid UTF-8"))?;
        if text.trim().is_empty() {
            Err(self.error("it printed nothing"))
        } else {
            Ok(ModelReply { text, calls: Vec::new(), stop: StopReason::End, usage: TokenUsage::default() })
        }
    }
}

impl ExecModel {
    fn error(&self, reason: &str) -> LlmError {
        let name = self.command.first().map_or("", String::as_str);
        let line = host_fault::visible_line(&format!("{name}: {reason}"));
        LlmError::new(ErrorKind::ProgramFailed, host_fault::truncated(&(self.hide_secrets)(&line)))
    }

    fn run_program(&self, stdin: &[u8], deadline: Deadline) -> Result<Vec<u8>, LlmError> {
        let group = ProcessGroup::start().map_err(|e| self.error(&e.to_string()))?;
        let Some((program, args)) = self.command.split_first() else { return Err(self.error("no program")) };
        let mut command = Command::new(program);
        command.args(args).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.process_group(group.group_id()).spawn().map_err(|e| self.error(&e.to_string()))?;
        let output = self.communicate(&mut child, stdin, deadline);
        // Kill the whole group, including background children of the program, on success and on failure.
        drop(group);
        child.wait().map_err(|e| self.error(&e.to_string()))?;
        let output = output?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(self.error(&exit_message(output.status, &output.stderr)))
        }
    }

    /// Feeds stdin and collects stdout and stderr until the program exits or the deadline passes.
    fn communicate(&self, child: &mut Child, stdin: &[u8], deadline: Deadline) -> Result<ProgramOutput, LlmError> {
        let io_error = |e: &dyn std::fmt::Display| self.error(&e.to_string());
        let mut stdin_pipe = child.stdin.take();
        let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
        let streams =
            [stdin_pipe.as_ref().map(AsFd::as_fd), out.as_ref().map(AsFd::as_fd), err.as_ref().map(AsFd::as_fd)];
        for fd in streams.into_iter().flatten() {
            rustix::io::ioctl_fionbio(fd, true).map_err(|e| io_error(&e))?;
        }
        let (mut unwritten, mut stdout, mut stderr) = (stdin, Vec::new(), Vec::new());
        loop {
            let Some(remaining) = deadline.remaining() else {
                let name = self.command.first().map_or("", String::as_str);
                return Err(LlmError::new(
                    ErrorKind::Timeout,
                    host_fault::error_line(&format!("{name} did not answer in time")),
                ));
            };
            // Check for the exit before reading: everything the program wrote before it exited is then in the pipes.
            let status = child.try_wait().map_err(|e| io_error(&e))?;
            write_stdin(&mut stdin_pipe, &mut unwritten);
            read_available(&mut out, &mut stdout, MAX_STDOUT_BYTES).map_err(|e| io_error(&e))?;
            read_available(&mut err, &mut stderr, MAX_STDERR_BYTES).map_err(|e| io_error(&e))?;
            if stdout.len() > MAX_STDOUT_BYTES {
                return Err(LlmError::new(ErrorKind::TooLarge, "the answer is larger than 8 MiB"));
            }
            if let Some(status) = status {
                return Ok(ProgramOutput { stdout, stderr, status });
            }
            poll_pipes(&stdin_pipe, &out, &err, remaining.min(POLL_INTERVAL)).map_err(|e| io_error(&e))?;
        }
    }
}

/// Exit status and collected output of the program.
struct ProgramOutput {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    status: ExitStatus,
}

fn exit_message(status: ExitStatus, stderr_bytes: &[u8]) -> String {
    let stderr = String::from_utf8_lossy(stderr_bytes);
    let first_line = stderr.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no error message");
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}: {first_line}"),
        (None, signal) => format!("terminated by signal {}: {first_line}", signal.unwrap_or_default()),
    }
}

/// Writes as much as the pipe takes without blocking. Closes it after the last byte, or when the program stops reading.
fn write_stdin(pipe: &mut Option<ChildStdin>, unwritten: &mut &[u8]) {
    while let Some(open) = pipe {
        match open.write(unwritten) {
            Ok(n) => *unwritten = &unwritten[n..],
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => return,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => *unwritten = &[],
        }
        if unwritten.is_empty() {
            *pipe = None;
        }
    }
}

/// Reads what is available. Keeps up to one block more than `most` bytes and discards the rest, so that the program
/// never blocks on a full pipe.
fn read_available(stream: &mut Option<impl Read>, output: &mut Vec<u8>, max_bytes: usize) -> std::io::Result<()> {
    let mut block = [0; 32 << 10];
    while let Some(open) = stream {
        match open.read(&mut block) {
            Ok(0) => *stream = None,
            Ok(n) if output.len() <= max_bytes => output.extend_from_slice(&block[..n]),
            Ok(_) => return Ok(()),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

fn poll_pipes(
    pipe: &Option<impl AsFd>,
    out: &Option<impl AsFd>,
    err: &Option<impl AsFd>,
    time: Duration,
) -> rustix::io::Result<()> {
    let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(3);
    fds.extend(pipe.iter().map(|fd| PollFd::new(fd, PollFlags::OUT)));
    fds.extend(out.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
    fds.extend(err.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
    let timeout = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
    match poll(&mut fds, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(e) => Err(e),
    }
}

/// A process group that lives as long as this value. Its leader is a shell that reads from our pipe: when the pipe
/// closes, even because memdir was killed, it kills the group.
struct ProcessGroup {
    leader: Child,
}

impl ProcessGroup {
    fn start() -> std::io::Result<ProcessGroup> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "read -r _; kill -s KILL 0"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(ProcessGroup { leader: command.process_group(0).spawn()? })
    }

    fn group_id(&self) -> i32 {
        self.leader.id().try_into().unwrap_or(0)
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // The leader has not been waited for yet, so its process id cannot have been reused.
        let _ = kill_process_group(Pid::from_child(&self.leader), Signal::KILL);
        let _ = self.leader.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(words: &[&str], seconds: f64) -> Result<ModelReply, LlmError> {
        let command = words.iter().map(|w| (*w).to_owned()).collect();
        let timeout = Duration::from_secs_f64(seconds);
        let program = ExecModel {
            id: ModelId { provider: "exec".into(), model: "m".into() },
            command,
            variables: vec![("MEMDIR_INSIDE".into(), "1".into())],
            timeout,
            hide_secrets: str::to_owned,
        };
        let messages = vec![super::super::ChatMessage::User("hello".into())];
        program
            .complete(&ModelRequest { messages, ..ModelRequest::default() }, Deadline::within(Duration::from_secs(60)))
    }

    fn error_of(words: &[&str], seconds: f64) -> (ErrorKind, String) {
        let trouble = ask(words, seconds).unwrap_err();
        (trouble.kind, trouble.message)
    }

    #[test]
    fn a_program_reads_the_prompt_and_replies() {
        assert_eq!(ask(&["cat"], 20.0).unwrap().text, "hello\n");
        assert_eq!(ask(&["sh", "-c", "echo $MEMDIR_INSIDE"], 20.0).unwrap().text, "1\n");
        // A program may ignore its stdin.
        assert_eq!(ask(&["echo", "$HOME"], 20.0).unwrap().text, "$HOME\n");
    }

    #[test]
    fn a_long_prompt_and_a_long_reply_do_not_deadlock() {
        let program = ExecModel {
            id: ModelId { provider: "exec".into(), model: "m".into() },
            command: vec!["cat".into()],
            variables: Vec::new(),
            timeout: Duration::from_secs(60),
            hide_secrets: str::to_owned,
        };
        let long = "more than a pipe holds ".repeat(100_000);
        let messages = vec![super::super::ChatMessage::User(long.clone())];
        let request = ModelRequest { messages, ..ModelRequest::default() };
        let reply = program.complete(&request, Deadline::within(Duration::from_secs(60))).unwrap();
        assert_eq!(reply.text.trim_end(), long.trim_end());
    }

    #[test]
    fn a_failure_is_reported_in_one_line() {
        let line = "echo 'no login\u{7}' >&2; echo more >&2; exit 3";
        assert_eq!(error_of(&["sh", "-c", line], 20.0), (ErrorKind::ProgramFailed, "sh: exit 3: no login".into()));
        assert_eq!(error_of(&["sh", "-c", "kill -9 $$"], 20.0).1, "sh: terminated by signal 9: no error message");
        assert_eq!(error_of(&["true"], 20.0).1, "true: it printed nothing");
        assert_eq!(error_of(&["printf", "\\377"], 20.0).1, "printf: its output is not valid UTF-8");
        assert!(error_of(&["./no such program"], 20.0).1.contains("No such file"));
    }

    #[test]
    fn an_endless_answer_is_cut() {
        assert_eq!(error_of(&["yes"], 60.0).0, ErrorKind::TooLarge);
    }

    #[test]
    fn the_deadline_holds_even_if_children_keep_the_pipes_open() {
        let began = std::time::Instant::now();
        assert_eq!(
            error_of(&["sh", "-c", "sleep 60 & sleep 60"], 0.1),
            (ErrorKind::Timeout, "sh did not answer in time".into())
        );
        assert_eq!(ask(&["sh", "-c", "sleep 60 & echo done"], 20.0).unwrap().text, "done\n");
        assert!(began.elapsed() < Duration::from_secs(10));
    }
}
