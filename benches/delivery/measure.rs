//! The measurement of `benches/delivery.rs`: builds the memory, replays the cases, counts.
//!
//! Never looks at the judged half unless it is asked for it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fs_err as fs;
use serde_json::{Value, json};

/// The clock of all commands.
const NOW: &str = "2026-02-24T10:00:00Z";
/// What Claude Code loads of a `MEMORY.md` when a session starts (<https://code.claude.com/docs/en/memory>).
const LOADED_LINES: usize = 200;
const LOADED_BYTES: usize = 25 << 10;
/// What an agent reads of the answer of `rg`, in tokens: as much as a hook may inject.
const RG_TOKENS: usize = 300;

/// How often a case is repeated if a host of vectors was too slow.
const MAX_ATTEMPTS: usize = 30;

/// A case: an act, and the beginning of the rule that should be known before; none for an act that no rule is about.
struct Case {
    kind: String,
    act: String,
    rule: Option<String>,
}

/// What one way of remembering put in front of an agent.
#[derive(Default, Clone)]
pub struct Tally {
    /// By kind: delivered and all.
    pub kinds: BTreeMap<String, (usize, usize)>,
    /// Texts at an act that are judged, and those of them without the right rule.
    pub injections: usize,
    pub irrelevant: usize,
    /// Tokens at the start, the most and the sum at an act.
    pub start_tokens: usize,
    pub most_tokens: usize,
    pub sum_tokens: usize,
    /// Texts that showed an outdated rule.
    pub outdated: usize,
}

impl Tally {
    fn count(&mut self, case: &Case, before: &str, at_act: &str, outdated: &[String]) {
        let Some(rule) = &case.rule else {
            self.injections += usize::from(!at_act.is_empty());
            self.irrelevant += usize::from(!at_act.is_empty());
            self.note(at_act, outdated);
            return;
        };
        let (seen, all) = self.kinds.entry(case.kind.clone()).or_default();
        let is_here = at_act.contains(rule.as_str());
        let is_known = before.contains(rule.as_str());
        *seen += usize::from(is_here || is_known);
        *all += 1;
        // A rule that the session has seen is not shown again: the others for a touched path that are shown instead say
        // nothing about noise.
        let is_judged = is_here || !(is_known && matches!(case.kind.as_str(), "when" | "path" | "command"));
        if is_judged && !at_act.is_empty() {
            self.injections += 1;
            self.irrelevant += usize::from(!is_here);
        }
        self.note(at_act, outdated);
    }

    fn note(&mut self, at_act: &str, outdated: &[String]) {
        self.most_tokens = self.most_tokens.max(tokens(at_act));
        self.sum_tokens += tokens(at_act);
        self.outdated += usize::from(outdated.iter().any(|old| at_act.contains(old.as_str())));
    }

    /// The delivered share of some kinds.
    pub fn share(&self, kinds: &[&str]) -> f64 {
        let counted = self.kinds.iter().filter(|(kind, _)| kinds.contains(&kind.as_str()));
        let (seen, all) = counted.fold((0, 0), |sum, (_, count)| (sum.0 + count.0, sum.1 + count.1));
        seen as f64 / all.max(1) as f64
    }

    /// The share of texts at an act without the right rule.
    pub fn noise(&self) -> f64 {
        self.irrelevant as f64 / self.injections.max(1) as f64
    }
}

/// The figures of one half.
pub struct Figures {
    pub ways: Vec<(&'static str, Tally)>,
    pub cases: usize,
    /// What was not delivered, and what was noise.
    pub misses: Vec<String>,
}

impl Figures {
    pub fn table(&self) -> String {
        let mut out = String::from(
            "| | `when=` | path, command | prompt | prompt, other words | noise | outdated | tokens at start | at an act, mean (most) |\n\
             |---|---|---|---|---|---|---|---|---|\n",
        );
        for (name, tally) in &self.ways {
            let percent = |share: f64| format!("{:.0} %", share * 100.0);
            let mean = tally.sum_tokens / self.cases.max(1);
            let noise = if tally.injections == 0 { "-".to_owned() } else { percent(tally.noise()) };
            let _ = writeln!(
                out,
                "| {name} | {} | {} | {} | {} | {noise} | {} | {} | {mean} ({}) |",
                percent(tally.share(&["when"])),
                percent(tally.share(&["path", "command"])),
                percent(tally.share(&["prompt", "task"])),
                percent(tally.share(&["reworded"])),
                tally.outdated,
                tally.start_tokens,
                tally.most_tokens,
            );
        }
        out
    }

