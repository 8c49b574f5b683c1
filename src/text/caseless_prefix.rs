//! Finds a prefix in bytes, ASCII case ignored: 32 bytes in one step where the processor has vectors of that size.
//!
//! `memchr` and `aho-corasick` choose such code at run time, too, but neither ignores case. Their nearest substitutes
//! (each letter in both cases; all spellings of the first four letters, with Teddy) take as long as the plain search
//! below, or longer, where a letter or a word is common; this takes a fifth of its time there, and half where it is
//! not.
//!
//! Never reads beyond the bytes that it is given. Besides `store/platform.rs`, this is the only file with unsafe code:
//! a processor's feature and a pointer to 32 bytes cannot be proven to the compiler.
#![allow(unsafe_code)]

/// How many bytes the plain search compares in one step: small enough for the compiler to vectorize.
const BLOCK_BYTES: usize = 64;

/// A prefix that is not empty, and the positions of its two rarest bytes: they are compared first.
pub struct CaselessPrefix {
    prefix: Vec<u8>,
    first: usize,
    second: usize,
}

impl CaselessPrefix {
    /// Prepares the search for ASCII letters and digits.
    pub fn new(prefix: &str) -> CaselessPrefix {
        let prefix = prefix.as_bytes().to_vec();
        let mut rarest: Vec<usize> = (0..prefix.len()).collect();
        rarest.sort_by_key(|i| (letter_frequency(prefix[*i]), *i));
        let first = rarest.first().copied().unwrap_or(0);
        let second = rarest.get(1).copied().unwrap_or(first);
        CaselessPrefix { prefix, first, second }
    }

    /// Calls `each` with every offset of the prefix, in order.
    pub fn find(&self, bytes: &[u8], each: &mut dyn FnMut(usize)) {
        let Some(starts) = self.starts_in(bytes) else { return };
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: this processor has AVX2, all that the function asks for.
            return unsafe { self.find_wide(bytes, starts, each) };
        }
        self.find_plain(bytes, starts, each);
    }

    /// The number of offsets at which the prefix fits.
    fn starts_in(&self, bytes: &[u8]) -> Option<usize> {
        (bytes.len() + 1).checked_sub(self.prefix.len()).filter(|starts| *starts > 0 && !self.prefix.is_empty())
    }

    /// The two rarest bytes in lower case. Digits do not change.
    fn rarest_bytes(&self) -> (u8, u8) {
        (self.prefix[self.first] | 0x20, self.prefix[self.second] | 0x20)
    }

    fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        bytes[at..at + self.prefix.len()].eq_ignore_ascii_case(&self.prefix)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn find_wide(&self, bytes: &[u8], starts: usize, each: &mut dyn FnMut(usize)) {
        use std::arch::x86_64::{
            __m256i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256,
            _mm256_set1_epi8,
        };
        const WIDTH: usize = size_of::<__m256i>();
        let load = |block: &[u8; WIDTH]| {
            // SAFETY: the pointer is one to 32 bytes, and this instruction needs no alignment.
            unsafe { _mm256_loadu_si256(block.as_ptr().cast()) }
        };
        let (a, b) = self.rarest_bytes();
        let (a, b) = (_mm256_set1_epi8(a as i8), _mm256_set1_epi8(b as i8));
        let case = _mm256_set1_epi8(0x20);
        let (xs, rest) = bytes[self.first..self.first + starts].as_chunks::<WIDTH>();
        let (ys, _) = bytes[self.second..self.second + starts].as_chunks::<WIDTH>();
        for (n, (x, y)) in xs.iter().zip(ys).enumerate() {
            let first = _mm256_cmpeq_epi8(_mm256_or_si256(load(x), case), a);
            let second = _mm256_cmpeq_epi8(_mm256_or_si256(load(y), case), b);
            let mut hits = _mm256_movemask_epi8(_mm256_and_si256(first, second)) as u32;
            while hits != 0 {
                let at = n * WIDTH + hits.trailing_zeros() as usize;
                if self.is_at(bytes, at) {
                    each(at);
                }
                hits &= hits - 1;
            }
        }
        (starts - rest.len()..starts).filter(|at| self.is_at(bytes, *at)).for_each(each);
    }

    fn find_plain(&self, bytes: &[u8], starts: usize, each: &mut dyn FnMut(usize)) {
        let (a, b) = self.rarest_bytes();
        let (xs, rest) = bytes[self.first..self.first + starts].as_chunks::<BLOCK_BYTES>();
        let (ys, _) = bytes[self.second..self.second + starts].as_chunks::<BLOCK_BYTES>();
        for (n, (x, y)) in xs.iter().zip(ys).enumerate() {
            let mut hit = 0xff_u8;
            for i in 0..BLOCK_BYTES {
                let other = ((x[i] | 0x20) ^ a) | ((y[i] | 0x20) ^ b);
                hit = hit.min(other);
            }
            if hit == 0 {
                (0..BLOCK_BYTES)
                    .filter(|i| (x[*i] | 0x20) == a && (y[*i] | 0x20) == b)
                    .map(|i| n * BLOCK_BYTES + i)
                    .filter(|at| self.is_at(bytes, *at))
                    .for_each(&mut *each);
            }
        }
        (starts - rest.len()..starts).filter(|at| self.is_at(bytes, *at)).for_each(each);
    }
}

