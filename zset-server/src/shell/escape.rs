//! Bytes as text that contains no control sequences for a terminal.

use std::fmt::Write as _;

/// Writes bytes as a single line of text, escaping only what cannot be displayed.
pub(super) fn write_text(bytes: &[u8], out: &mut String) {
    write_escaping(bytes, "", out);
}

/// Like [`write_text`], also escaping these characters.
pub(super) fn write_escaping(bytes: &[u8], special: &str, out: &mut String) {
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if is_seen(letter) && !special.contains(letter) {
                out.push(letter);
            } else {
                let mut bytes = [0; 4];
                letter.encode_utf8(&mut bytes).bytes().for_each(|byte| write_escaped(byte, out));
            }
        }
        chunk.invalid().iter().for_each(|byte| write_escaped(*byte, out));
    }
}

/// Returns whether a character can be displayed.
fn is_seen(letter: char) -> bool {
    // At the start, a combining character would be escaped as well.
    matches!(letter, '\'' | '"' | '\\') || format!("x{letter}").escape_debug().count() == 2
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
