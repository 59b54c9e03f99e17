//! Members, scores, integers and bounds of ranges.
//!
//! Strings that only some servers accept are not drawn: see `decisions`.

use rand::RngExt;

use super::Generator;

/// Members that are edge cases of an encoding or of a parser.
const MEMBERS: [&[u8]; 62] = [
    b"",
    b"0",
    b"-0",
    b"+0",
    b"00",
    b"007",
    b"1",
    b"-1",
    b"+1",
    b"1.0",
    b" 1",
    b"1 ",
    b"1\0",
    b"1e3",
    b"inf",
    b"nan",
    b"12",
    b"63",
    b"64",
    b"127",
    b"128",
    b"-128",
    b"-129",
    b"255",
    b"256",
    b"4095",
    b"4096",
    b"-4096",
    b"-4097",
    b"32767",
    b"32768",
    b"-32768",
    b"-32769",
    b"8388607",
    b"8388608",
    b"-8388608",
    b"-8388609",
    b"2147483647",
    b"2147483648",
    b"-2147483648",
    b"-2147483649",
    b"9223372036854775807",
    b"9223372036854775808",
    b"-9223372036854775808",
    b"-9223372036854775809",
    b"18446744073709551615",
    b"123456789012345678901",
    b"000000000000000000000",
    b"-",
    b"+",
    b"(a",
    b"[a",
    b"a",
    b"A",
    b"aa",
    b"a\0",
    b"\0",
    b"\0\0",
    b"\xff",
    b"\xff\xff",
    b"\r\n",
    "äöü".as_bytes(),
];

/// Scores that are edge cases of a parser, a printer or an encoding.
const SCORES: [&str; 61] = [
    "0",
    "-0",
    "0.0",
    "-0.0",
    "+0",
    "00",
    "0e5",
    "inf",
    "-inf",
    "+inf",
    "infinity",
    "-Infinity",
    "INF",
    "1.",
    ".5",
    "-.5",
    "+1",
    "01",
    "1E3",
    "1e+3",
    "1e-3",
    "0.1",
    "0.2",
    "0.30000000000000004",
    "3.0000000000000004",
    "1e21",
    "1e22",
    "1e23",
    "-1e22",
    "1e308",
    "-1e308",
    "1.7976931348623157e308",
    "-1.7976931348623157e308",
    "5e-324",
    "-5e-324",
    "3e-324",
    "1e-320",
    "0e-999",
    "2.2250738585072014e-308",
    "2.2250738585072009e-308",
    "127",
    "128",
    "-4096",
    "-4097",
    "4095",
    "32768",
    "8388608",
    "-8388609",
    "2147483648",
    "-2147483649",
    "4503599627370496.5",
    "9007199254740991",
    "9007199254740993",
    "4611686018427387904",
    "4611686018427388928",
    "6917529027641081856",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
    "123456789012345678901234567890",
];

/// Strings that no server accepts as a score.
const NO_SCORES: [&str; 20] = [
    "", "nan", "-nan", "NaN", "abc", "1x", "1e", "e1", ".", "-", "+-1", "--1", "1 ", "1e400",
    "-1e400", "1e-400", "2e-324", "1,5", "infinit", "1_0",
];

/// Strings that no server accepts as a bound. An empty bound is 0, and one that overflows is
/// infinite.
const NO_BOUNDS: [&str; 14] = [
    "nan", "-nan", "(nan", "abc", "(abc", "1x", "1e", "e1", "--1", "1 ", "((1", "[1", "1,5",
    "infinit",
];

const NO_INTEGERS: [&str; 10] =
    ["", "a", "1.5", "+1", "01", "-0", "1 ", "9223372036854775808", "-9223372036854775809", "inf"];

const NO_LEX_BOUNDS: [&str; 6] = ["", "a", "--", "-a", "+a", "1"];

impl Generator {
    /// Draws a new member.
    pub(super) fn new_member(&mut self) -> Vec<u8> {
        let around_limit = [3, 4, 5, 20, 21, 62, 63, 64, 65, 66, 127, 128, 300];
        match self.random.random_range(0..10) {
            0..3 => self.pick(&MEMBERS).to_vec(),
            3 => self.random.random_range(-300..300).to_string().into_bytes(),
            4 => (self.random.random::<i64>() >> self.random.random_range(0..64))
                .to_string()
                .into_bytes(),
            5 => {
                let len = *self.pick(&around_limit);
                let byte = *self.pick(b"a1\0\xfe");
                vec![byte; len]
            }
            6 => {
                let len = self.random.random_range(0..12);
                (0..len).map(|_| self.random.random()).collect()
            }
            _ => format!("member:{}", self.random.random_range(0..1000)).into_bytes(),
        }
    }

