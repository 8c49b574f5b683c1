//! How many search terms two short texts share.
//!
//! Never decides whether they say the same: texts about one subject can say opposite things.

use super::search_terms::search_terms;

/// The distinct search terms of a text, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermSet(Vec<String>);

impl TermSet {
    /// Function words are left out, other words are reduced to their stems.
    pub fn of(text: &str) -> TermSet {
        let mut terms = Vec::new();
        search_terms(text, |term| terms.push(term.to_owned()));
        terms.sort_unstable();
        terms.dedup();
        TermSet(terms)
    }

    pub fn terms(&self) -> &[String] {
        &self.0
    }

    /// The cosine of two sets, 0 to 1: the number of shared terms, divided by the geometric mean of their sizes.
    pub fn cosine(&self, other: &TermSet) -> f64 {
        let shared = self.0.iter().filter(|term| other.0.binary_search(term).is_ok()).count();
        match shared {
            0 => 0.0,
            _ => shared as f64 / ((self.0.len() * other.0.len()) as f64).sqrt(),
        }
    }

    /// The least number of shared terms with which the cosine of this set and any other reaches a value.
    pub fn least_shared(&self, cosine: f64) -> usize {
        // The other set has at least the shared terms: shared / sqrt(n * shared) >= cosine. The margin is for rounding.
        ((cosine * cosine * self.0.len() as f64 - 1e-9).ceil() as usize).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &str, b: &str, expected: f64) {
        let (a, b) = (TermSet::of(a), TermSet::of(b));
        assert!((a.cosine(&b) - expected).abs() < 0.005, "{a:?} {b:?}: {}", a.cosine(&b));
        assert_eq!(a.cosine(&b), b.cosine(&a));
    }

    #[test]
    fn shared_terms_make_texts_similar() {
        check("Deploys run on Fridays", "deploy runs on Friday", 1.0);
        check("Deploys run on Fridays", "The Friday deploy needs a review", 2.0 / 12.0_f64.sqrt());
        check("Deploys run on Fridays", "Likes green tea", 0.0);
        check("", "", 0.0);
        check("用户喜欢绿茶", "用户喜欢绿茶", 1.0);
    }

    #[test]
    fn no_text_with_fewer_shared_terms_reaches_the_cosine() {
        let all = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf"];
        for most in 1..=all.len() {
            let own = TermSet::of(&all[..most].join(" "));
            for cosine in [0.1, 0.3, 0.5, 0.6, 0.9, 1.0] {
                for shared in 1..=most {
                    let other = TermSet::of(&all[..shared].join(" "));
                    let reaches = own.cosine(&other) >= cosine - 1e-9;
                    assert_eq!(reaches, shared >= own.least_shared(cosine), "{most} {shared} {cosine}");
                }
            }
        }
    }
}
