//! Matches buy and sell orders by price, then by time.
//!
//! This example keeps each side of an order book in a `SortedMap`: the key is the order number, the
//! value is its open quantity, and the score is its price. Orders of equal price are ordered by
//! number, so the oldest trades first. The price of a bid is wrapped in `Reverse`, so the highest
//! bid comes first.
//!
//! ```text
//! cargo run --example order_book
//! ```

use std::cmp::Reverse;

use zset_core::SortedMap;

type OrderId = u32;
type Cents = u32;

#[derive(Default)]
struct Book {
    /// Sell orders, lowest price first.
    asks: SortedMap<OrderId, u32, Cents>,
    /// Buy orders, highest price first.
    bids: SortedMap<OrderId, u32, Reverse<Cents>>,
    last_id: OrderId,
    traded: u32,
}

impl Book {
    /// Buys from the asks up to a price. The remaining quantity becomes a bid.
    fn buy(&mut self, quantity: u32, limit: Cents) {
        let id = self.next_id();
        println!("{id}: buy {quantity} at {limit}");
        let left = fill(&mut self.asks, quantity, |&price| (price <= limit).then_some(price));
        self.traded += quantity - left;
        if left > 0 {
            self.bids.insert(id, left, Reverse(limit));
        }
    }

    /// Sells to the bids down to a price. The remaining quantity becomes an ask.
    fn sell(&mut self, quantity: u32, limit: Cents) {
        let id = self.next_id();
        println!("{id}: sell {quantity} at {limit}");
        let left =
            fill(&mut self.bids, quantity, |&Reverse(price)| (price >= limit).then_some(price));
        self.traded += quantity - left;
        if left > 0 {
            self.asks.insert(id, left, limit);
        }
    }

    fn cancel(&mut self, id: OrderId) {
        let ask = self.asks.remove(&id).map(|(quantity, _)| quantity);
        let quantity = ask.or_else(|| Some(self.bids.remove(&id)?.0)).unwrap_or(0);
        println!("{id}: cancelled with {quantity} open");
    }

    fn next_id(&mut self) -> OrderId {
        self.last_id += 1;
        self.last_id
    }

    /// Returns the quantity offered up to a price.
    fn offered(&self, limit: Cents) -> u32 {
        self.asks.range_by_score(..=limit).map(|(_, quantity, _)| quantity).sum()
    }

    /// Returns how many asks at the same price trade before this one.
    fn asks_ahead(&self, id: OrderId) -> Option<usize> {
        let price = self.asks.score(&id)?;
        Some(self.asks.rank(&id)? - self.asks.count_by_score(..price))
    }

    fn show(&self) {
        for (id, quantity, price) in self.asks.iter().rev() {
            println!("    ask {price} x {quantity:<3} ({id})");
        }
        for (id, quantity, Reverse(price)) in &self.bids {
            println!("    bid {price} x {quantity:<3} ({id})");
        }
    }
}

/// Trades with the best resting orders while `agree` returns a price; returns the remaining
/// quantity.
fn fill<P: Ord + Clone>(
    resting: &mut SortedMap<OrderId, u32, P>,
    mut open: u32,
    agree: impl Fn(&P) -> Option<Cents>,
) -> u32 {
    while open > 0 {
        let Some(mut best) = resting.first_entry() else { break };
        let Some(price) = agree(best.score()) else { break };
        let traded = open.min(*best.get());
        println!("    {traded} at {price} with {}", best.key());
        open -= traded;
        *best.get_mut() -= traded;
        if *best.get() == 0 {
            best.remove();
        }
    }
    open
}

fn main() {
    let mut book = Book::default();
    book.sell(50, 1020);
    book.sell(30, 1010);
    book.sell(40, 1010);
    book.buy(20, 1000);
    book.show();
    assert_eq!(book.offered(1010), 70);
    assert_eq!(book.asks_ahead(3), Some(1)); // after order 2, at the same price

    book.buy(60, 1010); // all of order 2, then most of order 3
    book.sell(25, 990); // all of order 4; the rest becomes an ask
    book.cancel(1);
    book.show();

    // Each trade reduced a buyer's and a seller's quantity, and no two open orders can still trade.
    let asked: u32 = book.asks.iter().map(|(_, quantity, _)| quantity).sum();
    assert_eq!(50 + 30 + 40 + 25, 50 + book.traded + asked);
    assert!(book.bids.is_empty());
    assert_eq!(book.asks_ahead(3), Some(0));
}
