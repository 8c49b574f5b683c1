//! The measurement of `benches/clones.rs`: a hub behind a server on the loopback device, clones that write and sync at
//! once, and what each of them met.
//!
//! Never reaches another machine, and leaves no process behind.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use fs_err as fs;

/// Files that all clones write to.
const FILES: usize = 16;
/// Tries to start a server: another process may take its port first.
const STARTS: usize = 5;
/// How long a server may take to listen.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// The columns of [`Figures::row`].
pub const HEAD: &str = "seconds\tbullets merged a second\tms a bullet\tprocessor, ms a bullet\tsyncs\tlost races\tmost of one sync\tlongest sync, s\t\
                        first clone done, s\tlast, s\tlost races of a clone: fewest\tmost\tgave up\tnot there once";

/// A program that serves git repositories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// `git daemon`.
    Daemon,
    /// `git http-backend` behind lighttpd.
    Http,
}

impl Server {
    pub fn name(self) -> &'static str {
        match self {
            Server::Daemon => "daemon",
            Server::Http => "http",
        }
    }

    /// Whether the programs are on this machine.
    pub fn is_installed(self) -> bool {
        match self {
            Server::Daemon => git_program("git-daemon").exists(),
            Server::Http => lighttpd().exists() && git_program("git-http-backend").exists(),
        }
    }

    fn command(self, root: &Path, port: u16) -> Command {
        match self {
            Server::Daemon => {
                let mut command = Command::new(git_program("git-daemon"));
                // Its default limit, 32, would refuse clones.
                command.args(["--listen=127.0.0.1", "--max-connections=0", "--export-all", "--enable=receive-pack"]);
                command.arg(format!("--port={port}")).arg(format!("--base-path={}", root.display()));
                command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
                command
            }
            Server::Http => {
                // As in git's own page about `git http-backend`.
                let config = format!(
                    "server.document-root = \"{root}\"\nserver.bind = \"127.0.0.1\"\nserver.port = {port}\n\
                     server.errorlog = \"{root}/http.log\"\nserver.upload-dirs = (\"{root}\")\n\
                     server.modules = (\"mod_alias\", \"mod_setenv\", \"mod_cgi\")\n\
                     alias.url = (\"/git\" => \"{backend}\")\ncgi.assign = (\"\" => \"\")\n\
                     setenv.set-environment = (\"GIT_PROJECT_ROOT\" => \"{root}\", \"GIT_HTTP_EXPORT_ALL\" => \"1\", \
                     \"GIT_CONFIG_GLOBAL\" => \"/dev/null\", \"GIT_CONFIG_NOSYSTEM\" => \"1\")\n",
                    root = root.display(),
                    backend = git_program("git-http-backend").display(),
                );
                let file = root.join("http.conf");
                fs::write(&file, config).expect("a configuration");
                let mut command = Command::new(lighttpd());
                command.arg("-D").arg("-f").arg(file);
                command
            }
        }
    }

    fn url(self, port: u16) -> String {
        match self {
            Server::Daemon => format!("git://127.0.0.1:{port}/hub.git"),
            Server::Http => format!("http://127.0.0.1:{port}/git/hub.git"),
        }
    }
}

fn lighttpd() -> PathBuf {
    ["/usr/sbin/lighttpd", "/usr/bin/lighttpd", "/usr/local/sbin/lighttpd"]
        .iter()
        .map(PathBuf::from)
        .find(|path| path.exists())
        .unwrap_or_else(|| "/usr/sbin/lighttpd".into())
}

/// One of git's own programs that is not started by `git` itself, so that there is one process to end.
fn git_program(name: &str) -> PathBuf {
    let answer = Command::new("git").arg("--exec-path").output().expect("git");
    PathBuf::from(String::from_utf8_lossy(&answer.stdout).trim()).join(name)
}

/// A server that runs until it is dropped.
struct RunningServer {
    child: Child,
    url: String,
}

impl RunningServer {
    fn start(server: Server, root: &Path) -> RunningServer {
        for _ in 0..STARTS {
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.local_addr());
            let port = free.expect("a free port").port();
            let mut command = server.command(root, port);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let child = command.spawn().unwrap_or_else(|error| panic!("{server:?}: {error}"));
            let mut running = RunningServer { child, url: server.url(port) };
            if running.listens(port) {
                return running;
            }
        }
        panic!("{server:?} did not start");
    }

    /// Whether it accepts connections before it ends.
    fn listens(&mut self, port: u16) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < START_TIMEOUT {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
                return self.child.try_wait().is_ok_and(|ended| ended.is_none());
            }
            if !self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
                return false;
            }
            std::thread::yield_now();
        }
        false
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// How much the clones write.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub clones: usize,
    /// Bullets that each clone adds.
    pub writes: usize,
    pub writes_before_sync: usize,
}

