//! Runs thousands of random commands in the engine and in another server, and compares the replies.
//!
//! The commands are run in episodes. An episode starts without keys and is determined by its seed.
//! Its commands are drawn from the lists in `episode.txt`. If an episode fails, it is shortened
//! before it is reported.
//!
//! The variable `ZSET_COMMANDS` is the number of commands for each server, and `ZSET_SEED` is the
//! first seed.

use std::env;

use zset_core::ListpackLimits;

use super::both::{Both, LIMITS, Mismatch};
use super::command::{Command, command};
use super::process::Server;
use super::script::Script;
use super::test_with_each_server;

/// The default of `ZSET_COMMANDS`.
const COMMANDS: u64 = 40_000;
/// The default of `ZSET_SEED`.
const SEED: u64 = 1;
/// The number of commands in an episode.
const LEN: u64 = 200;

test_with_each_server!(random_commands);

fn random_commands(mut server: Server) {
    let (commands, first) = (variable("ZSET_COMMANDS", COMMANDS), variable("ZSET_SEED", SEED));
    for seed in (0..commands.div_ceil(LEN)).map(|i| first.wrapping_add(i)) {
        let limits = LIMITS[seed as usize % LIMITS.len()];
        let mut script = script(seed);
        let episode: Vec<_> = (0..LEN).map(|_| Command::from(&*script.draw("<command>"))).collect();
        if let Err(mismatch) = play(&mut server, limits, &episode) {
            let (episode, mismatch) = shortened(&mut server, limits, episode, mismatch);
            panic!("{}", report(seed, limits, &episode, &mismatch));
        }
    }
}

/// Returns the names from which an episode is drawn, with random members for this seed.
pub(crate) fn script(seed: u64) -> Script {
    let mut script = Script::new(seed);
    script.run(include_str!("episode.txt"));
    let members = script.draw("<poolsize>").parse().expect("a number");
    let members: Vec<_> = (0..members).map(|_| script.draw("<newmember>")).collect();
    // Rarely, `<member>` is a new member instead of one from the pool.
    script.define("member", members.iter().map(String::as_str).chain(["<newmember>"]));
    let score = script.draw("<validscore>");
    script.define("equalscore", [&*score]);
    script
}

fn variable(name: &str, default: u64) -> u64 {
    let text = env::var(name).ok().filter(|text| !text.is_empty());
    text.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// Runs an episode and compares the resulting sets.
fn play(server: &mut Server, limits: ListpackLimits, episode: &[Command]) -> Result<(), Mismatch> {
    let mut both = Both::new(server, limits);
    both.compare(episode)?;
    let sets = ["m0", "m1", "m2", "l0", "l1"];
    let sets = sets.map(|key| command!["ZRANGE", key, "0", "-1", "WITHSCORES"]);
    both.compare(&sets).map_err(|mismatch| Mismatch { index: episode.len(), ..mismatch })
}

/// Removes commands and pairs of words as long as there is still a mismatch.
fn shortened(
    server: &mut Server,
    limits: ListpackLimits,
    mut episode: Vec<Command>,
    mut mismatch: Mismatch,
) -> (Vec<Command>, Mismatch) {
    let mut try_instead = |episode: &mut Vec<Command>, shorter: Vec<Command>| {
        let result = play(server, limits, &shorter);
        let fails = result.is_err();
        if let Err(other) = result {
            mismatch = other;
            *episode = shorter;
            episode.truncate(mismatch.index + 1);
        }
        fails
    };

    let mut chunk = episode.len();
    while chunk > 0 {
        // Start from the end, where the mismatch is.
        let mut start = episode.len();
        while start > 0 {
            start = start.saturating_sub(chunk).min(episode.len());
            let mut shorter = episode.clone();
            shorter.drain(start..(start + chunk).min(episode.len()));
            try_instead(&mut episode, shorter);
        }
        chunk /= 2;
    }
    for i in 0..episode.len() {
        let mut chunk = episode[i].words().len() / 2 * 2;
        while chunk > 1 {
            let mut start = 2;
            while i < episode.len() && start + chunk <= episode[i].words().len() {
                let mut words = episode[i].words().to_vec();
                words.drain(start..start + chunk);
                let mut shorter = episode.clone();
                shorter[i] = Command::new(words);
                if !try_instead(&mut episode, shorter) {
                    start += chunk;
                }
            }
            chunk = chunk / 4 * 2;
        }
    }
    (episode, mismatch)
}

fn report(seed: u64, limits: ListpackLimits, episode: &[Command], mismatch: &Mismatch) -> String {
    let episode: Vec<_> = episode.iter().map(|command| format!("    {command}\n")).collect();
    let episode = episode.concat();
    format!(
        "with {limits:?}, replies differ (ZSET_SEED={seed} ZSET_COMMANDS={LEN} repeats it):\n{episode}{}",
        mismatch.report()
    )
}
