//! [`Reply`]: a server's reply, in RESP2 or RESP3.

// Each test target uses only a part of this module.
#![allow(dead_code)]

use std::fmt;

/// A reply or a part of one, with the byte that identifies its type.
#[derive(Debug, PartialEq)]
pub(crate) enum Reply<'a> {
    /// A status, an error, a number or another single-line type.
    Line(u8, &'a [u8]),
    /// A string with a length.
    Text(u8, &'a [u8]),
    /// The null string or the null array of RESP2.
    None(u8),
    /// An array, set or map. A map has two parts for each entry.
    List(u8, Vec<Reply<'a>>),
}

impl<'a> Reply<'a> {
    /// Parses the first reply and returns it with the bytes after it, or `None` if it is
    /// incomplete.
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
                            let (part, after) = Reply::parse(rest)?;
                            parts.push(part);
                            rest = after;
                        }
                        Reply::List(kind, parts)
                    }
                }
            }
            kind => Reply::Line(kind, line),
        };
        Some((reply, rest))
    }

    /// Parses a complete reply.
    #[track_caller]
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        let Some((reply, [])) = Reply::parse(bytes) else { panic!("{}", bytes.escape_ascii()) };
        reply
    }

    #[track_caller]
    pub(crate) fn into_parts(self) -> Vec<Self> {
        let Reply::List(_, parts) = self else { panic!("not a list: {self}") };
        parts
    }

    /// Returns the bytes of a string or of a reply of one line.
    #[track_caller]
    pub(crate) fn into_text(self) -> &'a [u8] {
        let (Reply::Line(_, text) | Reply::Text(_, text)) = self else { panic!("no text: {self}") };
        text
    }

    /// Appends the types of the reply and of its parts, without their values.
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

    /// Appends the reply in a form in which equal numbers have the same digits.
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

    /// Returns the commands in a reply to COMMAND, including subcommands such as `client|id`. Each
    /// has a name and an arity: the number of arguments including the name, or, if negative, the
    /// minimum.
    pub(crate) fn listed_commands(&self) -> Vec<(String, i8)> {
        let Reply::List(_, list) = self else { panic!("not a list: {self:?}") };
        let mut commands = Vec::new();
        for command in list {
            let Reply::List(_, parts) = command else { panic!("not a command: {command:?}") };
            let [Reply::Text(_, name), Reply::Line(b':', arity), .., subcommands] = &**parts else {
                panic!("not a command: {parts:?}")
            };
            let text = |bytes| std::str::from_utf8(bytes).expect("names are ASCII");
            commands.push((text(name).to_owned(), text(arity).parse().expect("a small number")));
            commands.extend(subcommands.listed_commands());
        }
        commands
    }
}

impl fmt::Display for Reply<'_> {
    /// Displays the reply on one line, with its strings in quotes.
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
