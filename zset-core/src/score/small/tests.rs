use super::*;
use crate::score::text::decimal;
use proptest::prelude::*;
use std::format;
use std::string::String;

fn agree(number: f64) {
    let (mut ours, mut core) = (Digits::default(), Digits::default());
    shortest_digits(number, &mut ours);
    decimal::shortest_digits(number, &mut core);
    let (ours, core) =
        ((ours.exponent, &ours.bytes[..ours.len]), (core.exponent, &core.bytes[..core.len]));
    assert_eq!(ours, core, "{number:e}");
    let text = format!("{number:e}");
    assert_eq!(parse(text.as_bytes()), Some(number), "{text}");
}

fn parses_alike(text: &str) {
    let (ours, core) = (parse(text.as_bytes()), text.parse::<f64>().ok());
    assert_eq!(ours.map(f64::to_bits), core.map(f64::to_bits), "{text}");
}

#[test]
fn powers_and_their_neighbours_have_the_digits_of_core() {
    for exponent in 1..2047_u64 {
        let bits = exponent << FRACTION_BITS;
        for bits in [bits - 1, bits, bits + 1] {
            agree(f64::from_bits(bits));
        }
    }
    for exponent in 0..FRACTION_BITS {
        agree(f64::from_bits(1 << exponent));
    }
    for power in -323..=308 {
        agree(format!("1e{power}").parse().unwrap());
    }
    [f64::MAX, f64::MIN_POSITIVE, 5e-324, 9_007_199_254_740_993.0, 1e23]
        .into_iter()
        .for_each(agree);
}

#[test]
fn all_kinds_of_text_parse_as_in_core() {
    for text in [
        "",
        "-",
        "+",
        ".",
        "-.",
        "1.",
        ".5",
        "+.5",
        "0",
        "-0",
        "00.00",
        "e5",
        ".e5",
        "1e",
        "1e+",
        "1e-",
        "1e5",
        "1E+05",
        "1e-0",
        "1.5e3.",
        "1..5",
        "1.5.",
        "inf",
        "-INF",
        "+Infinity",
        "infin",
        "nan",
        "-NaN",
        "1_0",
        " 1",
        "1 ",
        "0x1",
        "1e400",
        "1e-400",
        "0e999999999999999999999",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "9007199254740993",
        "9007199254740992.99999",
        "9007199254740993.00000000001",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "é",
        "0.0001e-400",
        "0.000000000000000000000000000000000000001e39",
    ] {
        parses_alike(text);
    }
    parses_alike(&format!("{}e-400", "9".repeat(400)));
    parses_alike(&format!("0.{}1e400", "0".repeat(399)));
    parses_alike(&format!("{}.{}", "0".repeat(1000), "3".repeat(1000)));
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "any numbers are suitable")]
fn integers_are_exact_as_with_arithmetic() {
    for bits in 0..=62 {
        for integer in
            [(1_u64 << bits) - 1, 1 << bits, (1 << bits) + 1].map(|integer| integer as f64)
        {
            for number in [integer, -integer, integer / 2.0, integer / 1e30, integer * 1e-320] {
                assert_eq!(exact_integer(number), decimal::exact_integer(number), "{number:e}");
            }
        }
    }
}

/// The exact decimal text of the number in the middle between two neighbours.
fn middle_above(number: f64) -> String {
    // 2^-1075 has 1,075 digits after the point; the middle is exact in twice the significand.
    let next = f64::from_bits(number.to_bits() + 1);
    let (low, high) = (format!("{number:.1080}"), format!("{next:.1080}"));
    // Adds the texts and halves the sum, digit by digit.
    let width = high.len();
    let low = format!("{low:0>width$}");
    let mut sum: std::vec::Vec<u8> = low
        .bytes()
        .zip(high.bytes())
        .filter(|(a, _)| *a != b'.')
        .map(|(a, b)| (a - b'0') + (b - b'0'))
        .collect();
    for i in (1..sum.len()).rev() {
        if sum[i] > 9 {
            sum[i] -= 10;
            sum[i - 1] += 1;
        }
    }
    let mut carry = 0;
    let digits: String = sum
        .iter()
        .map(|&digit| {
            let value = carry * 10 + digit;
            carry = value % 2;
            char::from(b'0' + value / 2)
        })
        .collect();
    let (whole, fraction) = digits.split_at(digits.len() - 1080);
    format!("{whole}.{fraction}")
}

proptest! {
    #![proptest_config(test_support::strategy::config(4096, 0))]

    #[test]
    fn any_number_has_the_digits_of_core(bits in 1..f64::INFINITY.to_bits(), short in 1..1_000_000_u32, power in 0..9) {
        agree(f64::from_bits(bits));
        agree(f64::from(short) / 10_f64.powi(power));
    }

    #[test]
    fn any_digits_parse_as_in_core(digits in "[0-9]{1,25}", fraction in "[0-9]{0,25}", exponent in -350..350) {
        parses_alike(&format!("{digits}.{fraction}e{exponent}"));
        parses_alike(&format!("{digits}.{fraction}"));
    }
}

proptest! {
    // Each middle has more than a thousand digits.
    #![proptest_config(test_support::strategy::config(128, 0))]

    #[test]
    fn ties_are_rounded_to_even(bits in 1..f64::MAX.to_bits()) {
        let middle = middle_above(f64::from_bits(bits));
        parses_alike(&middle);
        parses_alike(&format!("{middle}1"));
    }
}
