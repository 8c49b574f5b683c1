//! Lists of English words that do not identify a topic: function words, and generic verbs and nouns.
//!
//! Only for English; words must be lower case and unstemmed, as produced by [`super::words`].

/// Whether a word is an English function word (`the`, `with`, `don't`). Search and summary lines ignore these.
pub fn is_stopword(word: &str) -> bool {
    STOPWORDS.binary_search(&word).is_ok()
}

/// Whether a word is too general for a summary line (`going`, `thing`, `really`). Search still uses it.
pub fn is_generic(word: &str) -> bool {
    GENERIC.binary_search(&word).is_ok()
}

#[rustfmt::skip]
const STOPWORDS: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "ain't", "all", "also", "am", "an", "and", "any", "are",
    "aren't", "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can",
    "can't", "cannot", "could", "couldn't", "d", "did", "didn't", "do", "does", "doesn't", "doing", "don't", "dont",
    "down", "during", "each", "either", "else", "ever", "every", "few", "for", "from", "further", "had", "hadn't",
    "has", "hasn't", "have", "haven't", "having", "he", "he'd", "he'll", "her", "here", "hers", "herself", "him",
    "himself", "his", "how", "however", "i", "i'd", "i'll", "i'm", "i've", "if", "im", "in", "into", "is", "isn't",
    "it", "it'd", "it'll", "its", "itself", "just", "let", "ll", "m", "may", "me", "might", "mine", "more", "most",
    "must", "mustn't", "my", "myself", "neither", "no", "nor", "not", "now", "of", "off", "on", "once", "one", "only",
    "or", "other", "our", "ours", "ourselves", "out", "over", "own", "per", "re", "s", "same", "shall", "shan't",
    "she", "she'd", "she'll", "should", "shouldn't", "since", "so", "some", "such", "t", "than", "that", "the",
    "their", "theirs", "them", "themselves", "then", "there", "these", "they", "they'd", "they'll", "they're",
    "they've", "this", "those", "though", "through", "thus", "to", "too", "under", "until", "up", "upon", "us", "ve",
    "very", "via", "was", "wasn't", "we", "we'd", "we'll", "we're", "we've", "were", "weren't", "what", "when",
    "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with", "within", "without", "won't",
    "would", "wouldn't", "yet", "you", "you'd", "you'll", "you're", "you've", "your", "yours", "yourself",
    "yourselves",
];

