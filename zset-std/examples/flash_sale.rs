//! Opens sales at their scheduled times, and sells one of each to a buyer.
//!
//! Demonstrates a `Schedule` that opens each sale once, in order, however late it is called, with sales
//! that are cancelled or postponed; and a `SlidingWindow` that lets each buyer buy once per sale. A
//! fake clock makes the minutes pass at once:
//!
//! ```text
//! cargo run --example flash_sale
//! ```

use std::time::Duration;

use zset_std::limit::QuotaError;
use zset_std::{Clock, FakeClock, Quota, Schedule, SlidingWindow, Timestamp};

struct Shop {
    clock: FakeClock,
    sales: Schedule<&'static str>,
    /// The open sales, and the number left of each.
    stock: Vec<(&'static str, u32)>,
    /// Limits purchases per sale and buyer.
    bought: SlidingWindow<(&'static str, &'static str), FakeClock>,
}

fn main() -> Result<(), QuotaError> {
    let clock = FakeClock::new();
    let once_an_hour = Quota::new(1, Duration::from_secs(3600))?;
    let bought = SlidingWindow::new(once_an_hour).with_clock(clock.clone());
    let sales = Schedule::new();
    let mut shop = Shop { clock, sales, stock: Vec::new(), bought };

    shop.sales.schedule("shoes", at_minute(5));
    shop.sales.schedule("hats", at_minute(10));
    shop.sales.schedule("coats", at_minute(15));
    shop.sales.schedule("scarves", at_minute(20));
    shop.sales.schedule("bags", at_minute(10)); // at the same time as the hats, but after them

    shop.tick(0);
    shop.buy("ann", "shoes");
    shop.tick(5);
    shop.buy("ann", "shoes");
    shop.buy("ann", "shoes");
    shop.buy("bob", "shoes");
    shop.buy("cid", "shoes");

    if shop.sales.cancel("coats").is_some() {
        println!("       the coats are cancelled");
    }
    if shop.sales.reschedule("scarves", at_minute(50)).is_some() {
        println!("       the scarves are postponed");
    }
    shop.sales.schedule("gloves", at_minute(20));

    shop.tick(25); // late
    shop.buy("ann", "bags");
    shop.tick(24); // the clock has stepped back
    shop.tick(50);
    Ok(())
}

impl Shop {
    /// Opens the sales that are due at this minute.
    fn tick(&mut self, minute: u64) {
        self.clock.set(at_minute(minute));
        let now = self.clock.now();
        let due = self.sales.activate_due(now);
        println!("{}  tick, {} to open", time(now), due.len());
        for (sale, at) in due {
            println!("       {sale} open, as of {}", time(at));
            self.stock.push((sale, 2));
        }
    }

    /// Sells one if the sale is open, the buyer has not bought yet, and one is left.
    fn buy(&mut self, buyer: &'static str, sale: &'static str) {
        let stock = self.stock.iter_mut().find(|(open, _)| *open == sale);
        let outcome = match stock {
            None => "not open",
            Some((_, 0)) => "sold out",
            Some(_) if !self.bought.check(&(buyer, sale)).is_allowed() => "one per buyer",
            Some((_, left)) => {
                *left -= 1;
                "sold"
            }
        };
        println!("       {buyer} buys {sale}: {outcome}");
    }
}

/// Returns the time this many minutes after noon.
fn at_minute(minute: u64) -> Timestamp {
    Timestamp::ZERO.saturating_add(Duration::from_secs(60 * (12 * 60 + minute)))
}

/// Formats a time as hours and minutes.
fn time(at: Timestamp) -> String {
    let minutes = at.saturating_duration_since(Timestamp::ZERO).as_secs() / 60;
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}
