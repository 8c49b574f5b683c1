//! Finds e-mail addresses, hosts and paths, whose parts stand in an order.

/// The addresses of a text that no source has, in lower case as their parts are.
pub(super) fn missing_addresses(text: &str, sources: &[&str]) -> Vec<String> {
    let own = addresses(text);
    if own.is_empty() {
        return Vec::new();
    }
    let low = sources.join("\n").to_lowercase();
    let parts_of = |address: &str| -> Vec<String> {
        address.split(|c: char| !c.is_alphanumeric()).filter(|p| !p.is_empty()).map(str::to_owned).collect()
    };
    let theirs: Vec<String> = sources.iter().flat_map(|source| addresses(source)).collect();
    let known_parts: Vec<Vec<String>> = theirs.iter().map(|address| parts_of(address)).collect();
    let is_spoken = low.contains(" dot ") || low.contains(" slash ");
    let is_missing = |address: &String| {
        let parts = parts_of(address);
        let plain = |part: &String| low.split(|c: char| !c.is_alphanumeric()).any(|word| word == part);
        let resembles = known_parts.iter().any(|known| known.iter().any(|part| parts.contains(part)));
        // .NET is no net.
        if address.starts_with('.') && parts.len() == 1 {
            return !low.contains(address.as_str()) && !low.contains(&format!("dot{}", parts[0])) && !is_spoken;
        }
        !low.contains(address.as_str()) && !is_spoken && (resembles || !parts.iter().all(plain))
    };
    own.into_iter().filter(is_missing).collect()
}

/// The addresses of a text in lower case, without their scheme and a slash at the end.
fn addresses(text: &str) -> Vec<String> {
    if !text.contains(['/', '@', '.']) {
        return Vec::new();
    }
    let words = text.split(|c: char| c.is_whitespace() || !c.is_ascii());
    let mut found = Vec::new();
    for word in words {
        let word = word.trim_start_matches(['(', '[', '{', '<', '"', '\'', '`', '*', ',']);
        let word = word.trim_end_matches(|c: char| ")]}>\"'`*,;:!?.".contains(c));
        let low = word.to_lowercase();
        let plain = low.split_once("://").map_or(low.as_str(), |(_, rest)| rest).trim_end_matches('/');
        if is_mail(plain) || is_host(plain) || is_path(plain) || is_dotted_name(word) {
            found.push(plain.to_owned());
        }
    }
    found
}

fn is_mail(word: &str) -> bool {
    word.split_once('@').is_some_and(|(user, host)| !user.is_empty() && host.contains('.') && !word.contains('/'))
}

fn is_host(word: &str) -> bool {
    const ENDS: [&str; 20] = [
        "com", "org", "net", "io", "dev", "de", "uk", "cn", "edu", "gov", "app", "co", "eu", "fr", "ch", "us", "info",
        "local", "internal", "lan",
    ];
    let labels: Vec<&str> = word.split('/').next().unwrap_or_default().split('.').collect();
    let is_label = |l: &&str| l.contains(|c: char| c.is_ascii_alphabetic()) && l.len() > 1;
    labels.len() > 1 && labels.iter().all(is_label) && labels.last().is_some_and(|l| ENDS.contains(l))
}

fn is_path(word: &str) -> bool {
    let starts = ["/", "./", "~/", "../"].iter().any(|start| word.starts_with(start));
    let parts = || word.split('/').filter(|part| part.chars().any(char::is_alphanumeric));
    // km/h, 4/5, 2026/03/01 and TCP/IP are no paths.
    let is_word = |part: &str| part.contains(|c: char| c.is_ascii_alphabetic());
    starts && parts().count() > 0 || parts().count() > 2 && parts().all(is_word)
}

/// `.NET`: a name that begins with a full stop.
fn is_dotted_name(word: &str) -> bool {
    word.strip_prefix('.').is_some_and(|rest| rest.len() > 1 && rest.chars().all(|c| c.is_ascii_alphabetic()))
}
