//! Tells English verbs in the present from those in the past, by their form and their neighbours.
//!
//! Never parses: a plural noun in the place of a verb can be taken for one, and a rare verb missed.

use super::phrase::{Token, is_capital};

/// Third persons that are rarely plural nouns.
#[rustfmt::skip]
const CLEAR: &[&str] = &[
    "accepts", "adds", "agrees", "allows", "appears", "applies", "arrives", "asks", "attends", "becomes", "begins", "believes",
    "belongs", "brings", "chooses", "collects", "comes", "compares", "complains", "confirms", "considers", "contains",
    "continues", "creates", "decides", "depends", "describes", "disagrees", "discusses", "dislikes", "does", "enables",
    "enjoys", "exists", "expects", "explains", "fails", "feels", "finds", "gets", "gives", "goes", "happens", "hates",
    "implements", "improves", "includes", "intends", "involves", "keeps", "knows", "learns", "lets", "lies", "listens",
    "loses", "makes", "means", "meets", "mentions", "migrates", "occurs", "owns", "prefers", "proposes", "provides",
    "realizes", "recommends", "refactors", "refuses", "rejects", "remains", "removes", "replies", "requires",
    "resides", "resolves", "returns", "says", "seems", "sells", "sends", "solves", "speaks", "stays", "suggests", "takes",
    "teaches", "tells", "thinks", "tries", "understands", "uses", "wants", "wonders", "writes",
];
/// Third persons that may well be nouns: only behind who acts.
#[rustfmt::skip]
const NOUNY: &[&str] = &[
    "breaks", "builds", "calls", "causes", "changes", "checks", "commutes", "covers", "crashes", "debates", "deploys",
    "documents", "drinks", "drives", "eats", "ends", "fixes", "grows", "hangs", "helps", "holds", "hopes", "leaves", "likes",
    "lives", "looks", "loves", "merges", "moves", "needs", "opens", "pays", "plans", "plays", "presents", "promises", "pulls",
    "pushes", "raises", "reads", "replaces", "reports", "requests", "reviews", "rides", "runs", "sees", "shares", "shows", "sings",
    "sleeps", "starts", "stops", "struggles", "studies", "supports", "switches", "talks", "tests", "travels", "turns",
    "updates", "visits", "walks", "watches", "works", "worries",
];
#[rustfmt::skip]
const ACTORS: &[&str] = &[
    "user", "team", "assistant", "agent", "client", "server", "vendor", "company", "customer", "manager", "project",
    "parser", "importer", "driver", "app", "api", "service", "script", "bot", "who", "which", "that", "everybody",
    "nobody", "someone", "everyone", "also", "still", "now", "often", "always", "usually", "never", "developer", "engineer",
    "pipeline", "library", "system", "tool", "model", "doctor", "landlord", "bank", "office", "meeting", "shop", "school",
    "sister", "brother", "wife", "husband", "partner", "daughter", "son", "mother", "father", "friend", "colleague", "boss",
    "neighbour", "neighbor", "index", "store",
];
/// Words before a third person that make it a plural noun.
#[rustfmt::skip]
const NOUNED: &[&str] = &[
    "the", "a", "an", "this", "these", "those", "'s", "of", "for", "in", "on", "with", "to", "from", "by", "all",
    "some", "new", "old", "no", "any", "more", "several", "few", "many", "two", "three", "four", "five", "six", "seven",
    "release", "status", "security", "price", "daily", "weekly", "between", "about", "per", "both", "and", "or", "at",
    "into", "as", "than", "most", "other", "its", "their", "his", "her", "under", "over", "without", "only", "each", "every",
];
/// What follows a verb and no noun.
#[rustfmt::skip]
const OBJECTS: &[&str] = &[
    "the", "a", "an", "that", "how", "why", "whether", "what", "this", "these", "it", "them", "user", "every", "each", "all",
    "some", "no", "up", "down", "out", "as",
];
#[rustfmt::skip]
const PAST: &[&str] = &[
    "ate", "awoke", "beat", "became", "began", "bent", "bet", "bit", "blew", "bore", "bought", "bound", "broke",
    "brought", "built", "burst", "came", "caught", "chose", "cost", "crept", "cut", "dealt", "did", "drank", "drew",
    "drove", "dug", "fed", "fell", "felt", "flew", "forgot", "fought", "found", "froze", "gave", "got", "grew", "had",
    "heard", "held", "hid", "hit", "hung", "hurt", "kept", "knew", "laid", "led", "left", "lent", "lit", "lost",
    "made", "meant", "met", "overcame", "paid", "proved", "put", "quit", "ran", "rang", "rode", "rose", "said",
    "sang", "sat", "saw", "sent", "set", "shook", "shot", "shut", "slept", "slid", "sold", "sought", "spent", "split",
    "spoke", "sprang", "spread", "stole", "stood", "struck", "stuck", "sued", "swam", "swore", "taught", "thought",
    "threw", "told", "took", "tore", "understood", "was", "went", "were", "withdrew", "woke", "won", "wore", "wrote",
];

