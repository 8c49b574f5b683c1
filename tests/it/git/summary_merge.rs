//! A summary line must not cost merges: with a plain line merge, branches that touch different bullets merge as often
//! with the line as without it.

use fastrand::Rng;
use memdir::document::Document;
use memdir::document::summary::{FileKind, SummaryUpdate, update_summary};
use memdir::text::splice;
use similar::TextMerge;

const PAIRS: usize = 500;
const WORDS: &str = "amber birch cedar delta ember fjord grove harbor iris jade kelp lotus maple north olive pearl quartz \
                     river stone tulip umber violet willow yarrow zinc";

fn random_text(rng: &mut Rng) -> String {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut word = || format!("{}{}", words[rng.usize(..words.len())], ["", "er", "o", "ix", "an"][rng.usize(..5)]);
    let most = word().len() % 5;
    (0..3 + most).map(|_| word()).collect::<Vec<_>>().join(" ")
}

#[derive(Clone)]
struct Bullet {
    id: usize,
    label: Option<String>,
    text: String,
}

/// Sections of bullets.
type File = Vec<Vec<Bullet>>;

/// What files look like.
#[derive(Clone, Copy)]
struct Shape {
    sections: usize,
    /// Fewest bullets of a section; at most twice as many.
    bullets: usize,
    /// A third of the bullets has a label.
    labelled: bool,
}

fn file(rng: &mut Rng, shape: Shape) -> File {
    let mut id = 0;
    let mut bullet = |rng: &mut Rng| {
        id += 1;
        let label = (shape.labelled && rng.usize(..3) == 0).then(|| format!("Label{id}"));
        Bullet { id, label, text: random_text(rng) }
    };
    (0..shape.sections)
        .map(|_| (0..shape.bullets + rng.usize(..shape.bullets + 1)).map(|_| bullet(rng)).collect())
        .collect()
}

fn print(file: &File) -> String {
    let mut out = String::from("# Notes\n");
    for (number, bullets) in file.iter().enumerate() {
        out += &format!("\n## {} part\n\n", WORDS.split_whitespace().nth(number).unwrap());
        for bullet in bullets {
            let label = bullet.label.as_ref().map(|l| format!("{l}: ")).unwrap_or_default();
            out += &format!("- {label}{}\n", bullet.text);
        }
    }
    out
}

/// One to three additions, updates, removals; never of a bullet that `taken` names.
fn changed(rng: &mut Rng, base: &File, taken: &mut Vec<usize>) -> File {
    let mut file = base.clone();
    for _ in 0..1 + rng.usize(..3) {
        let all: Vec<usize> = base.iter().flatten().map(|b| b.id).filter(|id| !taken.contains(id)).collect();
        let (what, id) = (rng.usize(..3), all[rng.usize(..all.len())]);
        let section = file.iter().position(|s| s.iter().any(|b| b.id == id)).unwrap();
        match what {
            0 => file[section].push(Bullet { id: 0, label: None, text: random_text(rng) }),
            1 => file[section].iter_mut().find(|b| b.id == id).unwrap().text = random_text(rng),
            _ => file[section].retain(|b| b.id != id),
        }
        taken.push(id);
    }
    file
}

/// A text with its summary line, as memdir writes it when `before`, whose line is memdir's, becomes this.
fn summarised(before: &str, after: &str) -> String {
    let last = before.lines().find_map(|l| l.strip_prefix("> Summary: "));
    match update_summary(&Document::parse(before), &Document::parse(after), FileKind::Facts, Some(last)) {
        SummaryUpdate::Write { splice: s, .. } => splice(after, &[s]).unwrap(),
        _ => after.to_string(),
    }
}

/// A text without a summary, with another text's summary line added.
fn with_line_of(base: &str, bare: &str) -> String {
    let line = base.lines().find(|l| l.starts_with("> Summary: ")).unwrap();
    bare.replacen("# Notes\n", &format!("# Notes\n\n{line}\n"), 1)
}

/// How many of the pairs merge without and with a summary line.
fn clean(shape: Shape) -> (usize, usize) {
    let mut rng = Rng::with_seed(0x9E37_79B9_7F4A_7C15);
    let (mut without, mut with) = (0, 0);
    for _ in 0..PAIRS {
        let base = file(&mut rng, shape);
        let mut taken = Vec::new();
        let ours = changed(&mut rng, &base, &mut taken);
        let theirs = changed(&mut rng, &base, &mut taken);
        let bare = [&base, &ours, &theirs].map(print);
        without += usize::from(!TextMerge::from_lines(&*bare[0], &*bare[1], &*bare[2]).is_conflicted());
        let base = summarised("", &bare[0]);
        let [ours, theirs] = [&bare[1], &bare[2]].map(|side| summarised(&base, &with_line_of(&base, side)));
        with += usize::from(!TextMerge::from_lines(&*base, &*ours, &*theirs).is_conflicted());
    }
    (without, with)
}

#[track_caller]
fn check(shape: Shape, percent: usize) {
    let (without, with) = clean(shape);
    assert!(without > PAIRS / 3, "{without} of {PAIRS} merge at all");
    assert!(
        with * 100 + percent * PAIRS >= without * 100,
        "{without} of {PAIRS} merge without the line, {with} with it"
    );
}

#[test]
fn files_with_sections_merge_as_often_with_a_summary_line_as_without() {
    check(Shape { sections: 4, bullets: 3, labelled: false }, 2);
    check(Shape { sections: 8, bullets: 3, labelled: false }, 2);
}

/// Two branches that each remove a label both change the line.
#[test]
fn removed_labels_cost_few_merges() {
    check(Shape { sections: 4, bullets: 3, labelled: true }, 4);
    check(Shape { sections: 8, bullets: 3, labelled: true }, 4);
}

#[test]
fn indicative_words_cost_few_merges() {
    check(Shape { sections: 1, bullets: 12, labelled: false }, 3);
}
