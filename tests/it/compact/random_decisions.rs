//! Conservation under random decisions: whatever is decided about whatever memory, no item is lost.
//!
//! Pure, and the judge shares nothing with the check in the product: it counts the texts of bullets before and after.
//! Small by default, 100,000 cases with `MEMDIR_FULL=1`; `MEMDIR_SEED=N` runs one case and prints it.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use memdir::change::{Changeset, FileVersion};
use memdir::document::Document;
use memdir::operation::evict::{ItemAges, select_oldest};
use memdir::operation::limits::{LimitedSection, SizeLimits, entry_sections, section_size};
use memdir::operation::{FileHistory, MissingInput, Operation, PlanContext, PlanOutcome, Snapshot, plan};
use memdir::path::{MemoryPath, PathPrefixes};
use memdir::policy::Policy;
use memdir::reflect::compaction::{
    CompactionRules, CompactionStep, OverLimit, check_conservation, current_operations, decide, is_current,
    parse_reply, plan_steps, removal_steps,
};
use serde_json::{Value, json};

use crate::support::NOW;
use crate::support::memory::full;

/// A small memory: the file, what its archive holds already, the place that is over its limit.
struct Case {
    path: MemoryPath,
    text: String,
    archive: Option<String>,
    place: LimitedSection,
}

const TEXTS: [&str; 8] = [
    "Prefers tabs",
    "Lives in Austin",
    "喜欢绿茶",
    "depends_on [[facts/project]]",
    "\\# no heading",
    "Date: 2026-02-03",
    "Updated: 2025-01-01",
    "`code` and *stars* <b>tags</b>",
];

fn bullet(rng: &mut Rng, n: usize, out: &mut String, eol: &str) {
    let text = if rng.usize(..100) < 70 { format!("Fact number {n}") } else { rng.choice(&TEXTS).unwrap().to_string() };
    let marker = rng.choice(&["-", "-", "-", "*"]).unwrap();
    out.push_str(&format!("{marker} {text}{eol}"));
    if rng.usize(..100) < 25 {
        let meta = rng
            .choice(&["pin=true", "imp=9", "imp=1 added=2026-01-02", "upd=2024-05-06", "id=mem7 pin=false"])
            .unwrap();
        out.push_str(&format!("  <!-- mem {meta} -->{eol}"));
    }
    if rng.usize(..100) < 15 {
        out.push_str(&format!("  - below {n}{eol}"));
        if rng.usize(..100) < 20 {
            out.push_str(&format!("    <!-- mem pin=true -->{eol}"));
        }
    }
    if rng.usize(..100) < 10 {
        out.push_str(&format!("{eol}  more of {n}{eol}"));
    }
}

fn case(rng: &mut Rng) -> Case {
    let episodes = rng.usize(..100) < 35;
    let path = if episodes { "episodes/2026-02.md" } else { "facts/user.md" };
    let path = MemoryPath::new(path).unwrap();
    let eol = if rng.usize(..100) < 15 { "\r\n" } else { "\n" };
    let mut text = String::new();
    if rng.usize(..100) < 80 {
        text.push_str(&format!("# Title{eol}{eol}"));
    }
    if rng.usize(..100) < 40 {
        text.push_str(&format!("> Summary: fact, work{eol}{eol}"));
    }
    let mut n = 0;
    for s in 0..1 + rng.usize(..5) {
        if s > 0 || episodes {
            let title = rng.choice(&["Work", "Work", "Travel", "Logger fix", "工作"]).unwrap();
            text.push_str(&format!("{eol}{} {title}{eol}{eol}", if rng.usize(..100) < 85 { "##" } else { "###" }));
            if rng.usize(..100) < (if episodes { 70 } else { 5 }) {
                text.push_str(&format!("- Date: 2026-02-{:02}{eol}", 1 + rng.usize(..28)));
            }
        }
        for _ in 0..rng.usize(..6) {
            n += 1;
            bullet(rng, n, &mut text, eol);
        }
        if rng.usize(..100) < 20 {
            text.push_str(&format!("{eol}Some prose {s}.{eol}"));
        }
    }
    if rng.usize(..100) < 10 {
        text.truncate(text.trim_end().len());
    }
    let document = Document::parse(text.clone());
    let section = if rng.usize(..100) < 70 { 0 } else { rng.usize(..document.sections().len()) };
    let holds = section_size(&document, section);
    let less = |rng: &mut Rng, n: usize| n.checked_sub(1 + rng.usize(..3));
    let mut most = SizeLimits::default();
    match rng.usize(..10) {
        0..5 => most.bullets = less(rng, holds.bullets),
        5..8 => most.entries = less(rng, holds.entries),
        8 => most.chars = holds.chars.checked_sub(1 + rng.usize(..30)),
        _ => {
            most.bullets = less(rng, holds.bullets);
            most.chars = holds.chars.checked_sub(1 + rng.usize(..20));
        }
    }
    let archive = (rng.usize(..100) < 30).then(|| "# Title\n\n- put aside before\n\n## Work\n\n- older\n".to_owned());
    Case { path, text, archive, place: LimitedSection { section, limits: most } }
}

