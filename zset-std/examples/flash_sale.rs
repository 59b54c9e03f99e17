//! Opens sales at their scheduled times, and sells at most one item per sale to each buyer.
//!
//! Demonstrates a `DelayQueue` and a `SlidingWindow`. The queue returns each sale once and in
//! order, even if it is polled late. Sales can be cancelled or postponed. The window limits each
//! buyer to one purchase per sale and hour. A fake clock simulates the time, so the program ends at
//! once:
//!
//! ```text
//! cargo run --example flash_sale
//! ```

use std::time::Duration;

use zset_std::limit::QuotaError;
use zset_std::{Clock, DelayQueue, FakeClock, Keyed, Quota, SlidingWindow, Timestamp};

struct Shop {
    clock: FakeClock,
    /// The sales to open. A sale is the id of a job without payload.
    sales: DelayQueue<(), &'static str>,
    /// The open sales, and the remaining stock of each.
    stock: Vec<(&'static str, u32)>,
    /// Limits purchases per sale and buyer.
    bought: Keyed<(&'static str, &'static str), SlidingWindow, FakeClock>,
}

fn main() -> Result<(), QuotaError> {
    let clock = FakeClock::new();
    let once_an_hour = Quota::new(1, Duration::from_secs(3600))?;
    let bought = Keyed::new(SlidingWindow::new(once_an_hour)).with_clock(clock.clone());
    let sales = DelayQueue::new();
    let mut shop = Shop { clock, sales, stock: Vec::new(), bought };

    shop.schedule("shoes", at_minute(5));
    shop.schedule("hats", at_minute(10));
    shop.schedule("coats", at_minute(15));
    shop.schedule("scarves", at_minute(20));
    shop.schedule("bags", at_minute(10)); // at the same time as the hats, but after them

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
    shop.schedule("gloves", at_minute(20));

    shop.tick(25); // late
    shop.buy("ann", "bags");
    shop.tick(24); // the clock has stepped back
    shop.tick(50);
    Ok(())
}

impl Shop {
    /// Plans a sale, or moves it to another time.
    fn schedule(&mut self, sale: &'static str, at: Timestamp) {
        if self.sales.reschedule(sale, at).is_none() {
            self.sales.push_with_id(sale, (), at).expect("the sale is not planned yet");
        }
    }

    /// Opens the sales that are due at this minute.
    fn tick(&mut self, minute: u64) {
        self.clock.set(at_minute(minute));
        let now = self.clock.now();
        let due = self.sales.pop_due(usize::MAX, now);
        println!("{}  tick, {} to open", time(now), due.len());
        for job in due {
            println!("       {} open, as of {}", job.id, time(job.due));
            self.stock.push((job.id, 2));
        }
    }

    /// Sells one item if the sale is open, an item is left, and the buyer has not bought yet.
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
