//! Replies as text for people, in the form of `redis-cli --no-raw`.

use std::fmt::Write as _;

use super::style::Style;

/// Writes the replies that `bytes` holds, a line or more each. What is no reply ends the text.
///
/// The form is that of `cliFormatReplyTTY` in redis-cli.c.
pub(super) fn write_replies(mut bytes: &[u8], style: Style, out: &mut String) {
    while let Some(rest) = write_reply(bytes, "", style, out) {
        bytes = rest;
    }
}

/// Writes the reply at the start of `bytes`, whose lines but the first begin with `indent`; returns the
/// bytes behind it.
fn write_reply<'a>(
    bytes: &'a [u8],
    indent: &str,
    style: Style,
    out: &mut String,
) -> Option<&'a [u8]> {
    let (&kind, rest) = bytes.split_first()?;
    let end = memchr::memchr(b'\n', rest)?;
    let (line, rest) = (rest[..end].strip_suffix(b"\r")?, &rest[end + 1..]);
    let text = String::from_utf8_lossy(line);
    match kind {
        b'+' => out.push_str(&text),
        b'-' => out.push_str(&style.error(&format!("(error) {text}"))),
        b':' => out.extend(["(integer) ", &text]),
        b',' => out.extend(["(double) ", &text]),
        b'#' => out.push_str(if line == b"t" { "(true)" } else { "(false)" }),
        b'$' | b'=' if line != b"-1" => {
            let len: usize = text.parse().ok()?;
            let (value, rest) = (rest.get(..len)?, rest.get(len..)?.strip_prefix(b"\r\n")?);
            if kind == b'$' {
                write_quoted(value, out);
            } else {
                // Behind three letters that tell the kind of text, and a colon.
                out.push_str(&String::from_utf8_lossy(value.get(4..)?));
            }
            out.push('\n');
            return Some(rest);
        }
        b'*' | b'%' | b'~' | b'>' if line != b"-1" => {
            return write_all(kind, text.parse().ok()?, rest, indent, style, out);
        }
        b'_' | b'$' | b'*' => out.push_str("(nil)"),
        _ => return None,
    }
    out.push('\n');
    Some(rest)
}

/// Writes the replies that an array, a map or a set of `len` consists of.
fn write_all<'a>(
    kind: u8,
    len: usize,
    mut bytes: &'a [u8],
    indent: &str,
    style: Style,
    out: &mut String,
) -> Option<&'a [u8]> {
    let (name, mark) = match kind {
        b'%' => ("hash", '#'),
        b'~' => ("set", '~'),
        b'>' => ("push", ')'),
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
        bytes = write_reply(bytes, &inner, style, out)?;
        if kind == b'%' {
            out.pop();
            out.push_str(" => ");
            let start = out.len();
            bytes = write_reply(bytes, &inner, style, out)?;
            // A value of more than a line begins on one of its own.
            if out[start..].trim_end().contains('\n') {
                out.insert_str(start, &format!("\n{inner}"));
            }
        }
    }
    Some(bytes)
}

/// Writes bytes between double quotes, as they could be typed.
pub(crate) fn write_quoted(bytes: &[u8], out: &mut String) {
    out.push('"');
    for &byte in bytes {
        write_escaped(byte, out);
    }
    out.push('"');
}

/// Writes a byte as it could be typed between double quotes.
pub(crate) fn write_escaped(byte: u8, out: &mut String) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn written(bytes: &[u8]) -> String {
        let mut out = String::new();
        write_replies(bytes, Style::Plain, &mut out);
        out
    }

    #[test]
    fn each_kind_of_reply_has_its_form() {
        for (bytes, text) in [
            (&b"+OK\r\n"[..], "OK\n"),
            (b"-ERR no\r\n", "(error) ERR no\n"),
            (b":-7\r\n", "(integer) -7\n"),
            (b",1.5\r\n", "(double) 1.5\n"),
            (b"#t\r\n#f\r\n", "(true)\n(false)\n"),
            (b"$-1\r\n*-1\r\n_\r\n", "(nil)\n(nil)\n(nil)\n"),
            (b"$4\r\na\"\xff\n\r\n", "\"a\\\"\\xff\\n\"\n"),
            (b"=8\r\ntxt:a\nb\n\r\n", "a\nb\n\n"),
            (
                b"*0\r\n%0\r\n~0\r\n>0\r\n",
                "(empty array)\n(empty hash)\n(empty set)\n(empty push)\n",
            ),
            (b"~1\r\n:1\r\n", "1~ (integer) 1\n"),
            (b"%1\r\n+a\r\n*1\r\n:1\r\n", "1# a => 1) (integer) 1\n"),
            (b"%1\r\n+a\r\n*2\r\n+b\r\n+c\r\n", "1# a => \n   1) b\n   2) c\n"),
            (b"*2\r\n*2\r\n:1\r\n:2\r\n*1\r\n:3\r\n", NESTED),
        ] {
            assert_eq!(written(bytes), text);
        }
        let many = [&b"*10\r\n"[..], &b":5\r\n".repeat(10)].concat();
        assert!(written(&many).starts_with(" 1) (integer) 5\n 2) "));
    }

    const NESTED: &str = "\
1) 1) (integer) 1
   2) (integer) 2
2) 1) (integer) 3
";

    #[test]
    fn what_is_no_reply_ends_the_text() {
        for bytes in
            [&b""[..], b"+OK", b"?\r\n", b"$5\r\nabc\r\n", b"*2\r\n", b"$x\r\n", b"=1\r\na\r\n"]
        {
            written(bytes);
        }
        assert_eq!(written(b"+OK\r\n$9\r\nab"), "OK\n");
    }

    #[test]
    fn errors_have_a_colour_where_colours_are_wanted() {
        let mut out = String::new();
        write_replies(b"-ERR no\r\n", Style::Coloured, &mut out);
        assert_eq!(out, "\x1b[31m(error) ERR no\x1b[0m\n");
    }
}