#[rustfmt::skip]
const GENERIC: &[&str] = &[
    "able", "accept", "accepted", "according", "act", "acted", "actually", "add", "added", "adding", "adds",
    "afternoon", "afternoons", "ago", "agree", "agreed", "allow", "allowed", "allowing", "allows", "almost",
    "already", "alright", "although", "always", "amazing", "amount", "another", "anybody", "anymore", "anyone",
    "anything", "anyway", "apart", "appear", "appeared", "appears", "april", "around", "ask", "asked", "asking",
    "asks", "august", "available", "avoid", "avoided", "avoids", "away", "awesome", "back", "bad", "based",
    "basically", "became", "become", "becomes", "becoming", "began", "begin", "beginning", "begins", "begun",
    "behind", "believe", "believed", "believes", "best", "better", "big", "bit", "bring", "bringing", "brings",
    "brought", "call", "called", "calling", "calls", "came", "care", "case", "cases", "cause", "caused", "certain",
    "certainly", "chance", "change", "changed", "changes", "changing", "check", "checked", "checking", "checks",
    "choose", "chose", "chosen", "clear", "clearly", "close", "com", "come", "comes", "coming", "common", "complete",
    "completely", "consider", "considered", "contain", "contained", "containing", "contains", "continue", "continued",
    "continues", "couple", "create", "created", "creates", "creating", "current", "currently", "daily", "day", "days",
    "deal", "december", "decide", "decided", "decides", "definitely", "depend", "depending", "depends", "describe",
    "described", "different", "difficult", "done", "dozen", "due", "early", "easily", "easy", "eight", "eleven",
    "end", "ended", "ending", "ends", "enjoy", "enjoyed", "enjoying", "enjoys", "enough", "especially", "etc", "even",
    "evening", "evenings", "eventually", "everybody", "everyone", "everything", "everywhere", "exactly", "example",
    "examples", "except", "excited", "exciting", "expect", "expected", "explain", "explained", "face", "fact", "far",
    "february", "feel", "feeling", "feelings", "feels", "felt", "fifteen", "fifty", "final", "finally", "find",
    "finding", "finds", "fine", "finish", "finished", "first", "five", "follow", "followed", "following", "follows",
    "forget", "forgot", "forty", "forward", "found", "four", "fourteen", "friday", "fridays", "fully", "fun", "gave",
    "general", "generally", "get", "gets", "getting", "give", "given", "gives", "giving", "glad", "go", "goes",
    "going", "gone", "gonna", "good", "got", "gotta", "gotten", "great", "guess", "guy", "guys", "half", "hand",
    "handle", "handled", "handles", "happen", "happened", "happening", "happens", "happy", "hard", "hardly", "hear",
    "heard", "hello", "help", "helped", "helpful", "helping", "helps", "hey", "hi", "high", "hold", "holding",
    "holds", "hope", "hoped", "hopefully", "hoping", "hour", "hours", "html", "http", "https", "huge", "hundred",
    "hundreds", "idea", "ideas", "important", "include", "included", "includes", "including", "indeed", "instead",
    "interested", "interesting", "involve", "involved", "item", "items", "january", "join", "joined", "july", "june",
    "keep", "keeping", "keeps", "kept", "kind", "kinds", "knew", "know", "knowing", "known", "knows", "last",
    "lately", "later", "lead", "leads", "learn", "learned", "learning", "learns", "least", "leave", "leaves",
    "leaving", "led", "left", "less", "lets", "like", "liked", "likely", "likes", "liking", "line", "list", "little",
    "live", "lived", "lives", "living", "long", "longer", "look", "looked", "looking", "looks", "lot", "lots", "love",
    "loved", "lovely", "loves", "loving", "low", "made", "main", "mainly", "make", "makes", "making", "man", "many",
    "march", "matter", "maybe", "mean", "means", "meant", "mention", "mentioned", "mentions", "million", "mind",
    "minute", "minutes", "moment", "moments", "monday", "mondays", "month", "monthly", "months", "moreover",
    "morning", "mornings", "mostly", "move", "moved", "moves", "moving", "much", "name", "named", "names", "near",
    "nearly", "necessary", "need", "needed", "needing", "needs", "never", "nevertheless", "new", "next", "nice",
    "night", "nights", "nine", "nobody", "none", "normal", "normally", "note", "noted", "notes", "nothing", "notice",
    "noticed", "november", "number", "obviously", "occasionally", "october", "often", "oh", "ok", "okay", "old",
    "ones", "onto", "open", "order", "org", "others", "otherwise", "overall", "owns", "part", "particular",
    "particularly", "past", "people", "perfect", "perhaps", "person", "piece", "place", "placed", "places", "plan",
    "planned", "planning", "plans", "plenty", "pm", "point", "points", "possible", "possibly", "prefer", "preferred",
    "prefers", "pretty", "previous", "previously", "probably", "problem", "process", "provide", "provided",
    "provides", "providing", "put", "puts", "putting", "quite", "rather", "reach", "read", "ready", "real", "realize",
    "realized", "really", "reason", "reasons", "recent", "recently", "remain", "remember", "remembered", "require",
    "required", "requires", "rest", "result", "results", "right", "run", "running", "runs", "said", "sake", "sat",
    "saturday", "saturdays", "saw", "say", "saying", "says", "second", "see", "seeing", "seem", "seemed", "seems",
    "seen", "sense", "sent", "september", "set", "sets", "setting", "seven", "several", "share", "shared", "shares",
    "sharing", "show", "showed", "showing", "shown", "shows", "side", "similar", "simple", "simply", "single", "sit",
    "sits", "six", "sixty", "small", "somebody", "somehow", "someone", "something", "sometime", "sometimes",
    "somewhat", "somewhere", "soon", "sorry", "sort", "sound", "sounds", "special", "specific", "spend", "spending",
    "spent", "stand", "stands", "start", "started", "starting", "starts", "state", "stay", "stayed", "staying",
    "stays", "still", "stood", "stop", "stopped", "stuff", "suggest", "suggested", "sunday", "sundays", "super",
    "supposed", "sure", "take", "taken", "takes", "taking", "talk", "talked", "talking", "talks", "tell", "telling",
    "tells", "ten", "tend", "tends", "thank", "thanks", "therefore", "thing", "things", "think", "thinking", "thinks",
    "third", "thirteen", "thirty", "thought", "thoughts", "thousand", "thousands", "three", "throughout", "thursday",
    "thursdays", "time", "times", "today", "todo", "together", "told", "tomorrow", "tonight", "took", "top", "total",
    "totally", "toward", "towards", "tried", "tries", "true", "truly", "try", "trying", "tuesday", "tuesdays", "turn",
    "turned", "turning", "turns", "twelve", "twenty", "two", "type", "types", "understand", "understood", "unless",
    "unlike", "upcoming", "use", "used", "useful", "user", "users", "uses", "using", "usual", "usually", "value",
    "values", "various", "visit", "visited", "visiting", "visits", "wait", "waiting", "want", "wanted", "wanting",
    "wants", "watch", "way", "ways", "wednesday", "wednesdays", "week", "weekend", "weekends", "weekly", "weeks",
    "well", "went", "whatever", "whenever", "whereas", "wherever", "whoever", "whole", "wish", "wonder", "wonderful",
    "word", "words", "work", "worked", "working", "works", "world", "worth", "wow", "wrong", "www", "yeah", "year",
    "years", "yes", "yesterday", "zero",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_are_sorted_for_binary_search() {
        for list in [STOPWORDS, GENERIC] {
            assert!(list.windows(2).all(|w| w[0] < w[1]));
        }
    }

    #[test]
    fn function_words_and_generic_words_are_distinguished() {
        assert!(is_stopword("the") && is_stopword("don't") && !is_stopword("going"));
        assert!(is_generic("going") && !is_generic("the") && !is_generic("camping"));
    }
}