/// How common a letter is in English; 0 is the rarest.
fn letter_frequency(byte: u8) -> usize {
    b"zqxjkvbpgwyfmculdhrsnioate".iter().position(|l| *l == byte).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Search<'a> = &'a dyn Fn(&CaselessPrefix, &[u8], &mut dyn FnMut(usize));

    fn offsets(prefix: &str, bytes: &[u8], search: Search<'_>) -> Vec<usize> {
        let mut found = Vec::new();
        search(&CaselessPrefix::new(prefix), bytes, &mut |at| found.push(at));
        found
    }

    /// Compares both searches with the definition, at each place relative to the blocks, and at the ends.
    fn check(prefix: &str, bytes: &[u8]) {
        let is_at = |at: &usize| {
            bytes.get(*at..at + prefix.len()).is_some_and(|part| part.eq_ignore_ascii_case(prefix.as_bytes()))
        };
        let wanted: Vec<usize> = (0..bytes.len()).filter(is_at).collect();
        let plain: Search<'_> = &|scan, bytes, each| {
            if let Some(starts) = scan.starts_in(bytes) {
                scan.find_plain(bytes, starts, each);
            }
        };
        assert_eq!(offsets(prefix, bytes, plain), wanted, "plain: {prefix} in {bytes:?}");
        assert_eq!(offsets(prefix, bytes, &CaselessPrefix::find), wanted, "{prefix} in {bytes:?}");
    }

    proptest! {
        /// `PROPTEST_CASES=1000000` makes this a fuzzer.
        #[test]
        fn both_searches_find_what_is_there(
            // Few letters, so that they are found; bytes that differ from them in the bit of the case only.
            bytes in proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'A'), Just(b'b'), Just(b'1'), Just(0x11), any::<u8>()], 0..300),
            prefix in "[ab1]{1,4}",
            cut in 0..40_usize,
        ) {
            check(&prefix, &bytes[cut.min(bytes.len())..]);
        }
    }

    #[test]
    fn a_prefix_is_found_at_every_place() {
        for length in [0, 1, 3, 31, 32, 33, 63, 64, 65, 97, 128, 200] {
            for at in 0..length {
                let mut bytes = vec![b'.'; length];
                let end = (at + 3).min(length);
                bytes[at..end].copy_from_slice(&b"qUo"[..end - at]);
                check("quo", &bytes);
                check("q", &bytes);
            }
        }
        check("quo", b"quoquoqquo");
        check("aa", &b"aA".repeat(70));
        assert!(offsets("", b"abc", &CaselessPrefix::find).is_empty());
    }
}
