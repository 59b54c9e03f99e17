//! Decides whether two strings represent the same score.

use super::process::{Kind, Reply};

/// Returns whether two replies in RESP3 are the same. Scores are compared as numbers if a server
/// writes more digits.
pub(crate) fn is_same(ours: &Reply<'_>, theirs: &Reply<'_>, kind: Kind) -> bool {
    match (ours, theirs) {
        (Reply::Line(b',', ours), Reply::Line(b',', theirs)) => is_same_score(ours, theirs, kind),
        (Reply::List(our_type, ours), Reply::List(their_type, theirs)) => {
            our_type == their_type
                && ours.len() == theirs.len()
                && ours.iter().zip(theirs).all(|(ours, theirs)| is_same(ours, theirs, kind))
        }
        _ => ours == theirs,
    }
}

/// Returns whether a server of this kind may write our score as the string `theirs`.
pub(crate) fn is_same_score(ours: &[u8], theirs: &[u8], kind: Kind) -> bool {
    let text = |bytes| std::str::from_utf8(bytes).expect("a score is ASCII");
    let (ours, theirs) = (text(ours), text(theirs));
    // Zeros of both signs are equal as `f64`.
    let is_same_number = ours.parse::<f64>().is_ok_and(|ours| theirs.parse() == Ok(ours));
    match kind {
        // Redis 7.0 writes 17 digits.
        Kind::Redis => is_same_number,
        // Valkey keeps the sign of a zero in a skip list. Valkey does not always write the shortest
        // string, or the nearest one of that length. Accept digits that differ from ours for this
        // reason. If the digits are the same, the format must be the same too.
        Kind::Valkey => {
            ours == theirs || is_same_number && (theirs == "-0" || has_worse_digits(theirs, ours))
        }
    }
}

fn has_worse_digits(theirs: &str, ours: &str) -> bool {
    let (theirs, ours) = (digits(theirs), digits(ours));
    theirs.len() > ours.len() || (theirs.len() == ours.len() && theirs != ours)
}

/// Returns the significant digits of a finite decimal number.
fn digits(text: &str) -> String {
    let mantissa = text.split('e').next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}
