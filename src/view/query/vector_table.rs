//! The vectors of a memory's items in one block of bytes, by the hash of their text: what the file of vectors contains.
//!
//! Never trusted: bytes that are not exactly what `encode` makes, for the same host and model, are no table. Holds no
//! text.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::text::hex;

/// The most dimensions of a vector.
const MAX_DIMENSIONS: usize = 8192;
/// The most vectors of a table.
pub const MAX_VECTORS: usize = 50_000;
/// The largest table, in bytes.
pub const MAX_TABLE_BYTES: usize = 64 << 20;
/// Bytes of a hash.
const HASH_BYTES: usize = 16;
/// Bytes of a vector's scale, a little-endian `f32` in front of its numbers.
const SCALE_BYTES: usize = 4;
/// The number that stands for a vector's largest one. A byte a number is enough: it changes a cosine by less than 0.01.
const LARGEST: f32 = 127.0;

/// The hash of a text: the first 16 bytes of its SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextHash([u8; HASH_BYTES]);

impl TextHash {
    pub fn of(text: &str) -> TextHash {
        let digest: [u8; 32] = Sha256::digest(text).into();
        let mut hash = [0; HASH_BYTES];
        hash.copy_from_slice(&digest[..HASH_BYTES]);
        TextHash(hash)
    }
}

/// The first line of a table.
#[derive(Debug, Serialize, Deserialize)]
struct TableHeader {
    v: u32,
    /// The model's name, for people who look.
    model: String,
    /// The hash of what identifies host, model and prefix.
    identity: String,
    dimensions: usize,
    count: usize,
    /// Checksum of the rest.
    crc: u32,
}

/// One vector of length 1, a byte a number.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredVector(Vec<u8>);

impl StoredVector {
    /// `None` for a vector without a direction.
    pub fn new(vector: &[f32]) -> Option<StoredVector> {
        let unit = unit_vector(vector)?;
        let largest = unit.iter().fold(0.0_f32, |most, n| most.max(n.abs()));
        let scale = largest / LARGEST;
        let mut bytes = scale.to_le_bytes().to_vec();
        bytes.extend(unit.iter().map(|n| (n / scale).round() as i8 as u8));
        Some(StoredVector(bytes))
    }

    /// How many numbers it has.
    pub fn length(&self) -> usize {
        self.0.len() - SCALE_BYTES
    }
}

/// The vector with length 1; `None` if it has no direction.
pub fn unit_vector(vector: &[f32]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|n| f64::from(*n).powi(2)).sum::<f64>().sqrt();
    (length.is_finite() && length > 0.0).then(|| vector.iter().map(|n| (f64::from(*n) / length) as f32).collect())
}

/// Vectors of texts, by the hash of each text; sorted by hash, and checked by [`VectorTable::decode`].
pub struct VectorTable {
    bytes: Vec<u8>,
    /// The byte offset of the first row.
    first_row: usize,
    dimensions: usize,
    count: usize,
}

/// How many vectors of `row` bytes each fit into a table.
fn max_rows(row: usize) -> usize {
    MAX_VECTORS.min(MAX_TABLE_BYTES / (HASH_BYTES + row))
}

impl VectorTable {
    /// Reads a table; `None` if it is damaged, or of another host, model or prefix.
    pub fn decode(bytes: Vec<u8>, identity: &str) -> Option<VectorTable> {
        let first_row = memchr::memchr(b'\n', &bytes)? + 1;
        let header: TableHeader = serde_json::from_slice(&bytes[..first_row]).ok()?;
        let TableHeader { v, dimensions, count, crc, .. } = header;
        let is_bounded = (1..=MAX_DIMENSIONS).contains(&dimensions) && count <= MAX_VECTORS;
        let table = VectorTable { bytes, first_row, dimensions, count };
        let body = &table.bytes[first_row..];
        let is_sound = v == 1
            && is_bounded
            && header.identity == identity_hash(identity)
            && body.len() == count * table.row_bytes()
            && crc == crc32fast::hash(body)
            && (1..count).all(|n| table.hash(n - 1) < table.hash(n))
            && (0..count).all(|n| table.scale(n).is_finite() && table.scale(n) > 0.0);
        is_sound.then_some(table)
    }

    /// The bytes of a table. Vectors of another number of dimensions than the first are left out, and those that exceed
    /// a bound.
    pub fn encode(model: &str, identity: &str, vectors: &BTreeMap<TextHash, StoredVector>) -> Vec<u8> {
        let row = vectors.values().next().map_or(SCALE_BYTES + 1, |first| first.0.len());
        let kept = vectors.iter().filter(|(_, vector)| vector.0.len() == row).take(max_rows(row));
        let (mut body, mut count) = (Vec::new(), 0);
        for (hash, vector) in kept {
            body.extend(hash.0);
            body.extend(&vector.0);
            count += 1;
        }
        let header = TableHeader {
            v: 1,
            model: model.to_owned(),
            identity: identity_hash(identity),
            dimensions: row - SCALE_BYTES,
            count,
            crc: crc32fast::hash(&body),
        };
        let mut bytes = serde_json::to_vec(&header).unwrap_or_default();
        bytes.push(b'\n');
        bytes.extend(body);
        bytes
    }

