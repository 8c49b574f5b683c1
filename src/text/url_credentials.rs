//! Removes what may be a secret from the URLs in a text: user information and queries.
//!
//! Never changes other text.

/// The text whose URLs have neither user information (before `@`) nor query or fragment (from `?` or `#`).
pub fn without_credentials(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after.find([' ', '\t', '\n', '\r', '\'', '"', '<', '>']).unwrap_or(after.len());
        let (url, next) = after.split_at(end);
        let host = url.find('/').unwrap_or(url.len());
        let url = url[..host].rfind('@').map_or(url, |at| &url[at + 1..]);
        out.push_str(url.split(['?', '#']).next().unwrap_or_default());
        rest = next;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_lose_user_information_and_queries() {
        for (text, expected) in [
            ("https://me:pw@host/x.git", "https://host/x.git"),
            ("at 'https://token@host:1/x.git?key=s3cret': no", "at 'https://host:1/x.git': no"),
            ("https://u:p@a/x then ssh://git@b/y", "https://a/x then ssh://b/y"),
            ("https://user:a@b@host/@x", "https://host/@x"),
            ("https://host/x@y", "https://host/x@y"),
            ("https://user:p?w@host/x", "https://host/x"),
            ("git@host:me/notes.git", "git@host:me/notes.git"),
            ("no url: me@host", "no url: me@host"),
            ("https://", "https://"),
        ] {
            assert_eq!(without_credentials(text), expected, "{text}");
        }
    }
}
