//! Formats replies for humans, as `redis-cli --no-raw` does. Control characters are escaped.

use std::fmt::Write as _;

/// Writes the replies in `bytes`, each on one or more lines. Malformed bytes end the output.
///
/// The format is that of `cliFormatReplyTTY` in redis-cli.c.
pub(super) fn write_replies(mut bytes: &[u8], out: &mut String) {
    while let Some(rest) = write_reply(bytes, "", out) {
        bytes = rest;
    }
}

/// Writes the reply at the start of `bytes`, with all lines but the first indented; returns the
/// remaining bytes.
fn write_reply<'a>(bytes: &'a [u8], indent: &str, out: &mut String) -> Option<&'a [u8]> {
    let (&kind, rest) = bytes.split_first()?;
    let end = memchr::memchr(b'\n', rest)?;
    let (line, rest) = (rest[..end].strip_suffix(b"\r")?, &rest[end + 1..]);
    let text = String::from_utf8_lossy(line);
    match kind {
        b'+' => write_text(line, out),
        b'-' => {
            out.push_str("(error) ");
            write_text(line, out);
        }
        b':' => out.extend(["(integer) ", &text]),
        b',' => out.extend(["(double) ", &text]),
        b'$' | b'=' if line != b"-1" => {
            let len: usize = text.parse().ok()?;
            let (value, rest) = (rest.get(..len)?, rest.get(len..)?.strip_prefix(b"\r\n")?);
            if kind == b'$' {
                write_quoted(value, out);
            } else {
                // A verbatim string begins with a three-letter type and a colon, which are not
                // shown.
                for (number, line) in value.get(4..)?.split(|byte| *byte == b'\n').enumerate() {
                    out.push_str(if number > 0 { "\n" } else { "" });
                    write_text(line.trim_ascii_end(), out);
                }
            }
            out.push('\n');
            return Some(rest);
        }
        b'*' | b'%' | b'~' if line != b"-1" => {
            return write_all(kind, text.parse().ok()?, rest, indent, out);
        }
        b'_' | b'$' | b'*' => out.push_str("(nil)"),
        _ => return None,
    }
    out.push('\n');
    Some(rest)
}

/// Writes the `len` replies of an array, a map or a set.
fn write_all<'a>(
    kind: u8,
    len: usize,
    mut bytes: &'a [u8],
    indent: &str,
    out: &mut String,
) -> Option<&'a [u8]> {
    let (name, mark) = match kind {
        b'%' => ("hash", '#'),
        b'~' => ("set", '~'),
        _ => ("array", ')'),
    };
    if len == 0 {
        out.extend(["(empty ", name, ")\n"]);
    }
    let digits = len.to_string().len();
    let inner = format!("{indent}{:1$}", "", digits + 2);
    for number in 1..=len {
        if number > 1 {
            out.push_str(indent);
        }
        let _ = write!(out, "{number:digits$}{mark} ");
        bytes = write_reply(bytes, &inner, out)?;
        if kind == b'%' {
            out.pop();
            out.push_str(" => ");
            let start = out.len();
            bytes = write_reply(bytes, &inner, out)?;
            // In a map, a value with several lines starts on a new line.
            if out[start..].trim_end().contains('\n') {
                out.insert_str(start, &format!("\n{inner}"));
            }
        }
    }
    Some(bytes)
}

/// Writes bytes as a single line of text, escaping only characters that cannot be displayed.
pub(super) fn write_text(bytes: &[u8], out: &mut String) {
    write_escaping(bytes, "", out);
}

/// Like [`write_text`], also escaping the characters in `special`.
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
    // Put an `x` first, because `escape_debug` escapes a combining character only at the start of a
    // string.
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
