//! Ten years of a memory: 20 sessions a day of four agents, and a person who edits. What it costs and shows over time.
//!
//! `cargo bench --bench growth` prints one row for each half year, tab-separated; `DAYS=365` shortens it, and `PLOTS=DIR`
//! writes three plots. It fails at nothing: machines differ. The life itself is the same on each run.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fs_err as fs;
use memdir::{ChangeOptions, Durability, Memory, OpenOptions};
use serde_json::json;

const AGENTS: [&str; 4] = ["planner", "coder", "reviewer", "writer"];
const SESSIONS_A_DAY: usize = 20;
const FILES: [&str; 12] =
    ["user", "project", "build", "deploy", "tests", "style", "people", "tools", "incidents", "api", "data", "travel"];
const VERBS: [&str; 12] = [
    "runs on",
    "needs",
    "prefers",
    "was moved to",
    "depends on",
    "is owned by",
    "fails without",
    "is tested with",
    "waits for",
    "writes to",
    "reads from",
    "is limited to",
];
/// Names and things are made of two of these each.
const SYLLABLES: [&str; 30] = [
    "ba", "cor", "dil", "fen", "gar", "hol", "jun", "ket", "lum", "mar", "nov", "or", "pel", "quin", "ros", "sta",
    "tem", "ul", "ven", "wex", "yar", "zen", "bri", "cla", "dro", "fli", "gre", "plo", "tri", "sno",
];
/// Facts of little importance that nobody uses leave after 60 days, and are deleted 30 days later.
const POLICY: &str = "version: 2\nstamps: [added, upd]\nexpired: archive\nlifetimes:\n  - {at: facts/**, unused: 60d, below: 3, purge: 30d}\n  - {at: episodes/**, unused: 365d, purge: 365d}\n";
/// The commands that are timed, by name.
const TIMED: [(&str, &[&str]); 9] = [
    ("list", &["list"]),
    ("read", &["read", "user"]),
    ("query", &["query", "zenmar", "server"]),
    ("context", &["context"]),
    ("status", &["status"]),
    ("check", &["check"]),
    ("log", &["log"]),
    ("prune -n", &["prune", "-n"]),
    ("add", &["add", "user", "A fact that is undone at once"]),
];
const ROUNDS: usize = 7;
const COLORS: [&str; 9] =
    ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"];

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// A life, as the agents remember it: the texts that were added, by file.
struct Life {
    dice: Dice,
    known: HashMap<&'static str, Vec<String>>,
    /// Changes that were refused: a text that is there already, or is gone.
    refused: usize,
    changes: usize,
}

impl Life {
    fn session(&mut self, memory: &Memory, today: jiff::civil::Date, number: usize) {
        let file = self.dice.pick(&FILES);
        let at = format!("facts/{file}.md");
        let operation = match self.dice.below(100) {
            0..30 => {
                let text = self.new_fact(number);
                let importance = (1 + self.dice.below(9)).to_string();
                self.known.entry(file).or_default().push(text.clone());
                json!({"op": "add", "at": at, "text": text, "meta": {"imp": importance}})
            }
            // An agent that does not look first: a text that it or another one has written, in other words.
            30..34 => match self.any_known(file) {
                Some(text) => json!({"op": "add", "at": at, "text": format!("{text}, still")}),
                None => return,
            },
            34..42 => match self.any_known(file) {
                Some(old) => {
                    let new = self.new_fact(number);
                    self.known.entry(file).or_default().push(new.clone());
                    json!({"op": "update", "at": at, "old": old, "text": new})
                }
                None => return,
            },
            42..46 => match self.any_known(file) {
                Some(text) => json!({"op": "rm", "at": at, "text": text}),
                None => return,
            },
            46..50 => {
                let summary = self.new_fact(number);
                json!({"op": "append", "title": format!("Session {number}"), "date": today.to_string(), "text": format!("- Summary: {summary}")})
            }
            50..60 => {
                // What is found counts as used.
                let word = self.name();
                drop(memory.query(word.as_str()));
                return;
            }
            _ => return,
        };
        let options = ChangeOptions { create: true, ..ChangeOptions::default() };
        self.changes += 1;
        self.refused += usize::from(memory.apply(&operation.to_string(), &options).is_err());
    }

    fn name(&mut self) -> String {
        format!("{}{}", self.dice.pick(&SYLLABLES), self.dice.pick(&SYLLABLES))
    }

    fn new_fact(&mut self, number: usize) -> String {
        let (subject, verb, object) = (self.name(), self.dice.pick(&VERBS), self.name());
        let how = self.name();
        format!("The {subject} {verb} {object} with {how} {number}")
    }

