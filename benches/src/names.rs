//! Members that are made up, by their numbers: no two are the same, and their order looks random.

/// Words of which names are made.
const WORDS: [&str; 64] = [
    "apt", "audio", "auth", "base", "bin", "boot", "browser", "build", "cache", "cairo", "client",
    "cloud", "codec", "common", "compat", "config", "core", "crypto", "daemon", "data", "debug",
    "desktop", "dev", "devel", "disk", "doc", "driver", "editor", "engine", "extra", "firmware",
    "font", "gnome", "graph", "gtk", "haskell", "http", "image", "java", "kernel", "lang", "lib",
    "linux", "locale", "manager", "module", "net", "node", "ocaml", "parser", "perl", "plugin",
    "python", "qt", "ruby", "rust", "server", "source", "testing", "theme", "tools", "utils",
    "video", "xml",
];

/// The longest name that another word is added to.
const LONGEST: usize = 23;

/// The digits of a string's number: with what stands before them it has 20 bytes.
const DIGITS: u64 = 10_u64.pow(13);

/// Has no factor with [`DIGITS`], so that the multiples of different numbers differ.
const SCATTER: u64 = 7_368_787_031;

/// A string of 20 bytes, as keys of a program often look.
pub fn string(number: u64) -> String {
    let digits = u128::from(number) * u128::from(SCATTER) % u128::from(DIGITS);
    format!("member:{digits:013}")
}

/// A name of 8 to 40 bytes, as packages have them.
pub fn name(number: u64) -> String {
    let bits = scramble(number);
    let word = |place: u64| WORDS[(bits >> (6 * place)) as usize % WORDS.len()];
    let mut name = format!("{}-{}", word(0), word(1));
    for place in 2..2 + bits % 5 % 3 {
        if name.len() < LONGEST {
            name.push('-');
            name.push_str(word(place));
        }
    }
    // Words have no digits, so the number makes it distinct.
    format!("{name}{number:03}")
}

/// Makes up numbers that look random, all distinct, the same for the same start.
pub(crate) fn numbers(start: u64) -> impl Iterator<Item = u64> {
    (0..).map(move |i: u64| scramble(i.wrapping_add(start)))
}

/// Maps each number to another one that looks random, no two to the same: the finalizer of
/// splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
pub fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn members_are_distinct_and_as_long_as_they_should_be() {
        let numbers = || (0..10_000).chain(9_990_000..10_000_000);
        let strings: HashSet<_> = numbers().map(string).collect();
        assert_eq!(strings.len(), 20_000);
        assert!(strings.iter().all(|string| string.len() == 20));
        let names: HashSet<_> = numbers().map(name).collect();
        assert_eq!(names.len(), 20_000);
        let lens = || names.iter().map(String::len);
        assert!(lens().min() >= Some(8) && lens().min() < Some(12), "{:?}", lens().min());
        assert!(lens().max() <= Some(40) && lens().max() > Some(30), "{:?}", lens().max());
        assert!(WORDS.iter().all(|word| !word.contains(|c: char| c.is_ascii_digit())));
    }
}
