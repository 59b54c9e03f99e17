//! Asks for a captcha after three wrong passwords in a minute.
//!
//! Demonstrates a `SlidingWindow` that is queried and updated separately: `over_limit` checks
//! whether the limit is reached without recording anything, and `record` counts a failure even
//! beyond the limit. An unsolved captcha does not count as a failure. A fake clock makes the
//! minutes pass at once:
//!
//! ```text
//! cargo run --example login_captcha
//! ```

use std::error::Error;
use std::time::Duration;

use zset_std::limit::KeysFull;
use zset_std::{FakeClock, Quota, SlidingWindow, Timestamp};

type Failures = SlidingWindow<String, FakeClock>;

const MINUTE: u64 = 60;

/// The number of seconds per character of the picture; all attempts are at multiples of it.
const SCALE: u64 = 3;

/// The time in seconds, the user, the password and the captcha of each attempt.
const ATTEMPTS: [(u64, &str, Password, Captcha); 10] = [
    (12, "ann", Password::Wrong, Captcha::Ignored),
    (24, "ann", Password::Wrong, Captcha::Ignored),
    (45, "ann", Password::Wrong, Captcha::Ignored),
    (48, "ann", Password::Wrong, Captcha::Ignored),
    (51, "bob", Password::Right, Captcha::Ignored),
    (57, "ann", Password::Wrong, Captcha::Solved),
    (72, "ann", Password::Right, Captcha::Ignored),
    (81, "ann", Password::Right, Captcha::Ignored),
    (84, "ann", Password::Wrong, Captcha::Ignored),
    (105, "ann", Password::Right, Captcha::Ignored),
];

#[derive(PartialEq)]
enum Password {
    Right,
    Wrong,
}

/// How a user reacts to a captcha.
#[derive(PartialEq)]
enum Captcha {
    Solved,
    Ignored,
}

#[derive(PartialEq)]
enum Outcome {
    LoggedIn,
    WrongPassword,
    CaptchaNotSolved,
}

fn main() -> Result<(), Box<dyn Error>> {
    let clock = FakeClock::new();
    let three_a_minute = Quota::new(3, Duration::from_secs(MINUTE))?;
    let failures = SlidingWindow::new(three_a_minute).with_clock(clock.clone());

    println!("Three wrong passwords within a minute require a captcha.\n");
    println!("time   user  what happened       x: a wrong password, [ ]: the last minute");
    let mut wrong = Vec::new();
    for (second, user, password, captcha) in ATTEMPTS {
        clock.set(Timestamp::ZERO.saturating_add(Duration::from_secs(second)));
        let happened = match log_in(&failures, user, &password, &captcha)? {
            Outcome::LoggedIn => "logged in",
            Outcome::CaptchaNotSolved => "captcha not solved",
            Outcome::WrongPassword => {
                wrong.push((user, second));
                "wrong password"
            }
        };
        let (minutes, seconds) = (second / MINUTE, second % MINUTE);
        let picture = picture(second, |at| wrong.contains(&(user, at)));
        println!("{minutes:02}:{seconds:02}  {user}   {happened:<18}  {picture}");
    }
    Ok(())
}

/// Decides on a login attempt.
fn log_in(
    failures: &Failures,
    user: &str,
    password: &Password,
    captcha: &Captcha,
) -> Result<Outcome, KeysFull> {
    if failures.over_limit(user) && *captcha == Captcha::Ignored {
        return Ok(Outcome::CaptchaNotSolved);
    }
    if *password == Password::Wrong {
        failures.record(user, 1)?;
        return Ok(Outcome::WrongPassword);
    }
    Ok(Outcome::LoggedIn)
}

/// Draws the failures so far, and the sliding window over them.
fn picture(now: u64, failed: impl Fn(u64) -> bool) -> String {
    // The window is half-open: a failure exactly a minute old no longer counts.
    let first = (now + SCALE).saturating_sub(MINUTE);
    let mut line = String::new();
    for at in (0..=now).step_by(SCALE as usize) {
        if at == first {
            line.push('[');
        }
        line.push(if failed(at) { 'x' } else { '-' });
    }
    line + "]"
}