    fn any_known(&mut self, file: &'static str) -> Option<String> {
        let texts = self.known.get_mut(file).filter(|texts| !texts.is_empty())?;
        Some(texts.swap_remove(self.dice.below(texts.len())))
    }
}

/// The person's daily edit with an editor: a line at the end of a file, or another word in one.
fn edit_by_hand(dir: &Path, dice: &mut Dice, day: usize) {
    let path = dir.join(format!("facts/{}.md", dice.pick(&FILES)));
    let Ok(text) = fs::read_to_string(&path) else { return };
    let edited = match dice.below(2) {
        0 => format!("{}\n- Noted by hand on day {day}\n", text.trim_end()),
        _ => text.replacen("needs", "wants", 1),
    };
    fs::write(&path, edited).expect("a file");
}

/// What there is after some days.
#[derive(Default)]
struct Sample {
    days: usize,
    live_bullets: usize,
    duplicates: usize,
    live_bytes: u64,
    archive_bytes: u64,
    state_bytes: u64,
    /// Items that `context` shows with its default budget, and the tokens they take.
    context_items: usize,
    context_tokens: usize,
    /// The fastest of several runs of each timed command, in ms.
    times: BTreeMap<&'static str, f64>,
}

impl Sample {
    fn take(dir: &Path, memory: &Memory, days: usize) -> Sample {
        let mut sample = Sample { days, ..Sample::default() };
        let mut pending = vec![dir.to_owned()];
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
                let (path, meta) = (entry.path(), entry.metadata().expect("metadata"));
                let below = path.strip_prefix(dir).expect("below").to_string_lossy().into_owned();
                match () {
                    () if meta.is_dir() => pending.push(path),
                    () if below.starts_with(".memdir") => sample.state_bytes += meta.len(),
                    () if below.starts_with("archive") => sample.archive_bytes += meta.len(),
                    () => {
                        let text = fs::read_to_string(path).unwrap_or_default();
                        let bullets: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
                        let texts: HashSet<&str> =
                            bullets.iter().map(|line| line.trim_end_matches(", still")).collect();
                        sample.live_bytes += meta.len();
                        sample.live_bullets += bullets.len();
                        sample.duplicates += bullets.len() - texts.len();
                    }
                }
            }
        }
        if let Ok((context, _)) = memory.context(&memdir::ContextRequest::default()) {
            let context = serde_json::to_value(&context).unwrap_or_default();
            sample.context_items = context["items"].as_array().map_or(0, Vec::len);
            sample.context_tokens = context["tokens"].as_u64().unwrap_or_default() as usize;
        }
        for (name, words) in TIMED {
            let time = |words: &[&str]| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_memdir"));
                command.arg("--dir").arg(dir).args(words).env("MEMDIR_NOW", format!("{}T12:00:00Z", day_of(days)));
                command.env("MEMDIR_DURABILITY", "fast").stdout(Stdio::null()).stderr(Stdio::null());
                let start = Instant::now();
                command.status().expect("it runs");
                start.elapsed()
            };
            let mut fastest = Duration::MAX;
            for _ in 0..ROUNDS {
                fastest = fastest.min(time(words));
                if name == "add" {
                    time(&["undo"]);
                }
            }
            sample.times.insert(name, fastest.as_secs_f64() * 1e3);
        }
        sample
    }

    fn row(&self) -> String {
        let share = 100.0 * self.duplicates as f64 / self.live_bullets.max(1) as f64;
        let kib = |bytes: u64| bytes / 1024;
        let mut row = format!(
            "{}\t{}\t{share:.1}\t{}\t{}\t{}\t{}\t{}",
            self.days,
            self.live_bullets,
            kib(self.live_bytes),
            kib(self.archive_bytes),
            kib(self.state_bytes),
            self.context_items,
            self.context_tokens
        );
        for (name, _) in TIMED {
            let _ = write!(row, "\t{:.1}", self.times[name]);
        }
        row
    }
}

fn day_of(days: usize) -> jiff::civil::Date {
    jiff::civil::date(2026, 1, 1) + jiff::Span::new().days(days as i64)
}

