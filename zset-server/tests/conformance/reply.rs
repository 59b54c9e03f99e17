//! [`Reply`]: what a server answers, read in either protocol.

use std::fmt;

/// A reply, or a part of one, with the byte that says of which kind it is.
#[derive(Debug)]
pub(crate) enum Reply<'a> {
    /// A status, an error, a number: what ends with its line.
    Line(u8, &'a [u8]),
    /// Bytes behind their length.
    Text(u8, &'a [u8]),
    /// No text and no list, in RESP2.
    None(u8),
    /// An array, set or map; the parts of a map are twice its length.
    List(u8, Vec<Reply<'a>>),
}

impl<'a> Reply<'a> {
    /// Reads the first reply, if it is there as a whole; returns the bytes behind it too.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let end = bytes.windows(2).position(|end| end == b"\r\n")?;
        let (kind, line, mut rest) = (bytes[0], &bytes[1..end], &bytes[end + 2..]);
        let number = || -> Option<i64> { std::str::from_utf8(line).ok()?.parse().ok() };
        let reply = match kind {
            b'$' | b'=' | b'*' | b'~' | b'%' | b'>' => {
                let number = number().unwrap_or_else(|| panic!("{}", bytes.escape_ascii()));
                match (kind, usize::try_from(number)) {
                    (_, Err(_)) => Reply::None(kind),
                    (b'$' | b'=', Ok(len)) => {
                        let text = rest.get(..len)?;
                        rest = rest.get(len + 2..)?;
                        Reply::Text(kind, text)
                    }
                    (_, Ok(len)) => {
                        let len = if kind == b'%' { 2 * len } else { len };
                        let mut parts = Vec::new();
                        for _ in 0..len {
                            let (part, behind) = Reply::parse(rest)?;
                            parts.push(part);
                            rest = behind;
                        }
                        Reply::List(kind, parts)
                    }
                }
            }
            kind => Reply::Line(kind, line),
        };
        Some((reply, rest))
    }

    /// Adds its kind, and those of its parts, without what they hold.
    pub(crate) fn write_shape(&self, shape: &mut Vec<u8>) {
        match self {
            Reply::Line(kind, _) | Reply::Text(kind, _) | Reply::None(kind) => shape.push(*kind),
            Reply::List(kind, parts) => {
                shape.extend([*kind, b'(']);
                for part in parts {
                    part.write_shape(shape);
                }
                shape.push(b')');
            }
        }
    }

    /// Adds it with one text for each number, however many digits it is written with.
    pub(crate) fn write_short(&self, written: &mut Vec<u8>) {
        match self {
            Reply::Line(kind, text) | Reply::Text(kind, text) => {
                written.push(*kind);
                match number(text).filter(|_| matches!(kind, b'$' | b',')) {
                    Some(number) => written.extend(format!("{number:e}").bytes()),
                    None => written.extend(*text),
                }
            }
            Reply::None(kind) => written.push(*kind),
            Reply::List(kind, parts) => {
                written.extend([&[*kind], parts.len().to_string().as_bytes()].concat());
            }
        }
        written.extend(b"\r\n");
        if let Reply::List(_, parts) = self {
            for part in parts {
                part.write_short(written);
            }
        }
    }
}

impl fmt::Display for Reply<'_> {
    /// Shows it in one line, texts in quotes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Line(_, text) => text.escape_ascii().to_string().replace("\\'", "'").fmt(f),
            Reply::Text(_, text) => write!(f, "\"{}\"", text.escape_ascii()),
            Reply::None(_) => f.write_str("nil"),
            Reply::List(_, parts) => {
                for (index, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if index == 0 { "[" } else { ", " })?;
                }
                f.write_str(if parts.is_empty() { "[]" } else { "]" })
            }
        }
    }
}

fn number(text: &[u8]) -> Option<f64> {
    let number: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    number.is_finite().then_some(number)
}