    /// How many vectors of `length` numbers each fit into a table; an upper bound if the length is not known.
    pub fn max_count(length: Option<usize>) -> usize {
        max_rows(SCALE_BYTES + length.unwrap_or(1))
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The number of vectors.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of a text's vector.
    pub fn find(&self, hash: &TextHash) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.hash(middle).cmp(hash.0.as_slice()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// A vector as it is stored.
    pub fn stored(&self, n: usize) -> StoredVector {
        StoredVector(self.row(n)[HASH_BYTES..].to_vec())
    }

    /// The product of a vector with another.
    pub fn dot(&self, n: usize, other: &[f32]) -> f64 {
        let products = self.numbers(n).iter().zip(other).map(|(a, b)| f32::from(*a as i8) * b);
        f64::from(products.sum::<f32>() * self.scale(n))
    }

    /// The squared length of a vector: nearly 1.
    pub fn squared_length(&self, n: usize) -> f64 {
        let squares = self.numbers(n).iter().map(|a| i32::from(*a as i8).pow(2)).sum::<i32>();
        f64::from(squares) * f64::from(self.scale(n)).powi(2)
    }

    /// Adds a vector to a sum.
    pub fn add_to(&self, n: usize, sum: &mut [f64]) {
        let scale = f64::from(self.scale(n));
        for (sum, a) in sum.iter_mut().zip(self.numbers(n)) {
            *sum += f64::from(*a as i8) * scale;
        }
    }

    fn row_bytes(&self) -> usize {
        HASH_BYTES + SCALE_BYTES + self.dimensions
    }

    fn row(&self, n: usize) -> &[u8] {
        let start = self.first_row + n * self.row_bytes();
        &self.bytes[start..start + self.row_bytes()]
    }

    fn hash(&self, n: usize) -> &[u8] {
        &self.row(n)[..HASH_BYTES]
    }

    fn scale(&self, n: usize) -> f32 {
        let row = self.row(n);
        f32::from_le_bytes([row[HASH_BYTES], row[HASH_BYTES + 1], row[HASH_BYTES + 2], row[HASH_BYTES + 3]])
    }

    fn numbers(&self, n: usize) -> &[u8] {
        &self.row(n)[HASH_BYTES + SCALE_BYTES..]
    }
}

fn identity_hash(identity: &str) -> String {
    hex(&TextHash::of(identity).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(texts: &[(&str, &[f32])]) -> Vec<u8> {
        let vectors = texts.iter().map(|(text, v)| (TextHash::of(text), StoredVector::new(v).unwrap())).collect();
        VectorTable::encode("m", "host m", &vectors)
    }

    #[test]
    fn vectors_are_found_by_their_text() {
        let bytes = table(&[("tea", &[3.0, 4.0, 0.0]), ("coffee", &[0.0, 0.0, -2.0]), ("water", &[1.0, 1.0, 1.0])]);
        let read = VectorTable::decode(bytes, "host m").unwrap();
        assert_eq!((read.count(), read.dimensions()), (3, 3));
        let dot = |text: &str, other: &[f32]| read.dot(read.find(&TextHash::of(text)).unwrap(), other);
        assert!(
            (dot("tea", &[1.0, 0.0, 0.0]) - 0.6).abs() < 0.01 && (dot("coffee", &[0.0, 0.0, 1.0]) + 1.0).abs() < 0.01
        );
        assert_eq!(read.find(&TextHash::of("milk")), None);
        assert!((0..3).all(|n| (read.squared_length(n) - 1.0).abs() < 0.02));
        assert_eq!(StoredVector::new(&[0.0, 0.0]), None);
    }

    #[test]
    fn any_doubt_means_no_table() {
        let bytes = table(&[("tea", &[3.0, 4.0]), ("coffee", &[0.0, 1.0])]);
        assert!(VectorTable::decode(bytes.clone(), "other host").is_none());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x41;
            // The name of the model is for people only.
            let is_name = bytes[at] == b'm' && &bytes[at - 1..at + 2] == b"\"m\"";
            assert!(is_name || VectorTable::decode(damaged, "host m").is_none(), "{at}");
            assert!(VectorTable::decode(bytes[..at].to_vec(), "host m").is_none(), "{at}");
        }
        assert!(VectorTable::decode(Vec::new(), "host m").is_none());
    }

    #[test]
    fn the_longer_the_vectors_the_fewer_fit() {
        assert_eq!([None, Some(384), Some(8192)].map(VectorTable::max_count), [50_000, 50_000, 8172]);
        let vector = StoredVector::new(&[1.0; 8192]).unwrap();
        let vectors = (0..8200_u32).map(|n| (TextHash::of(&n.to_string()), vector.clone())).collect();
        let bytes = VectorTable::encode("m", "host m", &vectors);
        assert!(bytes.len() <= MAX_TABLE_BYTES + 1024);
        assert_eq!(VectorTable::decode(bytes, "host m").unwrap().count(), 8172);
    }

    #[test]
    fn vectors_of_different_lengths_do_not_mix() {
        let read = VectorTable::decode(table(&[("a", &[1.0]), ("b", &[1.0, 2.0]), ("c", &[2.0])]), "host m").unwrap();
        assert!(read.count() < 3 && read.count() > 0);
        assert_eq!(VectorTable::decode(table(&[]), "host m").unwrap().count(), 0);
    }
}
