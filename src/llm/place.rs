//! Where a host listens: an address taken apart as far as it must be understood.
//!
//! Never resolves a name.

/// An address without what may be secret in it: user, password, query.
pub fn shown(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match parts(url) {
        Some((scheme, place, path)) => format!("{scheme}://{}{path}", bare(place)),
        None => url.to_owned(),
    }
}

/// The host's name, lower case, without port.
pub fn host(url: &str) -> String {
    let Some((_, place, _)) = parts(url) else { return String::new() };
    let place = bare(place);
    let name = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((six, _)) => six,
        None => place.split(':').next().unwrap_or_default(),
    };
    name.to_ascii_lowercase()
}

/// Whether an address is this machine's own.
pub fn is_loopback(url: &str) -> bool {
    let name = host(url);
    let number = || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    name == "localhost" || name.ends_with(".localhost") || number()
}

/// The address of a path of the protocol's: an address that names no path of its own gets `/v1`; a query stays behind.
pub fn join(base_url: &str, path: &str) -> String {
    let (base, query) = base_url.find('?').map_or((base_url, ""), |at| base_url.split_at(at));
    let base = base.trim_end_matches('/');
    match parts(base) {
        Some((_, _, "")) => format!("{base}/v1{path}{query}"),
        _ => format!("{base}{path}{query}"),
    }
}

/// Scheme, place (`user@host:port`) and path.
fn parts(url: &str) -> Option<(&str, &str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    Some((scheme, &rest[..end], &rest[end..]))
}

fn bare(place: &str) -> &str {
    place.rsplit_once('@').map_or(place, |(_, bare)| bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_secret_in_an_address_is_not_shown() {
        assert_eq!(shown("https://ann:pw@h.example:1/v1?key=k#x"), "https://h.example:1/v1");
        assert_eq!(shown("nonsense"), "nonsense");
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        for own in [
            "http://localhost:1/v1",
            "http://127.0.0.1",
            "http://127.9.9.9/",
            "http://[::1]:8/v1",
            "http://u@LOCALHOST",
        ] {
            assert!(is_loopback(own), "{own}");
        }
        for other in ["http://localhost.example", "http://10.0.0.1", "http://127.0.0.1@example.org", "localhost", ""] {
            assert!(!is_loopback(other), "{other}");
        }
    }

    #[test]
    fn a_bare_host_gets_the_usual_path() {
        assert_eq!(join("http://h:1", "/chat/completions"), "http://h:1/v1/chat/completions");
        assert_eq!(join("http://h:1/", "/models"), "http://h:1/v1/models");
        assert_eq!(join("http://h/openai/?api-version=1", "/models"), "http://h/openai/models?api-version=1");
        assert_eq!(join("http://h/v1beta/openai/", "/models"), "http://h/v1beta/openai/models");
    }
}