/// Whether a word is a verb in the past by its form.
pub fn is_past(word: &str) -> bool {
    word.len() > 3
        && word.ends_with("ed")
        && !matches!(word, "need" | "feed" | "seed" | "speed" | "indeed" | "embed" | "exceed" | "succeed" | "proceed")
        || PAST.binary_search(&word).is_ok()
}

/// Whether the word behind this one is a noun, though it looks like a verb: "the tests", "of tests".
pub fn follows_noun_maker(previous: &str) -> bool {
    NOUNED.contains(&previous) || previous.bytes().all(|b| b.is_ascii_digit())
}

/// Where verbs in the simple present stand: `is`, `has`, third persons.
pub fn presents(tokens: &[Token<'_>]) -> Vec<usize> {
    (0..tokens.len()).filter(|i| is_present(tokens, *i)).collect()
}

fn is_present(tokens: &[Token<'_>], i: usize) -> bool {
    let word = tokens[i].text.as_str();
    let previous = i.checked_sub(1).map_or("", |p| tokens[p].text.as_str());
    let next = tokens.get(i + 1);
    let next_word = next.map_or("", |t| t.text.as_str());
    if is_capital(tokens[i].surface) {
        return false;
    }
    if matches!(word, "is" | "are" | "has" | "does") {
        return !(matches!(previous, "as" | "a" | "the") || word == "has" && next_word == "been");
    }
    if i == 0 || matches!(next_word, "were" | "was" | "had" | "of") {
        return false;
    }
    let named = is_capital(tokens[i - 1].surface) && (i > 1 || next_word != "and");
    if CLEAR.contains(&word) {
        return previous == "and" || !NOUNED.contains(&previous);
    }
    if previous == "and" && OBJECTS.contains(&next_word) {
        return (1..i - 1).any(|at| is_present(tokens, at));
    }
    if previous == "and"
        && NOUNY.contains(&word)
        && next.is_some()
        && !matches!(next_word, "and" | "or" | "in" | "on" | "at")
    {
        return (1..i - 1).any(|at| is_present(tokens, at));
    }
    if NOUNED.contains(&previous) || previous.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    if NOUNY.contains(&word) {
        return ACTORS.contains(&previous) || named || OBJECTS.contains(&next_word);
    }
    // A word that is not known: the third person of something, if it has an object like a verb.
    let form = word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is", "ous", "ics"].iter().any(|end| word.ends_with(end));
    let object = OBJECTS.contains(&next_word) || previous == "user" && next.is_some();
    form && object && !tokens[..i].iter().any(|t| is_past(&t.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::phrase::tokens;

    #[test]
    fn the_list_can_be_searched_by_halves() {
        let mut sorted = PAST.to_vec();
        sorted.sort_unstable();
        assert_eq!(PAST, sorted);
    }

    #[test]
    fn verbs_in_the_present_are_told_from_plurals() {
        for (text, verbs) in [
            ("Chidi sells the van", "sells"),
            ("The parser reads the file and returns a tree", "reads returns"),
            ("User knits socks", "knits"),
            ("User paints boats and repairs the sails", "paints repairs"),
            ("The fixes for three crashes were merged", ""),
            ("User's boats were sold", ""),
            ("Panel digits on page two", ""),
            ("User is tired", "is"),
            ("Uses of the API", ""),
        ] {
            let all = tokens(text);
            let got: Vec<&str> = presents(&all).into_iter().map(|i| all[i].surface).collect();
            assert_eq!(got.join(" "), verbs, "{text}");
        }
    }
}
