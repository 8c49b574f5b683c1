//! What the ranking is worth: conversations and facts made here, questions with known answers, and plain BM25 to beat.

use std::collections::HashMap;

use fastrand::Rng;
use memdir::commands;
use memdir::view::query::filter::QueryOptions;

use crate::support::Memory;

/// One event: a person, an action (in one form in the text, in another in the question), and a place.
const DEEDS: [(&str, &str, &str); 24] = [
    ("painted a sunrise over the harbour", "painting of the sunrise", "art"),
    ("adopted two kittens from the shelter", "adopt kittens", "pets"),
    ("signed up for pottery classes", "pottery class", "art"),
    ("hiked the coastal trail with cousins", "hiking the coast trail", "sport"),
    ("baked sourdough bread for the neighbours", "baking bread for neighbors", "food"),
    ("broke a wrist while skating", "wrist breaking in a skate accident", "health"),
    ("planted tomatoes on the balcony", "tomato planting", "garden"),
    ("sold the old motorcycle", "selling a motorcycle", "money"),
    ("interviewed at a bakery in Lyon", "interview with the bakery", "work"),
    ("finished reading a novel about whales", "reading novels on whales", "books"),
    ("repaired the kitchen faucet", "repairing faucets", "home"),
    ("volunteered at the animal clinic", "volunteer work at the clinic", "work"),
    ("tried climbing at the new gym", "try to climb in the gym", "sport"),
    ("lost a suitcase at the airport", "losing suitcases", "travel"),
    ("learned three songs on the ukulele", "learning ukulele songs", "music"),
    ("visited grandmother in the mountains", "visit to the grandmother", "family"),
    ("ordered new glasses", "ordering glasses", "health"),
    ("swam across the lake", "swimming across lakes", "sport"),
    ("recorded a podcast about bees", "recording the bee podcast", "art"),
    ("applied for a scholarship", "application for scholarships", "work"),
    ("roasted coffee beans at home", "coffee roasting", "food"),
    ("cleaned the attic", "cleaning attics", "home"),
    ("photographed foxes at night", "photographing a fox", "art"),
    ("joined the choir rehearsals", "joining choir rehearsal", "music"),
];
const PEOPLE: [&str; 4] = ["Caroline", "Melanie", "Gina", "Jon"];
const TALK: [&str; 12] = [
    "that sounds wonderful, tell me more about it",
    "what have you been up to since we met?",
    "did you have a good time there?",
    "wow, I am so proud of you and of what you do",
    "thanks, it means a lot to me",
    "how was the rest of the week for you?",
    "I have been busy with the kids and the house",
    "we should do that together when we have time",
    "the weather was not so good, but we had fun",
    "have you ever thought about doing it again?",
    "it was a long day at the office, as always",
    "oh nice, where did you do that and with whom?",
];

/// Paths with texts, or questions with answers.
type Pairs = Vec<(String, String)>;

/// A memory of conversations, and questions with the text that answers each.
fn conversations() -> (Pairs, Pairs) {
    let mut rng = Rng::with_seed(11);
    let (mut files, mut questions) = (Vec::new(), Vec::new());
    for session in 0..24 {
        let (month, day) = (1 + session % 12, 3 + session);
        let mut text = format!("# Talk\n\n## Session {session}\n- Date: 2023-{month:02}-{day:02}\n");
        for deed in 0..4 {
            let who = PEOPLE[rng.usize(..4)];
            let other = PEOPLE[(PEOPLE.iter().position(|p| *p == who).unwrap() + 1 + rng.usize(..3)) % 4];
            let (stated, queried, _) = DEEDS[(session * 4 + deed * 7) % DEEDS.len()];
            let when = ["yesterday", "last week", "the other day", "on Friday"][rng.usize(..4)];
            let sentence = format!("{who}: I {stated} {when}, session {session}");
            for _ in 0..2 + rng.usize(..3) {
                text += &format!("- {}: {}\n", PEOPLE[rng.usize(..4)], TALK[rng.usize(..TALK.len())]);
            }
            // A question about it, and a mention of another person: near misses.
            text += &format!(
                "- {other}: {who}, how did the {} go?\n- {sentence}\n- {other}: {}\n",
                queried,
                TALK[rng.usize(..TALK.len())]
            );
            let month = [
                "January",
                "February",
                "March",
                "April",
                "May",
                "June",
                "July",
                "August",
                "September",
                "October",
                "November",
                "December",
            ][month - 1];
            let question = match rng.usize(..2) {
                0 => format!("When did {who} tell about the {queried} in {month} 2023?"),
                _ => format!("What did {who} say about {queried} in {month} 2023?"),
            };
            questions.push((question, sentence));
        }
        files.push((format!("episodes/2023-{month:02}-{session:02}.md"), text));
    }
    (files, questions)
}

