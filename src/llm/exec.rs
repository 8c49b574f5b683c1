//! A program that answers: the whole question on its stdin, its words on stdout.
//!
//! Never goes through a shell, never lets the program outlive the question: it runs in a process group with a watchdog,
//! and the group is ended with the answer, with the deadline, and when memdir itself dies, however it dies.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use super::{Choice, Deadline, Model, Reply, Request, Stop, Trouble, Usage, What, Who, prompt};

/// The most that a program may answer, in bytes.
const MOST: usize = 8 << 20;
/// The most of its complaints that is kept, in bytes.
const TALK: usize = 64 << 10;
/// How long one wait lasts at most: a program that ended is noticed then, whoever still holds its streams.
const NAP: Duration = Duration::from_millis(50);

/// The program of a choice.
pub struct Program {
    who: Who,
    command: Vec<String>,
    variables: Vec<(String, String)>,
    timeout: Duration,
}

impl Program {
    /// A program that is not started before it is asked.
    pub fn new(choice: &Choice) -> Program {
        let name = || choice.command.first().map(|path| path.rsplit('/').next().unwrap_or(path).to_owned());
        let model = choice.model.clone().or_else(name).unwrap_or_default();
        Program {
            who: Who { provider: choice.provider.clone(), model },
            command: choice.command.clone(),
            variables: choice.variables.clone(),
            timeout: choice.timeout,
        }
    }
}

impl Model for Program {
    fn who(&self) -> &Who {
        &self.who
    }

    fn ask(&self, request: &Request, deadline: Deadline) -> Result<Reply, Trouble> {
        if !request.tools.is_empty() {
            return Err(Trouble::new(What::NoTools, "a program cannot be given tools"));
        }
        let within = Deadline::within(deadline.left().unwrap_or_default().min(self.timeout));
        let heard = self.run(prompt::flat(request).as_bytes(), within)?;
        let text = String::from_utf8(heard).map_err(|_| self.failed("what it prints is no UTF-8"))?;
        match text.trim().is_empty() {
            true => Err(self.failed("it printed nothing")),
            false => Ok(Reply { text, calls: Vec::new(), stop: Stop::End, usage: Usage::default() }),
        }
    }
}

impl Program {
    fn failed(&self, why: &str) -> Trouble {
        let name = self.command.first().map_or("", String::as_str);
        Trouble::new(What::Program, super::fault::sentence(&format!("{name}: {why}")))
    }

    fn run(&self, stdin: &[u8], deadline: Deadline) -> Result<Vec<u8>, Trouble> {
        let watched = Watched::start().map_err(|e| self.failed(&e.to_string()))?;
        let Some((program, rest)) = self.command.split_first() else { return Err(self.failed("no program")) };
        let mut command = Command::new(program);
        command.args(rest).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.process_group(watched.group()).spawn().map_err(|e| self.failed(&e.to_string()))?;
        let heard = self.listen(&mut child, stdin, deadline);
        // Nobody of the group is left behind, whatever came of it.
        drop(watched);
        child.wait().map_err(|e| self.failed(&e.to_string()))?;
        let ended = heard?;
        match ended.status.success() {
            true => Ok(ended.out),
            false => Err(self.failed(&complaint(ended.status, &ended.talk))),
        }
    }

    /// Hears it to its end.
    fn listen(&self, child: &mut Child, stdin: &[u8], deadline: Deadline) -> Result<Ended, Trouble> {
        let broken = |e: &dyn std::fmt::Display| self.failed(&e.to_string());
        let mut pipe = child.stdin.take();
        let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
        let streams = [pipe.as_ref().map(AsFd::as_fd), out.as_ref().map(AsFd::as_fd), err.as_ref().map(AsFd::as_fd)];
        for fd in streams.into_iter().flatten() {
            rustix::io::ioctl_fionbio(fd, true).map_err(|e| broken(&e))?;
        }
        let (mut left, mut heard, mut talk) = (stdin, Vec::new(), Vec::new());
        loop {
            let Some(time) = deadline.left() else {
                let name = self.command.first().map_or("", String::as_str);
                return Err(Trouble::new(
                    What::Timeout,
                    super::fault::sentence(&format!("{name} did not answer in time")),
                ));
            };
            // Its end is looked at before its streams: what it wrote until then is there to be read.
            let ended = child.try_wait().map_err(|e| broken(&e))?;
            feed(&mut pipe, &mut left);
            hear(&mut out, &mut heard, MOST).map_err(|e| broken(&e))?;
            hear(&mut err, &mut talk, TALK).map_err(|e| broken(&e))?;
            if heard.len() > MOST {
                return Err(Trouble::new(What::TooLarge, "the answer is larger than 8 MiB"));
            }
            if let Some(status) = ended {
                return Ok(Ended { out: heard, talk, status });
            }
            wait(&pipe, &out, &err, time.min(NAP)).map_err(|e| broken(&e))?;
        }
    }
}