    /// Draws a member, most often one of the pool.
    pub(crate) fn member(&mut self) -> Vec<u8> {
        if self.one_in(40) {
            return self.new_member();
        }
        let i = self.random.random_range(0..self.members.len());
        self.members[i].clone()
    }

    /// Draws the string of a score.
    pub(crate) fn score(&mut self) -> String {
        match self.random.random_range(0..20) {
            0..9 => self.random.random_range(-9..10).to_string(),
            9..13 => (*self.pick(&SCORES)).to_owned(),
            13 => (self.random.random::<i64>() >> self.random.random_range(0..64)).to_string(),
            14 => self.random.random_range(-1e3..1e3f64).to_string(),
            15 => format!(
                "{}.{}",
                self.random.random_range(-99..100),
                self.random.random_range(0..100)
            ),
            16 => format!("{:e}", self.any_finite()),
            17 => self.any_finite().to_string(),
            18 => format!("{:.3}", self.random.random_range(-9.0..9.0f64)),
            _ => format!(
                "{}e{}",
                self.random.random_range(-999..1000),
                self.random.random_range(-25..26)
            ),
        }
    }

    /// Draws any finite number.
    fn any_finite(&mut self) -> f64 {
        loop {
            let number = f64::from_bits(self.random.random());
            if number.is_finite() {
                return number;
            }
        }
    }

    /// Draws the string of a score, rarely an invalid one.
    pub(super) fn score_or_not(&mut self) -> String {
        if self.one_in(60) { (*self.pick(&NO_SCORES)).to_owned() } else { self.score() }
    }

    /// Draws the bounds of a range of scores, most often the lower one first.
    pub(super) fn score_bounds(&mut self) -> (String, String) {
        let (a, b) = (self.score_bound(), self.score_bound());
        let number = |bound: &str| bound.trim_start_matches('(').parse::<f64>().ok();
        if number(&a) > number(&b) && !self.one_in(5) { (b, a) } else { (a, b) }
    }

    /// Draws a bound of a range of scores.
    fn score_bound(&mut self) -> String {
        if self.one_in(60) {
            return (*self.pick(&NO_BOUNDS)).to_owned();
        }
        let bound = match self.random.random_range(0..40) {
            0..4 => "-inf".to_owned(),
            4..8 => "+inf".to_owned(),
            // These are bounds but not scores.
            8 => (*self.pick(&["1e400", "-1e400", "1e-400", ""])).to_owned(),
            _ => self.score(),
        };
        if self.one_in(3) { format!("({bound}") } else { bound }
    }

    /// Draws the bounds of a range of members, most often the lower one first.
    pub(super) fn lex_bounds(&mut self) -> (Vec<u8>, Vec<u8>) {
        let (a, b) = (self.lex_bound(), self.lex_bound());
        let key = |bound: &[u8]| match bound {
            b"-" => (0, Vec::new()),
            b"+" => (2, Vec::new()),
            bound => (1, bound.get(1..).unwrap_or_default().to_vec()),
        };
        if key(&a) > key(&b) && !self.one_in(5) { (b, a) } else { (a, b) }
    }

    /// Draws a bound of a range of members.
    fn lex_bound(&mut self) -> Vec<u8> {
        match self.random.random_range(0..60) {
            0 => self.pick(&NO_LEX_BOUNDS).as_bytes().to_vec(),
            1..10 => b"-".to_vec(),
            10..20 => b"+".to_vec(),
            _ => {
                let mut bound = vec![*self.pick(b"[(")];
                bound.extend(self.member());
                if self.one_in(5) {
                    // A bound between two members.
                    let len = self.random.random_range(1..=bound.len());
                    bound.truncate(len);
                }
                bound
            }
        }
    }

    /// Draws a rank from either end, or a number of elements, rarely an invalid integer.
    pub(super) fn integer(&mut self) -> String {
        match self.random.random_range(0..60) {
            0 => (*self.pick(&NO_INTEGERS)).to_owned(),
            1 => i64::MAX.to_string(),
            2 => i64::MIN.to_string(),
            3 => self.random.random::<i64>().to_string(),
            4 => {
                (*self.pick(&["2147483647", "2147483648", "-2147483649", "4294967296"])).to_owned()
            }
            5..20 => self.random.random_range(-200..200).to_string(),
            20..30 => "0".to_owned(),
            30..40 => "-1".to_owned(),
            _ => self.random.random_range(-12..13).to_string(),
        }
    }
}
