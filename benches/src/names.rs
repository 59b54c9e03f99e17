//! Members by number: distinct, in an order that looks random.

use std::process::{Command, Stdio};
use std::sync::LazyLock;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;

/// Words for made-up names if there are no real ones.
const WORDS: [&str; 64] = [
    "apt", "audio", "auth", "base", "bin", "boot", "browser", "build", "cache", "cairo", "client",
    "cloud", "codec", "common", "compat", "config", "core", "crypto", "daemon", "data", "debug",
    "desktop", "dev", "devel", "disk", "doc", "driver", "editor", "engine", "extra", "firmware",
    "font", "gnome", "graph", "gtk", "haskell", "http", "image", "java", "kernel", "lang", "lib",
    "linux", "locale", "manager", "module", "net", "node", "ocaml", "parser", "perl", "plugin",
    "python", "qt", "ruby", "rust", "server", "source", "testing", "theme", "tools", "utils",
    "video", "xml",
];

/// The maximum length of a name to which another word is appended.
const LONGEST: usize = 23;

/// The accepted lengths of real names, so that none exceeds 40 bytes with a number appended.
const REAL_LENGTHS: std::ops::RangeInclusive<usize> = 8..=35;

/// The minimum number of real names: with fewer, most names would repeat often.
const FEWEST: usize = 1_000;

/// The names of the packages known to this machine's `apt`, in random order; empty if there are too
/// few.
static REAL: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let list = Command::new("apt-cache").arg("pkgnames").stderr(Stdio::null()).output();
    let text = list.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    // The names live as long as the program.
    let lines = text.unwrap_or_default().leak().lines();
    let mut names: Vec<_> = lines.filter(|line| REAL_LENGTHS.contains(&line.len())).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() < FEWEST {
        return Vec::new();
    }
    names.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(0));
    names
});

/// The number of distinct strings: 13 digits, which with the prefix make 20 bytes.
const DIGITS: u64 = 10_u64.pow(13);

/// Coprime to [`DIGITS`], so that the multiples of different numbers differ.
const SCATTER: u64 = 7_368_787_031;

/// Returns a 20-byte string that resembles a typical key.
pub fn string(number: u64) -> String {
    let digits = u128::from(number) * u128::from(SCATTER) % u128::from(DIGITS);
    fitted(format!("member:{digits:013}"))
}

/// Returns a name of 8 to 40 bytes: that of a package if this machine knows enough of them.
pub fn name(number: u64) -> String {
    if REAL.is_empty() { made_up(number) } else { listed(&REAL, number) }
}

/// Describes where names come from.
pub fn origin_of_names() -> String {
    match REAL.len() {
        0 => "made of words, since `apt-cache pkgnames` lists none here".into(),
        count => {
            format!("{count} packages as `apt-cache pkgnames` lists them; beyond, with a number")
        }
    }
}

/// Returns a name from a list; once all are used, names repeat with a number appended.
fn listed(names: &[&str], number: u64) -> String {
    let len = names.len() as u64;
    let name = names[(number % len) as usize];
    match number / len {
        0 => name.to_owned(),
        // Package names contain no colon, so the result is distinct from all of them.
        again => fitted(format!("{name}:{again}")),
    }
}

fn made_up(number: u64) -> String {
    let bits = scramble(number);
    let word = |place: u64| WORDS[(bits >> (6 * place)) as usize % WORDS.len()];
    let mut name = format!("{}-{}", word(0), word(1));
    for place in 2..2 + bits % 5 % 3 {
        if name.len() < LONGEST {
            name.push('-');
            name.push_str(word(place));
        }
    }
    // Words contain no digits, so the number makes the name distinct.
    fitted(format!("{name}{number:03}"))
}

/// Shrinks a string to fit: spare capacity would count as memory of the contenders that store it.
fn fitted(mut text: String) -> String {
    text.shrink_to_fit();
    text
}

/// Generates distinct numbers that look random, deterministically for each start.
pub(crate) fn numbers(start: u64) -> impl Iterator<Item = u64> {
    (0..).map(move |i: u64| scramble(i.wrapping_add(start)))
}

/// Maps numbers one-to-one to numbers that look random: the finalizer of splitmix64 (Steele, Lea
/// and Flood, "Fast splittable pseudorandom number generators", 2014).
pub fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn assert_distinct_and_of_length(make_up: impl Fn(u64) -> String) -> (usize, usize) {
        let members: Vec<_> = (0..10_000).chain(9_990_000..10_000_000).map(make_up).collect();
        assert!(members.iter().all(|member| member.capacity() == member.len()));
        let mut lens: Vec<_> = members.iter().map(String::len).collect();
        lens.sort_unstable();
        assert_eq!(members.into_iter().collect::<HashSet<_>>().len(), 20_000);
        (lens[0], lens[lens.len() - 1])
    }

    #[test]
    fn strings_are_distinct_and_have_20_bytes() {
        assert_eq!(assert_distinct_and_of_length(string), (20, 20));
    }

    #[test]
    fn names_are_distinct_and_have_8_to_40_bytes() {
        for make_up in [name, made_up] {
            let (shortest, longest) = assert_distinct_and_of_length(make_up);
            assert!((8..12).contains(&shortest) && (31..=40).contains(&longest));
        }
        assert!(WORDS.iter().all(|word| !word.contains(|c: char| c.is_ascii_digit())));
    }

    #[test]
    fn a_list_that_is_used_up_starts_again_with_numbers() {
        let names = [0, 1, 2, 3, 4].map(|number| listed(&["zlib-dev", "apt-utils"], number));
        assert_eq!(names, ["zlib-dev", "apt-utils", "zlib-dev:1", "apt-utils:1", "zlib-dev:2"]);
    }
}
