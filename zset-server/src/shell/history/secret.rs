//! Lines that are not stored because they may contain a password.

use crate::resp::split_line;

/// Returns whether a line may contain a password.
pub(in crate::shell) fn is_secret(line: &str) -> bool {
    let words = split_line(line.as_bytes()).unwrap_or_else(|_| {
        // The user may have forgotten a quote.
        let words = line.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        words.map(|word| word.as_bytes().to_vec()).collect()
    });
    let Some((name, rest)) = words.split_first() else { return false };
    let is = |word: &[u8], other: &str| word.eq_ignore_ascii_case(other.as_bytes());
    let has = |other: &str| rest.iter().any(|word| is(word, other));
    is(name, "auth")
        || is(name, "hello") && has("auth")
        || is(name, "config") && has("requirepass") && !is(&rest[0], "get")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_password_are_secret_and_no_others() {
        for line in [
            "AUTH secret",
            "  auth default secret",
            "\"auth\" secret",
            "auth \"secret",
            "'auth' \"secret",
            "hello 3 AUTH default secret",
            "hello 3 setname x auth default \"secret",
            "config set requirepass secret",
            "CONFIG SET maxmemory 1 \"RequirePass\" secret",
            "config set requirepass 'secret",
        ] {
            assert!(is_secret(line), "{line}");
        }
        for line in [
            "",
            "help auth",
            "hello 3",
            "config get requirepass",
            "config",
            "get auth",
            "set a \"auth",
        ] {
            assert!(!is_secret(line), "{line}");
        }
    }
}
