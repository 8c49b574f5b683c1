//! URLs of hosts: the little parsing that is needed.
//!
//! Never resolves a name.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use percent_encoding::percent_decode_str;

/// The URL without the parts that may be secret: user, password, query and fragment.
pub fn redacted_url(url: &str) -> String {
    let url = match misread_user_info(url) {
        Some((scheme, user_info)) => &format!("{scheme}://{}", &url[scheme.len() + 3 + user_info.len() + 1..]),
        None => url,
    };
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match split_url(url) {
        Some((scheme, authority, path)) => format!("{scheme}://{}{path}", without_user_info(authority)),
        None => url.to_owned(),
    }
}

/// Words in the names of parameters whose values are secret: `api_key`, `access_token`, `sig`.
const SECRET_NAMES: [&str; 7] = ["auth", "code", "key", "pass", "secret", "sig", "token"];

/// The parts of a URL that must not be shown where a host repeats them: its password, as it is written, decoded and as
/// it is sent, and parameters named like a key.
pub fn secrets(url: &str) -> Vec<String> {
    let (place, query) = url.split_once('?').unwrap_or((url, ""));
    let user_info = || split_url(place).and_then(|(_, authority, _)| authority.rsplit_once('@')).map(|(info, _)| info);
    // What is secret in either reading is not shown.
    let readings = [misread_user_info(url).map(|(_, info)| info), user_info()];
    let mut all = Vec::new();
    for (user, password) in readings.into_iter().flatten().filter_map(|info| info.split_once(':')) {
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let (user, decoded_password) = (decoded(user), decoded(password));
        let login = BASE64_STANDARD.encode(format!("{user}:{decoded_password}"));
        all.extend([password.to_owned(), decoded_password, login]);
    }
    let parameters = query.split(['&', '#']).filter_map(|parameter| parameter.split_once('='));
    let is_secret = |name: &str| SECRET_NAMES.iter().any(|word| name.to_ascii_lowercase().contains(word));
    all.extend(parameters.filter(|(name, _)| is_secret(name)).map(|(_, value)| value.to_owned()));
    all.dedup();
    all
}

/// The scheme and `user:password` of a URL whose password contains a `/`, `?` or `#` that is not encoded: what is meant
/// as the password is read as a port and a path.
fn misread_user_info(url: &str) -> Option<(&str, &str)> {
    let (scheme, authority, rest) = split_url(url)?;
    let host = without_user_info(authority);
    let end = rest.rfind('@').filter(|_| authority.contains(':') && !host.starts_with('['))?;
    // A path may contain the sign, mostly at the start of a segment.
    let is_host = host.split_once(':').is_none_or(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    let is_in_path = is_host && (rest[..end].ends_with('/') || rest[..end].contains(['?', '#']));
    (!is_in_path).then(|| (scheme, &url[scheme.len() + 3..scheme.len() + 3 + authority.len() + end]))
}

/// The host name, in lower case, without the port.
pub fn host_name(url: &str) -> String {
    let Some((_, place, _)) = split_url(url) else { return String::new() };
    let authority = without_user_info(place);
    let name = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((ipv6, _)) => ipv6,
        None => authority.split(':').next().unwrap_or_default(),
    };
    name.to_ascii_lowercase()
}

/// Whether a URL refers to this machine.
pub fn is_loopback(url: &str) -> bool {
    let name = host_name(url);
    let number = || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    name == "localhost" || name.ends_with(".localhost") || number()
}

/// The URL of an endpoint. A base URL without a path gets `/v1`; a query stays at the end.
pub fn endpoint_url(base_url: &str, path: &str) -> String {
    let (base, query) = base_url.find('?').map_or((base_url, ""), |at| base_url.split_at(at));
    let base = base.trim_end_matches('/');
    match split_url(base) {
        Some((_, _, "")) => format!("{base}/v1{path}{query}"),
        _ => format!("{base}{path}{query}"),
    }
}

/// Scheme, authority (`user@host:port`) and path.
fn split_url(url: &str) -> Option<(&str, &str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    Some((scheme, &rest[..end], &rest[end..]))
}

fn without_user_info(authority: &str) -> &str {
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_secret_in_an_address_is_not_shown() {
        assert_eq!(redacted_url("https://ann:pw@h.example:1/v1?key=k#x"), "https://h.example:1/v1");
        assert_eq!(redacted_url("nonsense"), "nonsense");
        // A password with signs that must be encoded.
        for password in ["secret/pw99", "se?cret", "a#b", "12/ab", "p@ss/word"] {
            let url = format!("http://ann:{password}@127.0.0.1:1/v1");
            assert_eq!(redacted_url(&url), "http://127.0.0.1:1/v1");
            assert!(secrets(&url).contains(&password.to_owned()), "{password}");
        }
        assert_eq!(redacted_url("http://localhost:8080/@cf/v1"), "http://localhost:8080/@cf/v1");
        assert_eq!(redacted_url("http://h:8080/v1?mail=a@b.example"), "http://h:8080/v1");
    }

    #[test]
    fn secrets_of_an_address_are_its_password_and_keys() {
        let url = "https://ann:pw@h.example:1/v1?api-version=2024-10-21&api_key=k&SIG=s#x";
        assert_eq!(secrets(url), ["pw", "YW5uOnB3", "k", "s"]);
        assert_eq!(secrets("https://ann:p%40ss@h.example/v1"), ["p%40ss", "p@ss", "YW5uOnBAc3M="]);
        assert!(secrets("https://ann@h.example/v1?a=b").is_empty());
        assert!(secrets("nonsense").is_empty());
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        for loopback in [
            "http://localhost:1/v1",
            "http://127.0.0.1",
            "http://127.9.9.9/",
            "http://[::1]:8/v1",
            "http://u@LOCALHOST",
        ] {
            assert!(is_loopback(loopback), "{loopback}");
        }
        for remote in ["http://localhost.example", "http://10.0.0.1", "http://127.0.0.1@example.org", "localhost", ""] {
            assert!(!is_loopback(remote), "{remote}");
        }
    }

    #[test]
    fn a_url_without_a_path_gets_v1() {
        assert_eq!(endpoint_url("http://h:1", "/chat/completions"), "http://h:1/v1/chat/completions");
        assert_eq!(endpoint_url("http://h:1/", "/models"), "http://h:1/v1/models");
        assert_eq!(endpoint_url("http://h/openai/?api-version=1", "/models"), "http://h/openai/models?api-version=1");
        assert_eq!(endpoint_url("http://h/v1beta/openai/", "/models"), "http://h/v1beta/openai/models");
    }
}
