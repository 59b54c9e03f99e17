//! Formatting numbers and names for a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Formats a number with commas: `1,234,567`.
pub(crate) fn thousands(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats an ordinal number: `1st`, `2nd`, `11th`.
pub(crate) fn ordinal(number: usize) -> String {
    let suffix = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{}{suffix}", thousands(number as u128))
}

/// Escapes control characters, which could otherwise manipulate the terminal.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::new();
    for char in text.chars() {
        if char.is_control() {
            shown.extend(char.escape_default());
        } else {
            shown.push(char);
        }
    }
    shown
}

/// Makes a string printable and cuts it to a length that fits a message.
pub(crate) fn shorten(text: &str) -> String {
    fit(&printable(text), 40)
}

/// Cuts a string to at most this many terminal cells.
pub(crate) fn fit(text: &str, cells: usize) -> String {
    if width(text) <= cells {
        return text.to_string();
    }
    let mut room = cells.saturating_sub(1);
    let kept = text.chars().take_while(|char| {
        let left = room.checked_sub(char.width().unwrap_or(0));
        room = left.unwrap_or(0);
        left.is_some()
    });
    kept.chain(['…']).collect()
}

/// Pads a string on the right to this many terminal cells.
pub(crate) fn left(text: &str, cells: usize) -> String {
    format!("{text}{}", " ".repeat(cells.saturating_sub(width(text))))
}

/// Pads a string on the left to this many terminal cells.
pub(crate) fn right(text: &str, cells: usize) -> String {
    format!("{}{text}", " ".repeat(cells.saturating_sub(width(text))))
}

pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}