fn name(rng: &mut Rng, document: &Document, n: usize) -> Value {
    match rng.usize(..20) {
        0..16 => json!(rng.usize(1..=n)),
        16 => json!(rng.usize(1..=n).to_string()),
        17 if !document.bullets().is_empty() => json!(document.handle_name(rng.usize(..document.bullets().len()))),
        18 => rng
            .choice(&[json!(0), json!(-3), json!(99), json!(2.5), json!("zzzz"), json!("../x"), json!([])])
            .unwrap()
            .clone(),
        _ => rng
            .choice(&[json!("facts/other.md@acvh"), json!("work"), json!("#work-1"), json!({"n": 1})])
            .unwrap()
            .clone(),
    }
}

/// What some items say, as a merged text may say it.
fn merged_text(over_limit: &OverLimit, named: &[Value]) -> String {
    let items = named.iter().filter_map(|n| over_limit.items.get(usize::try_from(n.as_u64()?).ok()?.checked_sub(1)?));
    let lines = items.flat_map(|item| item.text.lines());
    let said: Vec<&str> =
        lines.map(|l| l.trim_start_matches(['-', '#', ' ']).trim()).filter(|l| !l.is_empty()).collect();
    said.join("; ")
}

fn random_reply(rng: &mut Rng, document: &Document, over_limit: &OverLimit) -> String {
    let n = over_limit.items.len();
    let new = [
        "Two in one",
        "- marked",
        "# heading",
        "Fact number 1",
        "a\nb",
        "",
        "  ",
        "```",
        "[ ] task",
        "---",
        "> quote",
        "x <!-- mem pin=true -->",
        "<div>",
        "1. one",
        "ends with \\",
        "^mem7",
        "- Date: 2026-02-01\n- what happened",
    ];
    let one = |rng: &mut Rng| {
        let absorbs: Vec<Value> = (0..rng.usize(..4)).map(|_| name(rng, document, n)).collect();
        let target = name(rng, document, n);
        let named: Vec<Value> = absorbs.iter().chain([&target]).cloned().collect();
        let text = match rng.usize(..4) {
            0 => (*rng.choice(&new).unwrap()).to_owned(),
            1 => format!("{} {}", rng.choice(&new).unwrap(), merged_text(over_limit, &named)),
            _ => merged_text(over_limit, &named),
        };
        json!({
            "action": rng.choice(&["delete", "delete", "merge", "merge", "edit", "keep"]).unwrap(),
            "target": target,
            "absorbs": absorbs,
            "new_content": text,
            "reason": "so",
        })
    };
    match rng.usize(..10) {
        0..8 => one(rng).to_string(),
        _ => json!([one(rng), one(rng)]).to_string(),
    }
}

/// A memory of two files, planned on again and again.
struct World {
    path: MemoryPath,
    archive: MemoryPath,
    texts: [Option<String>; 2],
}

impl World {
    fn document(&self) -> Document {
        Document::parse(self.texts[0].clone().unwrap())
    }

    fn planned(&self, operations: &[Operation]) -> Option<Changeset> {
        let now = NOW.parse::<jiff::Timestamp>().unwrap().to_zoned(jiff::tz::TimeZone::UTC);
        let (policy, prefixes) = (Policy::default(), PathPrefixes::default());
        let cx = PlanContext {
            policy: &policy,
            prefixes: &prefixes,
            now: &now,
            actor: "tester",
            force: false,
            create: false,
            allow_reserved: false,
            links: None,
        };
        let mut snapshot = Snapshot::new();
        for _ in 0..20 + operations.len() {
            let planned = plan(&snapshot, operations, &cx);
            if let Err(refused) = &planned {
                self.no(&refused[0].to_string());
            }
            match planned.ok()? {
                PlanOutcome::Ready(changeset) => return Some(*changeset),
                PlanOutcome::NeedsInput(wants) => wants.into_iter().for_each(|want| self.answer(&mut snapshot, want)),
            }
        }
        panic!("planning never comes to an end: {operations:?}");
    }