/// What one clone met.
#[derive(Clone, Debug, Default)]
struct CloneFigures {
    finished: Duration,
    syncs: usize,
    lost_races: usize,
    most_lost_in_sync: usize,
    longest_sync: Duration,
    gave_up: Vec<String>,
}

/// What all clones met.
pub struct Figures {
    load: Load,
    /// Until the last clone had pushed its last bullet.
    duration: Duration,
    /// Processor time of all programs, the server's included, in seconds.
    processor: f64,
    clones: Vec<CloneFigures>,
    /// What the syncs answered that did not succeed.
    pub gave_up: Vec<String>,
    /// Bullets that are missing in the merged memory or stand there more than once.
    pub misplaced: Vec<String>,
}

impl Figures {
    /// Syncs of all clones.
    pub fn syncs(&self) -> usize {
        self.clones.iter().map(|clone| clone.syncs).sum()
    }

    /// Races that were lost, of all clones.
    pub fn lost_races(&self) -> usize {
        self.clones.iter().map(|clone| clone.lost_races).sum()
    }

    /// The columns of [`HEAD`], separated by tabs.
    pub fn row(&self) -> String {
        let bullets = (self.load.clones * self.load.writes) as f64;
        let seconds = self.duration.as_secs_f64();
        let finished = || self.clones.iter().map(|clone| clone.finished);
        let lost = || self.clones.iter().map(|clone| clone.lost_races);
        let longest = self.clones.iter().map(|clone| clone.longest_sync).max().unwrap_or_default();
        format!(
            "{seconds:.1}\t{:.1}\t{:.1}\t{:.1}\t{}\t{}\t{}\t{:.1}\t{:.1}\t{:.1}\t{}\t{}\t{}\t{}",
            bullets / seconds,
            seconds * 1e3 / bullets,
            self.processor * 1e3 / bullets,
            self.syncs(),
            self.lost_races(),
            self.clones.iter().map(|clone| clone.most_lost_in_sync).max().unwrap_or_default(),
            longest.as_secs_f64(),
            finished().min().unwrap_or_default().as_secs_f64(),
            finished().max().unwrap_or_default().as_secs_f64(),
            lost().min().unwrap_or_default(),
            lost().max().unwrap_or_default(),
            self.gave_up.len(),
            self.misplaced.len(),
        )
    }
}

/// A hub, its server and clones.
pub struct World {
    program: OsString,
    clones: Vec<PathBuf>,
    // Before the directory, so that it ends first.
    server: RunningServer,
    _dir: tempfile::TempDir,
}

impl World {
    /// A hub with a memory of some files behind a server, and clones that merge by bullet.
    pub fn new(program: impl AsRef<OsStr>, server: Server, clones: usize) -> World {
        let dir = tempfile::tempdir().expect("a directory");
        let root = fs::canonicalize(dir.path()).expect("a directory");
        let hub = root.join("hub.git");
        let first = root.join("clone-000");
        fs::create_dir_all(first.join("facts")).expect("a directory");
        fs::write(first.join("memdir.yaml"), "version: 1\n").expect("a marker");
        for n in 0..FILES {
            let text = format!("# Notes {n}\n\n> Summary: notes of the team, {n}\n\n- The first note of file {n}\n");
            fs::write(first.join(format!("facts/notes-{n:02}.md")), text).expect("a file");
        }
        let git = |words: &[&OsStr]| succeed(command("git", &root).args(words));
        git(&["init".as_ref(), "--quiet".as_ref(), "--bare".as_ref(), "--initial-branch=main".as_ref(), hub.as_ref()]);
        let config = ["-C".as_ref(), hub.as_os_str(), "config".as_ref()];
        git(&[&config[..], &["receive.denyNonFastForwards".as_ref(), "true".as_ref()]].concat());
        // Without a web server's users nobody may push.
        git(&[&config[..], &["http.receivepack".as_ref(), "true".as_ref()]].concat());
        let running = RunningServer::start(server, &root);
        let program = program.as_ref().to_owned();
        let in_first = ["-C".as_ref(), first.as_os_str()];
        git(&["init".as_ref(), "--quiet".as_ref(), "--initial-branch=main".as_ref(), first.as_os_str()]);
        git(&[&in_first[..], &["remote".as_ref(), "add".as_ref(), "origin".as_ref(), running.url.as_ref()]].concat());
        succeed(command(&program, &first).arg("sync"));
        let mut world = World { program, clones: vec![first], server: running, _dir: dir };
        for n in 1..clones {
            let clone = root.join(format!("clone-{n:03}"));
            git(&["clone".as_ref(), "--quiet".as_ref(), world.server.url.as_ref(), clone.as_ref()]);
            // Configures the merge driver.
            succeed(command(&world.program, &clone).arg("sync"));
            world.clones.push(clone);
        }
        world
    }

