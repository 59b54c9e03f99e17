//! Asks for a captcha after three wrong passwords in a minute.
//!
//! It shows a `SlidingWindow` that is asked and told separately: `over_limit` asks whether the limit
//! is reached and changes nothing, `record` counts a failure even beyond the limit. A captcha that is
//! not solved is no failure. The clock is one for tests, so that the minutes take no time:
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

/// How many seconds a character of the picture stands for; the attempts keep to it.
const SCALE: u64 = 3;

/// Who tries to log in, in which second, and how.
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

/// What a user does with a captcha that is asked for.
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

    println!("After three wrong passwords in a minute, a captcha.\n");
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

/// Lets a user in or not.
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

/// Draws the failures until now, and the window that slides over them.
fn picture(now: u64, failed: impl Fn(u64) -> bool) -> String {
    // The window is half-open: what is exactly a minute old counts no more.
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
