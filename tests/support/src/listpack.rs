//! A naive second implementation of the listpack format, which writes a list from front to back.

/// The value of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    Integer(i64),
    Text(Vec<u8>),
}

impl Entry {
    /// Returns the entry for a string: an integer if the string is its canonical decimal form.
    pub fn of(text: &[u8]) -> Entry {
        let integer = std::str::from_utf8(text).ok().and_then(|text| text.parse::<i64>().ok());
        match integer.filter(|integer| integer.to_string().as_bytes() == text) {
            Some(integer) => Entry::Integer(integer),
            None => Entry::Text(text.to_vec()),
        }
    }
}

/// Returns the bytes of a listpack.
pub fn listpack(entries: &[Entry]) -> Vec<u8> {
    let body: Vec<u8> = entries.iter().flat_map(entry).collect();
    let total = u32::try_from(6 + body.len() + 1).unwrap();
    let count = u16::try_from(entries.len()).unwrap_or(u16::MAX);
    [&total.to_le_bytes()[..], &count.to_le_bytes(), &body, &[0xFF]].concat()
}

/// Returns the bytes of an entry, including its back-length.
pub fn entry(entry: &Entry) -> Vec<u8> {
    let mut bytes = match entry {
        Entry::Integer(integer) => integer_bytes(*integer),
        Entry::Text(text) => [text_head(text.len()), text.clone()].concat(),
    };
    bytes.extend(back_length(bytes.len()));
    bytes
}

fn integer_bytes(integer: i64) -> Vec<u8> {
    let with_head = |head: u8, bytes: usize| [&[head], &integer.to_le_bytes()[..bytes]].concat();
    let fits = |bits: u32| (-(1 << (bits - 1))..1 << (bits - 1)).contains(&integer);
    if let Ok(small @ 0..=127) = u8::try_from(integer) {
        vec![small]
    } else if fits(13) {
        let bits = u16::try_from(integer.rem_euclid(1 << 13)).unwrap();
        (0b110 << 13 | bits).to_be_bytes().to_vec()
    } else if fits(16) {
        with_head(0xF1, 2)
    } else if fits(24) {
        with_head(0xF2, 3)
    } else if fits(32) {
        with_head(0xF3, 4)
    } else {
        with_head(0xF4, 8)
    }
}

fn text_head(len: usize) -> Vec<u8> {
    match len {
        0..64 => vec![0b1000_0000 | u8::try_from(len).unwrap()],
        64..4096 => (0b1110 << 12 | u16::try_from(len).unwrap()).to_be_bytes().to_vec(),
        _ => [&[0xF0], &u32::try_from(len).unwrap().to_le_bytes()[..]].concat(),
    }
}

/// Encodes a length in groups of seven bits, highest first, with the top bit set in all but the
/// first. With two or more groups, the largest number that would fit needs one more group.
fn back_length(len: usize) -> Vec<u8> {
    let groups = match len {
        0..128 => 1,
        128..16_383 => 2,
        16_383..2_097_151 => 3,
        2_097_151..268_435_455 => 4,
        _ => 5,
    };
    let group = |i: usize| u8::try_from(len >> (7 * i) & 0x7F).unwrap();
    (0..groups).rev().map(|i| group(i) | if i + 1 < groups { 0x80 } else { 0 }).collect()
}