    /// The figures of the hooks.
    pub fn hooks(&self) -> &Tally {
        &self.ways[0].1
    }

    /// The same where the rules have keywords.
    pub fn hooks_with_keywords(&self) -> &Tally {
        &self.ways[1].1
    }
}

/// A home with a memory of rules, distractors and corrected rules.
pub struct World {
    home: tempfile::TempDir,
    program: OsString,
    outdated: Vec<String>,
}

impl World {
    pub fn new(program: impl Into<OsString>) -> World {
        World::create(program, false)
    }

    /// The same, with the keywords of `fixtures/delivery/keywords.tsv` on the rules.
    pub fn with_keywords(program: impl Into<OsString>) -> World {
        World::create(program, true)
    }

    fn create(program: impl Into<OsString>, has_keywords: bool) -> World {
        let world =
            World { home: tempfile::tempdir().expect("a directory"), program: program.into(), outdated: Vec::new() };
        let memory = world.memory();
        let mut trusted = json!({"trusted": [memory], "people": ["ana"]});
        // `.ci/embeddings` measures with a host of vectors.
        let host = std::env::var("DELIVERY_EMBEDDINGS").ok();
        if let Some(url) = &host {
            let model = json!({"base_url": url, "name": "multilingual-e5-small-q4", "memories": [memory],
                "query_prefix": "query: ", "text_prefix": "passage: "});
            trusted["find"] = json!({"embeddings": model});
        }
        world.put(".config/memdir/config.yaml", &trusted.to_string());
        world.put("work/memory/memdir.yaml", "version: 1\n");
        let corrections = corrections();
        for name in ["rules.en.md", "rules.zh.md"] {
            let mut text = fixture(name);
            if has_keywords {
                text = with_keywords(&text);
            }
            for (old, new) in &corrections {
                text = text.replace(new.as_str(), old);
            }
            world.put(&format!("work/memory/facts/{}", name.replace('.', "-").replace("-md", ".md")), &shuffled(&text));
        }
        for (n, page) in distractors().chunks(40).enumerate() {
            let rows: String = page.iter().map(|line| format!("- {line}\n")).collect();
            world.put(&format!("work/memory/facts/notes{n}.md"), &format!("# Notes {n}\n\n{rows}"));
        }
        for (old, new) in &corrections {
            let file = if old.is_ascii() { "rules-en" } else { "rules-zh" };
            world.memdir(&["--as", "ana", "update", file, old, new]);
        }
        if host.is_some() {
            // The corrections have started a process that makes them; until it ends, this prints nothing.
            while world.memdir(&["embed"]).is_empty() {
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
        }
        World { outdated: corrections.into_iter().map(|(old, _)| old).collect(), ..world }
    }

    fn memory(&self) -> PathBuf {
        self.home.path().join("work/memory")
    }

    fn put(&self, path: &str, text: &str) {
        let file = self.home.path().join(path);
        fs::create_dir_all(file.parent().expect("a parent")).expect("a directory");
        fs::write(file, text).expect("a file");
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words).env_clear().current_dir(self.home.path().join("work")).env("HOME", self.home.path());
        command.env("MEMDIR_NOW", NOW).env("MEMDIR_DURABILITY", "fast").env("LC_ALL", "C.UTF-8");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The answer of a command, with what it reports.
    fn memdir(&self, words: &[&str]) -> String {
        let output = self.command(words).stdin(Stdio::null()).output().expect("it runs");
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The text that a hook passes on; empty if there is none.
    fn hook(&self, event: &str, session: &str, fields: Value) -> String {
        let mut input = json!({"session_id": session, "cwd": self.home.path().join("work")});
        input.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        let mut child = self.command(&["hook", event]).spawn().expect("it runs");
        child.stdin.take().expect("stdin").write_all(input.to_string().as_bytes()).expect("an input");
        let output = child.wait_with_output().expect("it ends");
        let envelope: Value = serde_json::from_slice(&output.stdout).expect("an envelope");
        envelope["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    }

    /// What the hooks show before an act.
    fn at_act(&self, case: &Case, session: &str) -> String {
        let act = &case.act;
        match case.kind.trim_start_matches("none-") {
            "when" | "path" => {
                let path = self.home.path().join("work").join(act);
                self.hook("pre-tool", session, json!({"tool_name": "Edit", "tool_input": {"file_path": path}}))
            }
            "command" => self.hook("pre-tool", session, json!({"tool_name": "Bash", "tool_input": {"command": act}})),
            "task" => self.hook("pre-tool", session, json!({"tool_name": "Task", "tool_input": {"prompt": act}})),
            _ => self.hook("user-prompt", session, json!({"prompt": act})),
        }
    }

    /// Whether a host of vectors was too slow for the last hook, which says nothing about what it is worth. The clock stands
    /// still here, so that a search would never ask it again.
    fn had_no_vector(&self) -> bool {
        fs::remove_file(self.memory().join(".memdir/embeddings-failure")).is_ok()
    }

    /// Replays the cases of a half. `keyed` is a world whose rules have keywords.
    pub fn measure(&self, half: &str, keyed: &World) -> Figures {
        let cases = cases(half);
        let mut misses = Vec::new();
        let mut ways = vec![("hooks", self.by_hooks(half, &cases, &mut misses))];
        ways.push(("hooks, rules with keywords", keyed.by_hooks(half, &cases, &mut Vec::new())));
        ways.push(("`MEMORY.md`, 200 lines or 25 KB", self.loaded_file(&cases)));
        match self.by_rg(&cases) {
            Ok(tally) => ways.push(("`rg`, the act's words, 300 tokens", tally)),
            Err(why) => misses.push(format!("without the row of rg: {why}")),
        }
        let index = self.memdir(&["context", "--style", "index"]);
        let mut by_index = Tally { start_tokens: tokens(&index), ..Tally::default() };
        cases.iter().for_each(|case| by_index.count(case, &index, "", &self.outdated));
        ways.push(("index alone", by_index));
        Figures { ways, cases: cases.len(), misses }
    }

    fn by_hooks(&self, half: &str, cases: &[Case], misses: &mut Vec<String>) -> Tally {
        let mut hooks = Tally::default();
        for (n, case) in cases.iter().enumerate() {
            let (mut start, mut at_act) = (String::new(), String::new());
            for attempt in 0..MAX_ATTEMPTS {
                let session = format!("{half}-{n}-{attempt}");
                start = self.hook("session-start", &session, json!({"source": "startup"}));
                at_act = self.at_act(case, &session);
                if !self.had_no_vector() {
                    break;
                }
                assert!(attempt + 1 < MAX_ATTEMPTS, "the host of vectors is too slow");
            }
            hooks.start_tokens = hooks.start_tokens.max(tokens(&start));
            hooks.outdated += usize::from(self.outdated.iter().any(|old| start.contains(old.as_str())));
            hooks.count(case, &start, &at_act, &self.outdated);
            let is_here = case.rule.as_ref().is_some_and(|rule| (start.clone() + &at_act).contains(rule.as_str()));
            let shown: Vec<&str> =
                at_act.lines().skip(1).filter_map(|line| line.split_once(": ")).map(|l| l.1).collect();
            match (&case.rule, is_here, shown.is_empty()) {
                (Some(_), true, _) | (None, _, true) => {}
                (rule, ..) => misses.push(format!("{} | {} | {rule:?} | {shown:?}", case.kind, case.act)),
            }
        }
        hooks
    }

    /// A file with one line for each fact, in the order in which they came to be known, of which a host loads the
    /// beginning. It holds the current rules only, which is kind to it.
    fn loaded_file(&self, cases: &[Case]) -> Tally {
        let rules = [fixture("rules.en.md"), fixture("rules.zh.md")].concat();
        let rules = rules.lines().filter(|line| line.starts_with("- ")).map(|line| line[2..].to_owned());
        let mut lines: Vec<String> = rules.chain(distractors()).collect();
        let mut dice = Dice(7);
        (1..lines.len()).rev().for_each(|n| lines.swap(n, dice.roll(n + 1)));
        let mut loaded = String::new();
        for line in lines.iter().take(LOADED_LINES) {
            if loaded.len() + line.len() > LOADED_BYTES {
                break;
            }
            loaded += &format!("- {line}\n");
        }
        let mut tally = Tally { start_tokens: tokens(&loaded), ..Tally::default() };
        cases.iter().for_each(|case| tally.count(case, &loaded, "", &self.outdated));
        tally
    }

    /// The lines with any word of the act, as ripgrep prints them.
    ///
    /// # Errors
    /// Why it cannot be run.
    fn by_rg(&self, cases: &[Case]) -> Result<Tally, String> {
        let mut tally = Tally::default();
        for case in cases {
            let words = words_of(&case.act.to_lowercase());
            let mut command = Command::new("rg");
            command.args([
                "--no-config",
                "-i",
                "-F",
                "--no-filename",
                "--no-line-number",
                "--color=never",
                "--sort=path",
            ]);
            command.args(words.iter().flat_map(|word| ["-e", word.as_str()]));
            command.arg("--").arg(self.memory().join("facts")).stdin(Stdio::null());
            let output = if words.is_empty() {
                Vec::new()
            } else {
                command.output().map_err(|why| format!("rg cannot be run: {why}"))?.stdout
            };
            let found = String::from_utf8_lossy(&output);
            let mut read = String::new();
            for line in found.lines().filter(|line| line.starts_with("- ")) {
                if tokens(&read) + tokens(line) > RG_TOKENS {
                    break;
                }
                read += &format!("{line}\n");
            }
            tally.count(case, "", &read, &self.outdated);
        }
        Ok(tally)
    }

    /// For each correction, the outputs that still show the old text: the number of corrections, of outputs, and those.
    pub fn correction_reach(&self) -> (usize, usize, Vec<String>) {
        let corrections = corrections();
        let (mut outputs, mut stale) = (0, Vec::new());
        for (n, (old, new)) in corrections.iter().enumerate() {
            let file = if old.is_ascii() { "rules-en" } else { "rules-zh" };
            let session = format!("reach-{n}");
            let shown = [
                ("hook session-start", self.hook("session-start", &session, json!({}))),
                ("hook user-prompt", self.hook("user-prompt", &session, json!({"prompt": old}))),
                (
                    "hook pre-tool",
                    self.hook("pre-tool", &session, json!({"tool_name": "Task", "tool_input": {"prompt": new}})),
                ),
                ("context", self.memdir(&["context", "-b", "8000"])),
                ("context --stable", self.memdir(&["context", "--stable", "-b", "8000"])),
                ("context --style index", self.memdir(&["context", "--style", "index", "-b", "8000"])),
                ("context --style records", self.memdir(&["context", "--style", "records", "-b", "8000"])),
                ("query", self.memdir(&["query", old, "-a", "--full"])),
                ("list", self.memdir(&["list", file])),
                ("read", self.memdir(&["read", file])),
                ("export", self.memdir(&["export", "--to", "jsonl"])),
            ];
            outputs = shown.len();
            // The words of a question may be in an answer; the old rule may not.
            let of_old = shown.into_iter().filter(|(_, text)| text.contains(old.as_str()));
            stale.extend(of_old.map(|(name, _)| format!("{name}: {old}")));
        }
        (corrections.len(), outputs, stale)
    }
}

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/delivery").join(name);
    fs::read_to_string(path).expect("a fixture")
}

/// The rules with their keywords, each in its metadata line.
fn with_keywords(text: &str) -> String {
    let table = fixture("keywords.tsv");
    let keywords: BTreeMap<&str, &str> = table.lines().filter_map(|line| line.split_once('\t')).collect();
    let mut lines = text.lines().peekable();
    let mut out = String::new();
    while let Some(line) = lines.next() {
        out += &format!("{line}\n");
        let Some(words) = line.strip_prefix("- ").and_then(|rule| keywords.get(rule)) else { continue };
        match lines.next_if(|next| next.starts_with("  <!-- mem ")) {
            Some(meta) => out += &format!("{} keywords=\"{words}\" -->\n", meta.trim_end_matches(" -->")),
            None => out += &format!("  <!-- mem keywords=\"{words}\" -->\n"),
        }
    }
    out
}

/// The rules in random order below the title, so that neither half stands first in what a session starts with.
fn shuffled(text: &str) -> String {
    let title = text.lines().next().unwrap_or_default();
    let mut rules: Vec<String> = Vec::new();
    for line in text.lines().skip(1) {
        match (line.starts_with("- "), line.starts_with("  "), rules.last_mut()) {
            (true, ..) => rules.push(format!("{line}\n")),
            (_, true, Some(rule)) => *rule += &format!("{line}\n"),
            _ => {}
        }
    }
    let mut dice = Dice(5);
    (1..rules.len()).rev().for_each(|n| rules.swap(n, dice.roll(n + 1)));
    format!("{title}\n\n{}", rules.concat())
}

fn corrections() -> Vec<(String, String)> {
    let text = fixture("corrections.tsv");
    let pairs = text.lines().filter_map(|line| line.split_once('\t'));
    pairs.map(|(old, new)| (old.to_owned(), new.to_owned())).collect()
}

fn cases(half: &str) -> Vec<Case> {
    let text = fixture(&format!("{half}.tsv"));
    let rows = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let case = |row: Vec<&str>| Case {
        kind: row[0].to_owned(),
        act: row[1].to_owned(),
        rule: Some(row[2].to_owned()).filter(|rule| rule != "-"),
    };
    rows.map(case).collect()
}

/// Words of four letters or more, and pairs of Chinese characters.
fn words_of(act: &str) -> Vec<String> {
    let words = act.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() >= 4).map(str::to_owned);
    let runs = act.split(|c: char| c.is_ascii() || !c.is_alphanumeric());
    let pairs = runs.flat_map(|run| {
        let chars: Vec<char> = run.chars().collect();
        chars.windows(2).map(|pair| pair.iter().collect::<String>()).collect::<Vec<_>>()
    });
    words.chain(pairs).collect()
}

/// The estimate of the program: four ASCII characters a token, two others, one of a script without spaces.
fn tokens(text: &str) -> usize {
    let weight = |c: char| match c {
        c if c.is_ascii() => 1,
        '\u{3000}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{ff00}'..='\u{ffef}' => 4,
        _ => 2,
    };
    text.chars().map(weight).sum::<usize>().div_ceil(4)
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// Facts that no case is about, in both languages, about things that the rules are about as well.
fn distractors() -> Vec<String> {
    const WHO: [&str; 12] = [
        "Marta",
        "Jonas",
        "the night shift",
        "the harbour office",
        "Ilse",
        "the auditors",
        "Ravi",
        "the crane crew",
        "Lotte",
        "the pilot station",
        "Emeka",
        "the canteen",
    ];
    const DOES: [&str; 10] = [
        "prefers",
        "moved to",
        "keeps a copy of",
        "was asked about",
        "likes",
        "presented",
        "ordered",
        "lost",
        "painted",
        "photographed",
    ];
    const WHAT: [&str; 14] = [
        "the blue folder",
        "the second floor",
        "tea in the meeting room",
        "the shipment calendar",
        "a new keyboard",
        "the map of the old quay",
        "the invoice archive of 2019",
        "the coffee machine",
        "the container poster",
        "the customs handbook",
        "a bicycle stand",
        "the plan of the pier",
        "the vessel model",
        "the summer party",
    ];
    const SHEI: [&str; 8] = ["王护士", "前台", "李主任", "保洁组", "陈医生", "药房小张", "志愿者", "后勤部"];
    const ZUO: [&str; 8] = ["喜欢", "买了", "搬走了", "整理了", "拍了", "借用了", "修好了", "画了"];
    const SHENME: [&str; 10] = [
        "新的打印机",
        "三楼的会议室",
        "去年的日历",
        "候诊区的绿植",
        "处方柜的钥匙扣",
        "医院的老照片",
        "食堂的菜单",
        "一辆自行车",
        "化验室的海报",
        "红色的文件夹",
    ];
    let mut dice = Dice(3);
    let mut all: Vec<String> = Vec::new();
    while all.len() < 360 {
        let line = match all.len() % 3 {
            2 => format!("{}{}{}", SHEI[dice.roll(8)], ZUO[dice.roll(8)], SHENME[dice.roll(10)]),
            _ => format!(
                "In week {} {} {} {}",
                1 + dice.roll(52),
                WHO[dice.roll(12)],
                DOES[dice.roll(10)],
                WHAT[dice.roll(14)]
            ),
        };
        if !all.contains(&line) {
            all.push(line);
        }
    }
    all
}