    fn answer(&self, snapshot: &mut Snapshot, want: MissingInput) {
        match want {
            MissingInput::File(path) => {
                let text =
                    [&self.path, &self.archive].iter().position(|p| **p == path).and_then(|i| self.texts[i].clone());
                snapshot.insert_file(path, Ok(text.map(|t| FileVersion::new(t.into_bytes(), 0o600))));
            }
            MissingInput::FileNames => snapshot.set_file_names(vec![self.path.clone()]),
            MissingInput::TopFolder(name) => snapshot.insert_top_folder(name, false),
            MissingInput::IdHolders(id) => snapshot.insert_id_holders(id, Vec::new()),
            MissingInput::Backlinks(path) => snapshot.insert_backlinks(path, Vec::new()),
            MissingInput::LastSummary(path) => snapshot.insert_last_summary(path, None),
            MissingInput::History(path) => snapshot.insert_history(path, FileHistory::default()),
            MissingInput::RelatedFiles { text, .. } => snapshot.insert_related_files(text, Vec::new()),
        }
    }

    fn no(&self, why: &str) -> bool {
        if std::env::var_os("MEMDIR_SEED").is_some() {
            println!("refused: {why}");
        }
        false
    }

    /// Takes one step; whether it was taken.
    fn take(&mut self, step: &CompactionStep) -> bool {
        let before = self.document();
        if !is_current(step, &before) {
            return self.no("not ready");
        }
        let Some(changeset) = self.planned(&current_operations(step, &before)) else { return self.no("not planned") };
        let mut texts = self.texts.clone();
        for file in &changeset.files {
            let at = usize::from(file.path != self.path);
            assert!(at == 0 || file.path == self.archive, "{} is nobody's business", file.path);
            texts[at] = file.after.as_ref().map(|b| String::from_utf8(b.to_vec()).unwrap());
        }
        let Some(after) = texts[0].clone().map(Document::parse) else { return self.no("gone") };
        if check_conservation(step, &before, &after).is_err() {
            return self.no(&format!("not conserved: {}", after.text()));
        }
        self.texts = texts;
        true
    }
}

/// The texts of all bullets, nested ones too.
fn bullets(text: Option<&str>) -> BTreeMap<String, usize> {
    let document = Document::parse(text.unwrap_or_default());
    let mut all = BTreeMap::new();
    (0..document.bullets().len()).for_each(|i| *all.entry(document.bullet_text(i).into_owned()).or_default() += 1);
    all
}

fn prose(text: Option<&str>) -> BTreeSet<String> {
    let lines = text.unwrap_or_default().lines().map(str::trim);
    lines.filter(|l| l.starts_with("Some prose") || l.starts_with("more of")).map(str::to_owned).collect()
}

fn pinned(document: &Document) -> Vec<String> {
    let all = (0..document.bullets().len())
        .filter(|i| document.bullet_meta(*i).is_some_and(|m| m.raw("pin").is_some_and(|v| v == "true")));
    all.map(|i| document.bullet_raw(i).to_owned()).collect()
}

/// The earlier bullets and paragraphs that are neither in the file nor in the archive.
fn lost(before: &World, after: &World) -> Vec<String> {
    let all = |world: &World| {
        let mut all = bullets(world.texts[0].as_deref());
        for (text, n) in bullets(world.texts[1].as_deref()) {
            *all.entry(text).or_default() += n;
        }
        all
    };
    let (had, has) = (all(before), all(after));
    let mut gone: Vec<String> = Vec::new();
    for (text, n) in &had {
        let left = has.get(text).copied().unwrap_or_default();
        (left..*n).for_each(|_| gone.push(text.clone()));
    }
    let both = |world: &World| {
        let mut all = prose(world.texts[0].as_deref());
        all.extend(prose(world.texts[1].as_deref()));
        all
    };
    gone.extend(both(before).difference(&both(after)).cloned());
    gone.sort();
    gone
}

#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    decided: usize,
    merged: usize,
    refused: usize,
    aged: usize,
    stuck: usize,
}

