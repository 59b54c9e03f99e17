//! Inline requests: lines split into arguments as in a shell, with Redis's rules for quotes.

/// The error for an unclosed quote, or for a closing quote not followed by a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnbalancedQuotes;

/// Splits a line into its arguments. **O(n)**.
///
/// Within double quotes `\n`, `\r`, `\t`, `\b`, `\a` and `\xHH` are escapes, and `\` before any other byte
/// stands for that byte; within single quotes only `\'` is an escape.
pub(crate) fn split_line(line: &[u8]) -> Result<Vec<Vec<u8>>, UnbalancedQuotes> {
    let mut arguments = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.iter().position(|byte| !is_space(*byte)) {
        let (argument, behind) = first_argument(&rest[start..])?;
        arguments.push(argument);
        rest = behind;
    }
    Ok(arguments)
}

/// Parses the first argument of a line that starts with it; returns it and the rest.
fn first_argument(line: &[u8]) -> Result<(Vec<u8>, &[u8]), UnbalancedQuotes> {
    let mut argument = Vec::new();
    let mut rest = line;
    loop {
        let quoted = match rest {
            [b'"', behind @ ..] => double_quoted(behind, &mut argument),
            [b'\'', behind @ ..] => single_quoted(behind, &mut argument),
            [byte, behind @ ..] if !b" \n\r\t".contains(byte) => {
                argument.push(*byte);
                rest = behind;
                continue;
            }
            _ => return Ok((argument, rest)),
        };
        // A closing quote ends the argument.
        return match quoted {
            Some(behind) if behind.first().is_none_or(|byte| is_space(*byte)) => {
                Ok((argument, behind))
            }
            _ => Err(UnbalancedQuotes),
        };
    }
}

/// Returns whether a byte is whitespace according to C's `isspace`. Some of these bytes do not end an
/// argument.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// Appends the bytes up to the closing quote; returns the bytes after it.
fn double_quoted<'a>(mut rest: &'a [u8], argument: &mut Vec<u8>) -> Option<&'a [u8]> {
    loop {
        let (byte, behind) = match rest {
            [b'"', behind @ ..] => return Some(behind),
            [b'\\', b'x', high, low, behind @ ..]
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                (16 * hex(*high) + hex(*low), behind)
            }
            [b'\\', byte, behind @ ..] => (escaped(*byte), behind),
            [byte, behind @ ..] => (*byte, behind),
            [] => return None,
        };
        argument.push(byte);
        rest = behind;
    }
}

/// Appends the bytes up to the closing quote; returns the bytes after it.
fn single_quoted<'a>(mut rest: &'a [u8], argument: &mut Vec<u8>) -> Option<&'a [u8]> {
    loop {
        let (byte, behind) = match rest {
            [b'\'', behind @ ..] => return Some(behind),
            [b'\\', b'\'', behind @ ..] => (b'\'', behind),
            [byte, behind @ ..] => (*byte, behind),
            [] => return None,
        };
        argument.push(byte);
        rest = behind;
    }
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => digit.to_ascii_lowercase() - b'a' + 10,
    }
}

fn escaped(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 0x08,
        b'a' => 0x07,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Option<Vec<String>> {
        let arguments = split_line(line.as_bytes()).ok()?;
        Some(arguments.iter().map(|bytes| bytes.escape_ascii().to_string()).collect())
    }

    #[test]
    fn spaces_separate_arguments_and_quotes_group_them() {
        for (line, expected) in [
            ("", &[][..]),
            (" \t ", &[]),
            ("\x0b", &[]),
            ("\x0b\x0ca\x0bb\x0c \"c\"\x0bd", &[r"a\x0bb\x0c", "c", "d"]),
            ("  ping  ", &["ping"]),
            ("set  a\tb", &["set", "a", "b"]),
            (r#"set "a b" 'c d'"#, &["set", "a b", "c d"]),
            (r#""" ''"#, &["", ""]),
            (r#""\x41\n\"\\\q\xzz""#, &[r#"A\n\"\\qxzz"#]),
            (r"'it\'s \n'", &[r"it\'s \\n"]),
            (r#"a"b c""#, &["ab c"]),
        ] {
            let expected = expected.iter().map(|argument| (*argument).to_owned()).collect();
            assert_eq!(split(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn a_quote_must_be_closed_and_followed_by_a_space() {
        for line in
            [r#"""#, "'", r#""abc"#, "'abc", r#""a"b"#, "'a'b", r#""a\"#, r#""a\""#, "'a\\'"]
        {
            assert_eq!(split(line), None, "{line}");
        }
    }
}
