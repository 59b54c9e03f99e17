//! Scripts that are generated from a grammar.
//!
//! Each line of a grammar is a rule: `name: this <other> | that`. A command is what the first rule becomes
//! when each `<name>` is replaced by one of that rule's alternatives, by chance; one that is written twice
//! comes twice as often. `<>` is nothing. What is behind `setup:` begins the script as it is.

use std::collections::HashMap;
use std::env;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

/// Commands in a script.
const COMMANDS: usize = 3000;

pub(crate) struct Grammar<'a> {
    start: &'a str,
    rules: HashMap<&'a str, Vec<&'a str>>,
    setup: Vec<&'a str>,
}

impl<'a> Grammar<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        let mut grammar = Grammar { start: "", rules: HashMap::new(), setup: Vec::new() };
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (name, alternatives) = line.split_once(": ").expect("a rule has a name");
            if name == "setup" {
                grammar.setup.push(alternatives);
                continue;
            }
            if grammar.start.is_empty() {
                grammar.start = name;
            }
            let rule = grammar.rules.entry(name).or_default();
            rule.extend(alternatives.split(" | ").map(str::trim));
        }
        grammar
    }

    /// Returns a script, which is the same each time, unless `ZSET_SEED` is set.
    pub(crate) fn script(&self) -> String {
        let seed =
            env::var("ZSET_SEED").map_or(1, |seed| seed.parse().expect("a seed is a number"));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut script = self.setup.join("\n");
        for _ in 0..COMMANDS {
            script.push('\n');
            self.expand(self.start, &mut rng, &mut script);
        }
        script
    }

    fn expand(&self, name: &str, rng: &mut Xoshiro256PlusPlus, script: &mut String) {
        let alternatives =
            self.rules.get(name).unwrap_or_else(|| panic!("no rule is named {name}"));
        let mut rest = alternatives[rng.random_range(..alternatives.len())];
        while let Some((literal, behind)) = rest.split_once('<') {
            let (name, behind) = behind.split_once('>').expect("what begins with < ends with >");
            script.push_str(literal);
            if !name.is_empty() {
                self.expand(name, rng, script);
            }
            rest = behind;
        }
        script.push_str(rest);
    }
}
