//! Classifies English verbs as present or past, by form and neighbouring words.
//!
//! Never parses a sentence: it may mistake a plural noun for a verb, or miss a rare verb.

use super::phrase::{WordToken, is_capitalized};

/// Third-person forms that are rarely plural nouns.
#[rustfmt::skip]
const CLEAR_VERBS: &[&str] = &[
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
/// Third-person forms that may be plural nouns; they count as verbs only next to a subject or an object.
#[rustfmt::skip]
const AMBIGUOUS_VERBS: &[&str] = &[
    "breaks", "builds", "calls", "causes", "changes", "checks", "commutes", "covers", "crashes", "debates", "deploys",
    "documents", "drinks", "drives", "eats", "ends", "fixes", "grows", "hangs", "helps", "holds", "hopes", "leaves", "likes",
    "lives", "looks", "loves", "merges", "moves", "needs", "opens", "pays", "plans", "plays", "presents", "promises", "pulls",
    "pushes", "raises", "reads", "replaces", "reports", "requests", "reviews", "rides", "runs", "sees", "shares", "shows", "sings",
    "sleeps", "starts", "stops", "struggles", "studies", "supports", "switches", "talks", "tests", "travels", "turns",
    "updates", "visits", "walks", "watches", "works", "worries",
];
#[rustfmt::skip]
const SUBJECTS: &[&str] = &[
    "user", "team", "assistant", "agent", "client", "server", "vendor", "company", "customer", "manager", "project",
    "parser", "importer", "driver", "app", "api", "service", "script", "bot", "who", "which", "that", "everybody",
    "nobody", "someone", "everyone", "also", "still", "now", "often", "always", "usually", "never", "developer", "engineer",
    "pipeline", "library", "system", "tool", "model", "doctor", "landlord", "bank", "office", "meeting", "shop", "school",
    "sister", "brother", "wife", "husband", "partner", "daughter", "son", "mother", "father", "friend", "colleague", "boss",
    "neighbour", "neighbor", "index", "store",
];
/// Words after which a third-person form is a plural noun.
#[rustfmt::skip]
const NOUN_MARKERS: &[&str] = &[
    "the", "a", "an", "this", "these", "those", "'s", "of", "for", "in", "on", "with", "to", "from", "by", "all",
    "some", "new", "old", "no", "any", "more", "several", "few", "many", "two", "three", "four", "five", "six", "seven",
    "release", "status", "security", "price", "daily", "weekly", "between", "about", "per", "both", "and", "or", "at",
    "into", "as", "than", "most", "other", "its", "their", "his", "her", "under", "over", "without", "only", "each", "every",
];
/// Words that follow a verb, but not a noun.
#[rustfmt::skip]
const AFTER_VERB: &[&str] = &[
    "the", "a", "an", "that", "how", "why", "whether", "what", "this", "these", "it", "them", "user", "every", "each", "all",
    "some", "no", "up", "down", "out", "as",
];
#[rustfmt::skip]
const IRREGULAR_PAST: &[&str] = &[
    "ate", "awoke", "beat", "became", "began", "bent", "bet", "bit", "blew", "bore", "bought", "bound", "broke",
    "brought", "built", "burst", "came", "caught", "chose", "cost", "crept", "cut", "dealt", "did", "drank", "drew",
    "drove", "dug", "fed", "fell", "felt", "flew", "forgot", "fought", "found", "froze", "gave", "got", "grew", "had",
    "heard", "held", "hid", "hit", "hung", "hurt", "kept", "knew", "laid", "led", "left", "lent", "lit", "lost",
    "made", "meant", "met", "overcame", "paid", "proved", "put", "quit", "ran", "rang", "rode", "rose", "said",
    "sang", "sat", "saw", "sent", "set", "shook", "shot", "shut", "slept", "slid", "sold", "sought", "spent", "split",
    "spoke", "sprang", "spread", "stole", "stood", "struck", "stuck", "sued", "swam", "swore", "taught", "thought",
    "threw", "told", "took", "tore", "understood", "was", "went", "were", "withdrew", "woke", "won", "wore", "wrote",
];

/// Whether a word has the form of a past-tense verb.
pub fn is_past_verb(word: &str) -> bool {
    word.len() > 3
        && word.ends_with("ed")
        && !matches!(word, "need" | "feed" | "seed" | "speed" | "indeed" | "embed" | "exceed" | "succeed" | "proceed")
        || IRREGULAR_PAST.binary_search(&word).is_ok()
}

/// Whether the word after this one is a noun even if it looks like a verb: "the tests", "of tests".
pub fn is_noun_marker(previous: &str) -> bool {
    NOUN_MARKERS.contains(&previous) || previous.bytes().all(|b| b.is_ascii_digit())
}

/// Indexes of verbs in the simple present: `is`, `has`, third-person forms.
pub fn present_verbs(tokens: &[WordToken<'_>]) -> Vec<usize> {
    (0..tokens.len()).filter(|i| is_present_verb(tokens, *i)).collect()
}

fn is_present_verb(tokens: &[WordToken<'_>], i: usize) -> bool {
    let word = tokens[i].text.as_str();
    let previous = i.checked_sub(1).map_or("", |p| tokens[p].text.as_str());
    let next = tokens.get(i + 1);
    let next_word = next.map_or("", |t| t.text.as_str());
    if is_capitalized(tokens[i].surface) {
        return false;
    }
    if matches!(word, "is" | "are" | "has" | "does") {
        return !(matches!(previous, "as" | "a" | "the") || word == "has" && next_word == "been");
    }
    if i == 0 || matches!(next_word, "were" | "was" | "had" | "of") {
        return false;
    }
    let named = is_capitalized(tokens[i - 1].surface) && (i > 1 || next_word != "and");
    if CLEAR_VERBS.contains(&word) {
        return previous == "and" || !NOUN_MARKERS.contains(&previous);
    }
    if previous == "and" && AFTER_VERB.contains(&next_word) {
        return (1..i - 1).any(|at| is_present_verb(tokens, at));
    }
    if previous == "and"
        && AMBIGUOUS_VERBS.contains(&word)
        && next.is_some()
        && !matches!(next_word, "and" | "or" | "in" | "on" | "at")
    {
        return (1..i - 1).any(|at| is_present_verb(tokens, at));
    }
    if NOUN_MARKERS.contains(&previous) || previous.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    if AMBIGUOUS_VERBS.contains(&word) {
        return SUBJECTS.contains(&previous) || named || AFTER_VERB.contains(&next_word);
    }
    // Unknown word: a third-person form if it has the object of a verb.
    let form = word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is", "ous", "ics"].iter().any(|end| word.ends_with(end));
    let object = AFTER_VERB.contains(&next_word) || previous == "user" && next.is_some();
    form && object && !tokens[..i].iter().any(|t| is_past_verb(&t.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::phrase::word_tokens;

    #[test]
    fn the_list_is_sorted_for_binary_search() {
        let mut sorted = IRREGULAR_PAST.to_vec();
        sorted.sort_unstable();
        assert_eq!(IRREGULAR_PAST, sorted);
    }

    #[test]
    fn verbs_in_the_present_are_distinguished_from_plurals() {
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
            let all = word_tokens(text);
            let got: Vec<&str> = present_verbs(&all).into_iter().map(|i| all[i].surface).collect();
            assert_eq!(got.join(" "), verbs, "{text}");
        }
    }
}