fn run(seed: u64, tally: &mut Tally, loud: bool) {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ seed);
    let case = case(&mut rng);
    let archive = case.path.in_archive().unwrap();
    let mut world = World { path: case.path.clone(), archive, texts: [Some(case.text.clone()), case.archive.clone()] };
    let first = World { path: case.path.clone(), archive: world.archive.clone(), texts: world.texts.clone() };
    let document = world.document();
    if case.place.excess(&document).is_zero() {
        return;
    }
    tally.cases += 1;
    let ages = ItemAges::new(&document, &[], Some(&document), "2026-02-24");
    let crowd = OverLimit::collect(&document, &case.path, &case.place, &ages, &[], &|t| t.to_owned());
    let reply = random_reply(&mut rng, &document, &crowd);
    if loud {
        println!("--- {}\n{}\n--- {:?}\n{reply}", case.path, case.text, case.place);
    }
    let rules = CompactionRules { max_chars: 280, sensitive: &[], check: &|_| Ok(()) };
    let decisions = parse_reply(&reply, &[]).and_then(|random_reply| decide(&crowd, &random_reply, &rules));
    match decisions {
        Ok(decisions) => {
            let saved = world.texts.clone();
            let all = plan_steps(&crowd, &document, &decisions, "test");
            if all.iter().all(|step| world.take(step)) {
                tally.decided += 1;
                tally.merged += usize::from(decisions.iter().any(|d| d.text.is_some()));
                let named: usize = decisions.iter().map(|d| d.absorbs.len() + usize::from(d.text.is_none())).sum();
                let now = world.document();
                let tops = |d: &Document| (0..d.bullets().len()).filter(|i| d.bullets()[*i].depth == 0).count();
                if crowd.entries {
                    assert_eq!(entry_sections(&now, 0).len() + named, entry_sections(&document, 0).len(), "seed {seed}")
                } else {
                    assert_eq!(tops(&now) + named, tops(&document), "seed {seed}")
                }
            } else {
                world.texts = saved;
                tally.refused += 1;
            }
        }
        Err(_) => tally.refused += 1,
    }
    let gone = lost(&first, &world);
    assert!(gone.is_empty(), "seed {seed}: decided, and lost {gone:?}\n{:#?}", world.texts);
    // Whatever is left over goes by age.
    let slug = document.sections()[case.place.section].slug.clone();
    for _ in 0..3 {
        let now = world.document();
        let section = now.sections().iter().position(|s| s.slug == slug).unwrap_or_default();
        let place = LimitedSection { section, ..case.place };
        let ages = ItemAges::new(&now, &[], Some(&document), "2026-02-24");
        if place.excess(&now).is_zero() || section == 0 && case.place.section != 0 {
            break;
        }
        let Some(things) = select_oldest(&now, &place, &[], &ages) else {
            tally.stuck += 1;
            break;
        };
        let all = removal_steps(&case.path, &now, &things, "old");
        for step in &all {
            assert!(world.take(step), "seed {seed}: {step:?}\n{}", world.texts[0].as_deref().unwrap_or_default());
        }
        tally.aged += 1;
        let now = world.document();
        let section = now.sections().iter().position(|s| s.slug == slug);
        if let Some(section) = section {
            assert!(LimitedSection { section, ..case.place }.excess(&now).is_zero(), "seed {seed}: still over");
        }
    }
    let gone = lost(&first, &world);
    assert!(gone.is_empty(), "seed {seed}: lost {gone:?}\n{:#?}", world.texts);
    let (had, has) = (pinned(&document), pinned(&world.document()));
    assert_eq!(had, has, "seed {seed}: a pinned bullet went or changed");
}

#[test]
fn nothing_is_lost_whatever_is_decided() {
    let mut tally = Tally::default();
    if let Some(seed) = std::env::var("MEMDIR_SEED").ok().and_then(|s| s.parse().ok()) {
        run(seed, &mut tally, true);
        return println!("{tally:?}");
    }
    let cases = if full() { 100_000 } else { 400 };
    let mut seed = 0;
    while tally.cases < cases {
        let done = tally.cases;
        run(seed, &mut tally, false);
        seed += 1;
        if tally.cases > done && tally.cases % 5_000 == 0 {
            println!("{tally:?}");
        }
    }
    println!("{tally:?}");
    assert!(tally.decided * 20 > cases && tally.merged * 50 > cases && tally.aged * 5 > cases, "{tally:?}");
}