/// Plain BM25 over bullets: lower-case words as written, k1 1.2, b 0.75.
fn plain(files: &[(String, String)], question: &str) -> Vec<String> {
    let words = |text: &str| -> Vec<String> {
        text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect()
    };
    let bullets: Vec<&str> = files.iter().flat_map(|(_, t)| t.lines()).filter_map(|l| l.strip_prefix("- ")).collect();
    let all: Vec<Vec<String>> = bullets.iter().map(|b| words(b)).collect();
    let mut df: HashMap<&str, f64> = HashMap::new();
    for bullet in &all {
        let mut once: Vec<&str> = bullet.iter().map(String::as_str).collect();
        once.sort_unstable();
        once.dedup();
        once.into_iter().for_each(|w| *df.entry(w).or_default() += 1.0);
    }
    let (n, mean) = (all.len() as f64, all.iter().map(Vec::len).sum::<usize>() as f64 / all.len() as f64);
    let score = |bullet: &Vec<String>| -> f64 {
        words(question)
            .iter()
            .map(|w| {
                let tf = bullet.iter().filter(|b| *b == w).count() as f64;
                let df = df.get(w.as_str()).copied().unwrap_or(0.0);
                let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
                idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * bullet.len() as f64 / mean))
            })
            .sum()
    };
    let mut ranked: Vec<(f64, usize)> = all.iter().enumerate().map(|(i, b)| (score(b), i)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().take(10).map(|(_, i)| bullets[i].to_owned()).collect()
}

/// Recall among the first ten, and the mean reciprocal rank among them.
fn worth(questions: &[(String, String)], rank: impl Fn(&str) -> Vec<String>) -> (f64, f64) {
    let (mut recall, mut reciprocal) = (0.0, 0.0);
    for (question, answer) in questions {
        if let Some(at) = rank(question).iter().position(|text| text == answer) {
            recall += 1.0;
            reciprocal += 1.0 / (at as f64 + 1.0);
        }
    }
    (recall / questions.len() as f64, reciprocal / questions.len() as f64)
}

#[test]
fn the_ranking_beats_plain_bm25() {
    let (files, questions) = conversations();
    let memory = files.iter().fold(Memory::new(), |memory, (path, text)| memory.file(path, text));
    let session = memory.session();
    let ours = worth(&questions, |question| {
        let ask = QueryOptions { query: question.into(), limit: Some(10), ..QueryOptions::default() };
        let found = commands::query(&session, &ask).unwrap();
        found.items.into_iter().map(|row| row.text).collect()
    });
    let theirs = worth(&questions, |question| plain(&files, question));
    let stated = format!("ours R@10 {:.3} MRR {:.3}, plain R@10 {:.3} MRR {:.3}", ours.0, ours.1, theirs.0, theirs.1);
    assert!(ours.0 >= theirs.0 + 0.1 && ours.1 >= theirs.1 + 0.1, "{stated}");
    assert!(ours.0 >= 0.9 && ours.1 >= 0.6, "{stated}");
}

#[test]
fn relevance_is_1_for_items_with_every_word_and_for_no_other() {
    let texts = [
        "Prefers tabs over spaces in Go files",
        "Keeps tabs on spaces, tabs on files and tabs on tabs",
        "Anna drinks oolong tea at noon",
        "Deploys run on Fridays from the staging branch",
        "Tea, tea and tea again: tea at noon with tea tins",
    ];
    let bullets: String = texts.iter().map(|text| format!("- {text}\n")).collect();
    let memory = Memory::new().file("facts/user.md", &format!("# User\n\n{bullets}"));
    for (question, expected) in [
        ("tabs spaces", &texts[..2]),
        ("tabs spaces Go", &texts[..1]),
        ("the tea at noon", &[texts[2], texts[4]]),
        ("oolong tea", &texts[2..3]),
        ("drinks drinking tea", &texts[2..3]),
        ("staging Fridays deploy", &texts[3..4]),
        ("oolong tins", &[]),
    ] {
        let answer = memory.done(["query", question, "--threshold", "1", "--json"]).json();
        let mut found: Vec<&str> =
            answer["items"].as_array().unwrap().iter().filter_map(|i| i["text"].as_str()).collect();
        found.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{question}");
    }
}

#[test]
fn versions_behind_a_name_and_plurals_of_hyphenated_words_are_found() {
    let fillers = "- Owns a red bicycle\n- Plays the cello\n- Keeps bees\n- Grows tomatoes\n";
    for (text, questions) in [
        ("TLS 1.3 is required", &["TLS1.3", "TLSv1.3", "tls 1.3"][..]),
        ("Rollout of OAuth2 happened", &["OAuth2.0", "OAuth", "oauth2"]),
        ("The driver needs kernel 6.8.12", &["6_8_12", "6.8.12", "6.8"]),
        ("Prefers e-mail over phone", &["emails", "email", "e-mails"]),
        ("The gateway speaks TLSv1.3 only", &["TLSv1.3", "TLS1.3"]),
    ] {
        let memory = Memory::new().file("facts/user.md", &format!("# User\n\n{fillers}- {text}\n"));
        for question in questions {
            let answer = memory.done(["query", question, "--json"]).json();
            assert_eq!(answer["items"][0]["text"], text, "{question}");
        }
    }
}

#[test]
fn links_count_alike_wherever_a_file_stands_that_matches_by_its_tags() {
    let ranking = |hut: &str| {
        let memory = Memory::new()
            .file(&format!("facts/{hut}.md"), "---\ntags: [skiing]\n---\n# Hut\n\n- Stays in the blue hut\n")
            .file("facts/boat.md", &format!("# Boat\n\n- The kayak goes along, see [[{hut}]]\n"))
            .file("facts/cat.md", "# Cat\n\n- The kayak is red\n");
        let answer = memory.done(["query", "skiing kayak", "--json"]).json();
        let items = answer["items"].as_array().unwrap().iter();
        items.map(|item| item["path"].as_str().unwrap().replace(hut, "hut")).collect::<Vec<_>>()
    };
    assert_eq!(ranking("a1"), ranking("z1"));
    assert_eq!(ranking("a1").len(), 3);
}