/// A plot of some series over the years, as SVG.
fn plot(title: &str, unit: &str, years: f64, series: &[(String, Vec<(f64, f64)>)]) -> String {
    const WIDTH: f64 = 720.0;
    const HEIGHT: f64 = 320.0;
    const LEFT: f64 = 60.0;
    const BOTTOM: f64 = 40.0;
    let top = series.iter().flat_map(|(_, points)| points).map(|(_, y)| *y).fold(1e-9, f64::max) * 1.05;
    let x = |year: f64| LEFT + year / years * (WIDTH - LEFT - 130.0);
    let y = |value: f64| HEIGHT - BOTTOM - value / top * (HEIGHT - BOTTOM - 40.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"20\" font-size=\"14\">{title}</text>\n"
    );
    for n in 0..=4 {
        let value = top * f64::from(n) / 4.0;
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{:.0}\" y1=\"{1:.0}\" y2=\"{1:.0}\" stroke=\"#ddd\"/>",
            x(years),
            y(value)
        );
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{value:.1}</text>",
            LEFT - 6.0,
            y(value) + 4.0
        );
    }
    for year in 0..=years.ceil() as usize {
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{year}</text>",
            x(year as f64),
            HEIGHT - BOTTOM + 18.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">years ({unit})</text>",
        x(years / 2.0),
        HEIGHT - 6.0
    );
    for (n, (name, points)) in series.iter().enumerate() {
        let color = COLORS[n % COLORS.len()];
        let line: Vec<String> =
            points.iter().map(|(year, value)| format!("{:.1},{:.1}", x(*year), y(*value))).collect();
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{}\"/>",
            line.join(" ")
        );
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" fill=\"{color}\">{name}</text>",
            x(years) + 8.0,
            44.0 + 16.0 * n as f64
        );
    }
    svg + "</svg>\n"
}

fn write_plots(dir: &str, samples: &[Sample]) {
    let years = |sample: &Sample| sample.days as f64 / 365.25;
    let series = |name: &str, value: &dyn Fn(&Sample) -> f64| {
        (name.to_owned(), samples.iter().map(|sample| (years(sample), value(sample))).collect::<Vec<_>>())
    };
    let last = samples.last().map_or(1.0, years);
    let sizes = [
        series("live", &|s| s.live_bytes as f64 / 1024.0),
        series("archive", &|s| s.archive_bytes as f64 / 1024.0),
        series(".memdir", &|s| s.state_bytes as f64 / 1024.0),
    ];
    let times: Vec<_> = TIMED.iter().map(|(name, _)| series(name, &|s| s.times[name])).collect();
    let per_bullet: Vec<_> = TIMED
        .iter()
        .map(|(name, _)| series(name, &|s| 1000.0 * s.times[name] / s.live_bullets.max(1) as f64))
        .collect();
    for (file, title, unit, series) in [
        ("size", "Size of a memory", "KiB", &sizes[..]),
        ("time", "Time of a command", "ms, the fastest of seven", &times[..]),
        ("per-bullet", "Time of a command for each live bullet", "µs", &per_bullet[..]),
    ] {
        let path = Path::new(dir).join(format!("growth-{file}.svg"));
        fs::write(path, plot(title, unit, last, series)).expect("a plot");
    }
}

fn main() {
    let days: usize = std::env::var("DAYS").ok().and_then(|days| days.parse().ok()).unwrap_or(3_650);
    let above = tempfile::tempdir().expect("a directory");
    let dir = above.path().join("memory");
    fs::create_dir_all(dir.join("facts")).expect("a directory");
    fs::write(dir.join("memdir.yaml"), POLICY).expect("a policy");
    let mut life = Life { dice: Dice(11), known: HashMap::new(), refused: 0, changes: 0 };
    let names: Vec<&str> = TIMED.iter().map(|(name, _)| *name).collect();
    println!(
        "days\tbullets\tduplicates %\tlive KiB\tarchive KiB\t.memdir KiB\tcontext items\ttokens\t{}",
        names.join("\t")
    );
    let mut samples = Vec::new();
    for day in 0..=days {
        let today = day_of(day);
        for number in 0..SESSIONS_A_DAY {
            let mut options = OpenOptions::new(&dir).actor(AGENTS[number % AGENTS.len()]);
            options.now = today.at(8 + (number / 2) as i8, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).ok();
            options.durability = Some(Durability::Fast);
            let memory = Memory::open(options).expect("a memory");
            if number == 0 {
                drop(memory.prune(&ChangeOptions::default()).map_err(|why| eprintln!("day {day}: {why}")));
            }
            life.session(&memory, today, day * SESSIONS_A_DAY + number);
            if number == SESSIONS_A_DAY - 1 && day % 182 == 0 && day > 0 {
                let sample = Sample::take(&dir, &memory, day);
                println!("{}", sample.row());
                samples.push(sample);
            }
        }
        edit_by_hand(&dir, &mut life.dice, day);
    }
    println!("{} changes, {} of them refused: what they named was gone or there already", life.changes, life.refused);
    if let Ok(plots) = std::env::var("PLOTS") {
        write_plots(&plots, &samples);
    }
}