/// A program that came to its end.
struct Ended {
    out: Vec<u8>,
    talk: Vec<u8>,
    status: ExitStatus,
}

fn complaint(status: ExitStatus, talk: &[u8]) -> String {
    let talk = String::from_utf8_lossy(talk);
    let first = talk.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it said nothing");
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}: {first}"),
        (None, signal) => format!("ended by signal {}: {first}", signal.unwrap_or_default()),
    }
}

/// Writes what the program takes without waiting; closes its stdin after the last byte, or when it wants no more.
fn feed(pipe: &mut Option<ChildStdin>, left: &mut &[u8]) {
    while let Some(open) = pipe {
        match open.write(left) {
            Ok(n) => *left = &left[n..],
            Err(e) if e.kind() == ErrorKind::WouldBlock => return,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(_) => *left = &[],
        }
        if left.is_empty() {
            *pipe = None;
        }
    }
}

/// Reads what a stream has, a little beyond a bound at most; what comes then is thrown away.
fn hear(stream: &mut Option<impl Read>, heard: &mut Vec<u8>, most: usize) -> std::io::Result<()> {
    let mut block = [0; 32 << 10];
    while let Some(open) = stream {
        match open.read(&mut block) {
            Ok(0) => *stream = None,
            Ok(n) if heard.len() <= most => heard.extend_from_slice(&block[..n]),
            Ok(_) => return Ok(()),
            Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(()),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

fn wait(
    pipe: &Option<impl AsFd>,
    out: &Option<impl AsFd>,
    err: &Option<impl AsFd>,
    time: Duration,
) -> rustix::io::Result<()> {
    let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(3);
    fds.extend(pipe.iter().map(|fd| PollFd::new(fd, PollFlags::OUT)));
    fds.extend(out.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
    fds.extend(err.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
    match poll(&mut fds, Some(&time)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(e) => Err(e),
    }
}

/// A process group that lives as long as this value: its leader waits for our end of a pipe to close, and then ends all.
struct Watched {
    leader: Child,
}

impl Watched {
    fn start() -> std::io::Result<Watched> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "read -r _; kill -s KILL 0"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Watched { leader: command.process_group(0).spawn()? })
    }

    fn group(&self) -> i32 {
        self.leader.id().try_into().unwrap_or(0)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // The leader is not waited for yet, so its number is nobody else's.
        let _ = kill_process_group(Pid::from_child(&self.leader), Signal::KILL);
        let _ = self.leader.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(words: &[&str], seconds: f64) -> Result<Reply, Trouble> {
        let command = words.iter().map(|w| (*w).to_owned()).collect();
        let timeout = Duration::from_secs_f64(seconds);
        let program = Program {
            who: Who { provider: "exec".into(), model: "m".into() },
            command,
            variables: vec![("MEMDIR_INSIDE".into(), "1".into())],
            timeout,
        };
        let messages = vec![super::super::Message::User("hello".into())];
        program.ask(&Request { messages, ..Request::default() }, Deadline::within(Duration::from_secs(60)))
    }

    fn trouble(words: &[&str], seconds: f64) -> (What, String) {
        let trouble = ask(words, seconds).unwrap_err();
        (trouble.what, trouble.message)
    }

    #[test]
    fn a_program_hears_the_question_and_answers() {
        assert_eq!(ask(&["cat"], 20.0).unwrap().text, "hello\n");
        assert_eq!(ask(&["sh", "-c", "echo $MEMDIR_INSIDE"], 20.0).unwrap().text, "1\n");
        // It need not read the question.
        assert_eq!(ask(&["echo", "$HOME"], 20.0).unwrap().text, "$HOME\n");
    }

    #[test]
    fn what_goes_wrong_is_told_in_one_line() {
        let line = "echo 'no login\u{7}' >&2; echo more >&2; exit 3";
        assert_eq!(trouble(&["sh", "-c", line], 20.0), (What::Program, "sh: exit 3: no login".into()));
        assert_eq!(trouble(&["sh", "-c", "kill -9 $$"], 20.0).1, "sh: ended by signal 9: it said nothing");
        assert_eq!(trouble(&["true"], 20.0).1, "true: it printed nothing");
        assert_eq!(trouble(&["printf", "\\377"], 20.0).1, "printf: what it prints is no UTF-8");
        assert!(trouble(&["./no such program"], 20.0).1.contains("No such file"));
    }

    #[test]
    fn an_endless_answer_is_cut() {
        assert_eq!(trouble(&["yes"], 60.0).0, What::TooLarge);
    }

    #[test]
    fn nobody_waits_beyond_the_deadline_nor_for_children_that_hold_the_streams() {
        let began = std::time::Instant::now();
        assert_eq!(
            trouble(&["sh", "-c", "sleep 60 & sleep 60"], 0.1),
            (What::Timeout, "sh did not answer in time".into())
        );
        assert_eq!(ask(&["sh", "-c", "sleep 60 & echo done"], 20.0).unwrap().text, "done\n");
        assert!(began.elapsed() < Duration::from_secs(10));
    }
}
