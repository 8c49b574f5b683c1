//! Power cuts on a real file system: an ext4 on a loop device, whose blocks are copied while a writer works on it.
//!
//! Needs root, loop devices and mkfs.ext4, and reports a skip without them. The writer is stopped at a random moment;
//! a copy counts when two reads of the device's file agree. Data that was written and not yet flushed is
//! in the copy too: what a device may lose of that is `images.rs`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use fastrand::Rng;

use crate::support::memory::{full_or_skipped, missing};
use crate::support::program;

/// A mounted image, unmounted when it goes.
struct Mounted(PathBuf);

fn run(program: &str, args: &[&str]) -> bool {
    let quiet = |c: &mut Command| c.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    quiet(Command::new(program).args(args))
}

impl Mounted {
    fn of(image: &Path, at: &Path) -> Option<Mounted> {
        std::fs::create_dir_all(at).unwrap();
        let options = ["-o", "loop", image.to_str()?, at.to_str()?];
        run("mount", &options).then(|| Mounted(at.to_owned()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        run("umount", &[self.0.to_str().unwrap()]);
    }
}

fn memdir(memory: &Path, args: &[&str], durability: &str) -> (bool, String) {
    let mut command = Command::new(program());
    command.env_clear().env("GIT_AUTHOR_NAME", "t").env("HOME", "/dev/null").env("MEMDIR_DURABILITY", durability);
    let output = command.arg("--dir").arg(memory).args(args).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// The results of some cuts: cuts, acknowledged writes, lost ones, other problems.
#[derive(Debug, Default)]
struct Found {
    cuts: usize,
    acknowledged: usize,
    lost: usize,
    problems: Vec<String>,
}

/// Cuts a writer off, again and again; `None` where that cannot be done.
fn cut(times: usize, durability: &str) -> Option<Found> {
    let dir = tempfile::tempdir().unwrap();
    let (image, copy) = (dir.path().join("image"), dir.path().join("copy"));
    std::fs::File::create(&image).unwrap().set_len(16 << 20).unwrap();
    if !run("mkfs.ext4", &["-q", "-F", "-J", "size=1", image.to_str()?])
        && !run("mkfs.ext4", &["-q", "-F", image.to_str()?])
    {
        return None;
    }
    let mounted = Mounted::of(&image, &dir.path().join("at"))?;
    let memory = mounted.0.join("memory");
    assert!(memdir(&memory, &["init"], "full").0);
    let seeded = memdir(&memory, &["add", "a.md", "value 0"], "full").0
        && memdir(&memory, &["add", "b.md", "value 0"], "full").0;
    assert!(seeded);
    run("sync", &["-f", memory.to_str()?]);
    let mut found = Found::default();
    // One shell writes continuously, two files at a time and a new one, and prints each number that was acknowledged.
    let script = "n=1; while :; do m=$((n-1)); printf '{\"op\":\"update\",\"at\":\"a\",\"old\":\"value %d\",\"text\":\"value %d\"}\\n\
                  {\"op\":\"update\",\"at\":\"b\",\"old\":\"value %d\",\"text\":\"value %d\"}\\n\
                  {\"op\":\"add\",\"at\":\"new/n%d.md\",\"text\":\"value %d\"}\\n' $m $n $m $n $n $n | \
                  \"$0\" -C \"$1\" -q apply --create >&2 || exit 1; echo $n; n=$((n+1)); done";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(program()).arg(&memory).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    command.env("GIT_AUTHOR_NAME", "t").env("HOME", "/dev/null").env("MEMDIR_DURABILITY", durability);
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let printed = dir.path().join("said");
    let mut writer = command.stdout(std::fs::File::create(&printed).unwrap()).stderr(Stdio::null()).spawn().unwrap();
    let group = rustix::process::Pid::from_child(&writer);
    let signal = |signal| rustix::process::kill_process_group(group, signal).unwrap();
    let acknowledged = || -> usize {
        let printed = std::fs::read_to_string(&printed).unwrap();
        // The last line may be on its way.
        printed.rsplit_once('\n').map_or(0, |(whole, _)| whole.lines().last().unwrap_or("0").parse().unwrap())
    };
    let mut rng = Rng::with_seed(1);
    for _ in 0..times {
        // A few more writes, and then a moment in the middle of the next.
        let wanted = acknowledged() + 1 + rng.usize(..4);
        while acknowledged() < wanted {
            if writer.try_wait().unwrap().is_some() {
                found.problems.push("the writer ended".into());
                return Some(found);
            }
            std::thread::sleep(Duration::from_micros(500));
        }
        std::thread::sleep(Duration::from_micros(rng.u64(..8000)));
        signal(rustix::process::Signal::STOP);
        // Everything printed until now was answered before the power cut.
        let printed = acknowledged();
        let agreed = (0..200).any(|_| {
            std::fs::copy(&image, &copy).unwrap();
            std::fs::read(&image).unwrap() == std::fs::read(&copy).unwrap()
        });
        assert!(agreed, "the device never rests");
        found.cuts += 1;
        found.acknowledged = printed;
        look(&copy, &dir.path().join("cut"), printed, &mut found);
        signal(rustix::process::Signal::CONT);
    }
    signal(rustix::process::Signal::KILL);
    writer.wait().unwrap();
    // Descendants that still hold the mount are gone with their group; the kernel may need a moment for them.
    (0..100).any(|_| {
        let free = run("umount", &[mounted.0.to_str().unwrap()]);
        if !free {
            std::thread::sleep(Duration::from_millis(20));
        }
        free
    });
    Some(found)
}

/// Starts the machine again on a copy, and looks what is there.
fn look(copy: &Path, at: &Path, acknowledged: usize, found: &mut Found) {
    let Some(mounted) = Mounted::of(copy, at) else {
        return found.problems.push("the image cannot be mounted".into());
    };
    let memory = mounted.0.join("memory");
    let mut must = |args: &[&str]| {
        let (well, reported) = memdir(&memory, args, "full");
        if !well {
            found.problems.push(format!("after n={acknowledged}, {args:?}: {reported}"));
        }
    };
    must(&["list"]);
    must(&["log", "--json"]);
    must(&["add", "next.md", "The next one", "--create"]);
    let value = |name: &str| -> Option<usize> {
        let text = std::fs::read_to_string(memory.join("facts").join(name)).ok()?;
        text.lines().find_map(|line| line.strip_prefix("- value ")?.parse().ok())
    };
    let (a, b) = (value("a.md"), value("b.md"));
    let last = a.unwrap_or(0);
    if a != b || last < acknowledged {
        found.lost += 1;
    }
    let made = (1..=acknowledged.max(last)).filter(|n| memory.join(format!("facts/new/n{n}.md")).exists()).count();
    if made != last || memory.join(format!("facts/new/n{}.md", last + 1)).exists() {
        found.problems.push(format!("n={acknowledged}: values {a:?} and {b:?}, and {made} new files"));
    }
}

#[test]
fn a_real_file_system_that_is_cut_off_keeps_what_was_answered() {
    if !full_or_skipped("power cuts on a real file system") {
        return;
    }
    let Some(found) = cut(100, "full") else {
        return missing("an ext4 on a loop device (root, loop devices and mkfs.ext4)");
    };
    eprintln!("cuts of an ext4: {} cuts, {} acknowledged batches, {} lost", found.cuts, found.acknowledged, found.lost);
    assert!(found.lost == 0 && found.problems.is_empty() && found.cuts == 100, "{found:?}");
    // The test itself: without syncs it must find losses.
    let found = cut(12, "fast").unwrap();
    eprintln!("the same without syncs: {} cuts, {} with losses", found.cuts, found.lost);
    assert!(found.lost > 0, "{found:?}");
}