    /// Makes the hub refuse the entries of clones that wait, so that there is no queue.
    #[allow(dead_code, reason = "the tests measure with the queue only")]
    pub fn refuse_queue(&self) {
        let hub = self.clones[0].with_file_name("hub.git");
        succeed(command("git", &hub).args(["config", "receive.hideRefs", "refs/memdir"]));
    }

    /// All clones write and sync at once; then one of them fetches everything, and is compared with what was written.
    pub fn run(&self, load: Load) -> Figures {
        let processor = || processor_seconds("self") + processor_seconds(&self.server.child.id().to_string());
        let (begun, before) = (Instant::now(), processor());
        let clones: Vec<CloneFigures> = std::thread::scope(|scope| {
            let clones = self.clones.iter().enumerate();
            let threads: Vec<_> = clones.map(|(n, dir)| scope.spawn(move || self.write(n, dir, load, begun))).collect();
            threads.into_iter().map(|thread| thread.join().expect("a clone")).collect()
        });
        let (duration, processor) = (begun.elapsed(), processor() - before);
        let gave_up = clones.iter().flat_map(|clone| clone.gave_up.iter().cloned()).collect();
        // What was given up is pushed now: a clone that gives up keeps what it has.
        self.clones.iter().for_each(|clone| drop(succeed(command(&self.program, clone).arg("sync"))));
        let merged = &self.clones[0];
        succeed(command(&self.program, merged).arg("sync"));
        Figures { load, duration, processor, clones, gave_up, misplaced: misplaced(merged, load) }
    }

    fn write(&self, clone: usize, dir: &Path, load: Load, begun: Instant) -> CloneFigures {
        let mut figures = CloneFigures::default();
        for n in 0..load.writes {
            // Neighbours write to the same files at the same time.
            let file = format!("notes-{:02}", (n + clone / 4) % FILES);
            succeed(command(&self.program, dir).args(["add", &file, &bullet(clone, n), "--quiet"]));
            if (n + 1) % load.writes_before_sync == 0 || n + 1 == load.writes {
                let started = Instant::now();
                let output = command(&self.program, dir).args(["sync", "--json"]).output().expect("memdir");
                let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
                let lost = answer["lost_races"].as_u64().unwrap_or_default() as usize;
                figures.syncs += 1;
                figures.lost_races += lost;
                figures.most_lost_in_sync = figures.most_lost_in_sync.max(lost);
                figures.longest_sync = figures.longest_sync.max(started.elapsed());
                if !output.status.success() {
                    figures.gave_up.push(format!("clone {clone}: {}", String::from_utf8_lossy(&output.stderr)));
                }
            }
        }
        figures.finished = begun.elapsed();
        figures
    }
}

fn bullet(clone: usize, n: usize) -> String {
    format!("Note {n} of clone {clone} is as long as a note is in most memories")
}

/// The processor time of a process and of its children that ended, in seconds; 0 where the system does not tell.
fn processor_seconds(process: &str) -> f64 {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // After the name, which may contain anything: the state, and from the 12th field on four times in ticks.
    let fields = stat.rsplit_once(") ").map(|(_, rest)| rest).unwrap_or_default();
    fields.split(' ').skip(11).take(4).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS_A_SECOND
}

/// The bullets that do not stand in a memory exactly once.
fn misplaced(memory: &Path, load: Load) -> Vec<String> {
    let file = |n: usize| fs::read_to_string(memory.join(format!("facts/notes-{n:02}.md"))).expect("a file");
    let mut counts = std::collections::HashMap::<String, usize>::new();
    for line in (0..FILES).flat_map(|n| file(n).lines().map(str::to_owned).collect::<Vec<_>>()) {
        if let Some(text) = line.strip_prefix("- ") {
            *counts.entry(text.to_owned()).or_default() += 1;
        }
    }
    let expected = (0..load.clones).flat_map(|clone| (0..load.writes).map(move |n| bullet(clone, n)));
    let expected = expected.chain((0..FILES).map(|n| format!("The first note of file {n}")));
    let mut wrong: Vec<String> =
        expected.filter_map(|text| (counts.remove(&text) != Some(1)).then_some(text)).collect();
    wrong.extend(counts.into_keys().map(|text| format!("nobody wrote: {text}")));
    wrong
}

/// A program in a directory, with nothing of this machine's settings.
pub fn command(program: impl AsRef<OsStr>, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(dir).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", dir.parent().unwrap_or(dir)).env("LC_ALL", "C.UTF-8").env("MEMDIR_AS", "bench");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "bench").env(format!("GIT_{who}_EMAIL"), "bench@localhost");
    }
    command.env("MEMDIR_DURABILITY", "fast").stdin(Stdio::null());
    command
}

/// Runs a command that must succeed.
pub fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    if !output.status.success() {
        drop(std::io::stderr().write_all(&output.stderr));
        panic!("{command:?}: {}", output.status);
    }
    output
}
