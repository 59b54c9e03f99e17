//! Bytes as text that contains no control sequences for a terminal.

use std::fmt::Write as _;

/// A unit of displayed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A character that can be displayed.
    Letter(char),
    /// Any other byte, or a byte of a character that cannot be displayed.
    Byte(u8),
}

impl Unit {
    /// Writes the unit as it could be typed within double quotes.
    pub(crate) fn write(self, out: &mut String) {
        match self {
            Unit::Letter(letter @ ('"' | '\\')) => out.extend(['\\', letter]),
            Unit::Letter(letter) => out.push(letter),
            Unit::Byte(byte) => write_escaped(byte, out),
        }
    }
}

/// Returns the units of bytes; characters beyond ASCII are displayed if possible.
pub(crate) fn units(bytes: &[u8]) -> impl Iterator<Item = Unit> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let letters = chunk.valid().chars().flat_map(units_of);
        letters.chain(chunk.invalid().iter().map(|byte| Some(Unit::Byte(*byte)))).flatten()
    })
}

fn units_of(letter: char) -> [Option<Unit>; 4] {
    // At the start, a combining character would be escaped as well.
    let is_seen = match letter {
        '\'' | '"' | '\\' => true,
        _ => format!("x{letter}").escape_debug().count() == 2,
    };
    if is_seen {
        return [Some(Unit::Letter(letter)), None, None, None];
    }
    let mut bytes = [0; 4];
    let len = letter.encode_utf8(&mut bytes).len();
    std::array::from_fn(|index| (index < len).then(|| Unit::Byte(bytes[index])))
}

/// Writes bytes as a single line of text, escaping only what cannot be displayed.
pub(crate) fn write_text(bytes: &[u8], out: &mut String) {
    for unit in units(bytes) {
        match unit {
            Unit::Letter(letter) => out.push(letter),
            Unit::Byte(byte) => write_escaped(byte, out),
        }
    }
}

/// Writes bytes within double quotes, as redis-cli displays them and as they could be typed.
pub(super) fn write_quoted(bytes: &[u8], out: &mut String) {
    out.push('"');
    for &byte in bytes {
        write_escaped(byte, out);
    }
    out.push('"');
}

/// Writes a byte as it could be typed within double quotes.
fn write_escaped(byte: u8, out: &mut String) {
    match byte {
        b'\\' | b'"' => out.extend(['\\', char::from(byte)]),
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        0x07 => out.push_str("\\a"),
        0x08 => out.push_str("\\b"),
        b' '..=b'~' => out.push(char::from(byte)),
        _ => _ = write!(out, "\\x{byte:02x}"),
    }
}

/// Returns bytes as they can be typed, quoted if necessary.
pub(super) fn typed(bytes: &[u8], is_quoted: bool) -> String {
    let is_plain = |unit| matches!(unit, Unit::Letter(letter) if !" \"'\\".contains(letter));
    let must_be_quoted = is_quoted || bytes.is_empty() || !units(bytes).all(is_plain);
    let quote = if must_be_quoted { "\"" } else { "" };
    let mut text = quote.to_owned();
    units(bytes).for_each(|unit| unit.write(&mut text));
    text + quote
}
