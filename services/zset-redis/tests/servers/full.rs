//! Servers that accept no writes, since their memory is full or a replica is missing: which calls
//! work. The guide has the table.

use std::fmt::Display;
use std::num::NonZeroU32;
use std::time::Duration;

use tokio::runtime::Runtime;
use zset_redis::blocking::{self, Pool};
use zset_redis::{Keyed, LeasedWindow, OnFailure, ServerLimiter};
use zset_std::limit::Block;
use zset_std::{
    AnyLimiter, Decision, FixedWindow, Funnel, Limits, Penalty, Quota, SlidingWindow, Ties,
    WindowCounter,
};

use crate::servers::{Kind, PATIENCE, Server};
use Needs::{Frees, Reads, Writes};

const HOUR: Duration = Duration::from_secs(3600);

const FULL: &str = "CONFIG SET maxmemory 1";
const NO_REPLICAS: &str = "CONFIG SET min-replicas-to-write 1";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Needs {
    Reads,
    Frees,
    Writes,
}

/// What the calls need, and how they end.
struct Table {
    state: &'static str,
    wrong: Vec<String>,
}

impl Table {
    fn new(server: &Server, state: &'static str) -> Self {
        // So the scripts are loaded in that state as well.
        server.ask("SCRIPT FLUSH");
        server.ask(state);
        Table { state, wrong: Vec::new() }
    }

    fn expect<T, E: Display>(&mut self, needs: Needs, name: &str, result: Result<T, E>) {
        let works = needs == Reads || needs == Frees && self.state == FULL;
        let code = if self.state == FULL { "OOM" } else { "NOREPLICAS" };
        match result {
            Ok(_) if works => {}
            Err(error) if !works && error.to_string().contains(code) => {}
            Ok(_) => self.wrong.push(format!("{name} works")),
            Err(error) => self.wrong.push(format!("{name}: {error}")),
        }
    }

    #[track_caller]
    fn check(self) {
        assert!(self.wrong.is_empty(), "{}: {:#?}", self.state, self.wrong);
    }
}

fn each(test: fn(&Server, &'static str)) {
    for kind in [Kind::Redis, Kind::Valkey] {
        for state in [FULL, NO_REPLICAS] {
            let Some(server) = Server::start(kind) else { continue };
            test(&server, state);
        }
    }
}

fn queue(server: &Server, name: &str) -> blocking::DelayQueue {
    blocking::DelayQueue::new(Pool::new(server.client()), name).with_deadline(PATIENCE)
}

#[test]
fn a_queue_that_cannot_grow_can_be_read_and_drained() {
    each(|server, state| {
        let (jobs, dead) = (queue(server, "jobs"), queue(server, "dead"));
        let dead = dead.with_max_deliveries(NonZeroU32::MIN);
        for id in ["a", "b"] {
            dead.push_with_id_after(id, "job", Duration::ZERO).unwrap();
            let lease = dead.lease(HOUR).unwrap().unwrap();
            dead.nack(&lease, HOUR).unwrap();
        }
        for id in ["a", "b", "c", "d", "e"] {
            jobs.push_with_id_after(id, "job", Duration::ZERO).unwrap();
        }
        let [first, second] = [(); 2].map(|()| jobs.lease(HOUR).unwrap().unwrap());

        let mut table = Table::new(server, state);
        table.expect(Writes, "push", jobs.push_after("job", HOUR));
        table.expect(Writes, "lease", jobs.lease(HOUR));
        table.expect(Writes, "nack", jobs.nack(&second, HOUR));
        table.expect(Writes, "renew", jobs.renew(&second, HOUR));
        table.expect(Writes, "reschedule", jobs.reschedule_after("c", HOUR));
        table.expect(Writes, "requeue", dead.requeue("a", HOUR));
        table.expect(Reads, "get", jobs.get("c"));
        table.expect(Reads, "contains", jobs.contains("c"));
        table.expect(Reads, "due", jobs.due("c"));
        table.expect(Reads, "next_due", jobs.next_due());
        table.expect(Reads, "stats", jobs.stats());
        table.expect(Reads, "is_empty", jobs.is_empty());
        table.expect(Frees, "dead_letters", dead.dead_letters(1));
        table.expect(Frees, "take_dead_letters", dead.take_dead_letters(1));
        table.expect(Frees, "purge_dead_letters", dead.purge_dead_letters());
        table.expect(Frees, "ack", jobs.ack(&first));
        table.expect(Frees, "cancel", jobs.cancel("e"));
        table.expect(Frees, "pop", jobs.pop());
        let len = jobs.len();
        if state == FULL {
            assert_eq!(*len.as_ref().unwrap(), 2);
        }
        table.expect(Reads, "len", len);
        table.expect(Frees, "clear", jobs.clear());
        table.check();
    });
}

#[test]
fn a_board_that_cannot_grow_can_be_read_and_trimmed() {
    each(|server, state| {
        let pool = Pool::new(server.client());
        let plain = blocking::Leaderboard::new(pool.clone(), "plain").with_deadline(PATIENCE);
        let dense = blocking::Leaderboard::new(pool, "dense").with_dense_standings();
        let dense = dense.with_deadline(PATIENCE);
        for member in ["a", "b", "c", "d"] {
            plain.submit(member, 1).unwrap();
            dense.submit(member, 1).unwrap();
        }
        let mut table = Table::new(server, state);
        for board in [plain, dense] {
            table.expect(Writes, "submit", board.submit("e", 1));
            table.expect(Writes, "increment", board.increment("a", 1));
            table.expect(Reads, "score", board.score("a"));
            table.expect(Reads, "rank", board.rank("a"));
            table.expect(Reads, "standing", board.standing("a", Ties::Dense));
            table.expect(Reads, "around", board.around("a", 1, Ties::Dense));
            table.expect(Reads, "page", board.page(0, 2, Ties::Competition));
            table.expect(Reads, "top", board.top(2, Ties::Dense));
            table.expect(Reads, "count_at_least", board.count_at_least(1));
            table.expect(Reads, "len", board.len());
            table.expect(Reads, "is_empty", board.is_empty());
            table.expect(Frees, "remove", board.remove("a"));
            table.expect(Frees, "trim_to", board.trim_to(1));
            table.expect(Frees, "clear", board.clear());
        }
        table.check();
    });
}

fn limiter_works<L: ServerLimiter + Clone + 'static>(kind: Kind, state: &'static str, limiter: &L) {
    let Some(server) = Server::start(kind) else { return };
    let keyed = |on_failure| {
        let pool = Pool::new(server.client());
        Keyed::new(pool, "full", limiter.clone(), on_failure).unwrap().with_deadline(PATIENCE)
    };
    let [limiter, allow] = [OnFailure::Error, OnFailure::Allow].map(keyed);
    for key in ["over", "refunded", "reset"] {
        assert!(limiter.check_n(key, 2).unwrap().is_allowed());
    }
    assert!(limiter.check("used").unwrap().is_allowed());

    let mut table = Table::new(&server, state);
    table.expect(Writes, "check of a new key", limiter.check("new"));
    table.expect(Writes, "check", limiter.check("used"));
    table.expect(Writes, "record", limiter.record("used", 1));
    table.expect(Reads, "check of no units", limiter.check_n("over", 0));
    table.expect(Reads, "peek", limiter.peek("used"));
    table.expect(Reads, "over_limit", limiter.over_limit("over"));
    let denied = limiter.check("over");
    assert_eq!(denied.as_ref().map(Decision::is_allowed).ok(), Some(false), "{denied:?}");
    table.expect(Reads, "check that is denied", denied);
    assert!(!allow.check("over").unwrap().is_allowed());
    assert!(!allow.check_n("used", 2).unwrap().is_allowed());
    assert!(allow.check("used").unwrap().is_allowed());
    table.expect(Frees, "refund", limiter.refund("refunded", 1));
    table.expect(Frees, "reset", limiter.reset("reset"));
    table.check();
}

#[test]
fn a_check_that_would_be_denied_is_denied_by_a_server_that_accepts_no_writes() {
    let quota = Quota::new(2, HOUR).unwrap();
    let block = Block::after(NonZeroU32::MIN, HOUR);
    for kind in [Kind::Redis, Kind::Valkey] {
        for state in [FULL, NO_REPLICAS] {
            limiter_works(kind, state, &SlidingWindow::new(quota));
            limiter_works(kind, state, &Funnel::new(quota));
            limiter_works(kind, state, &FixedWindow::new(quota));
            limiter_works(kind, state, &WindowCounter::new(quota));
            limiter_works(kind, state, &Penalty::new(Funnel::new(quota), block));
            let both = [AnyLimiter::from(Funnel::new(quota)), SlidingWindow::new(quota).into()];
            limiter_works(kind, state, &Limits::new(both));
        }
    }
}

#[test]
fn awaited_and_leased_checks_that_would_be_denied_are_denied_by_a_full_server() {
    each(|server, state| {
        Runtime::new().unwrap().block_on(async {
            let quota = Quota::new(2, HOUR).unwrap();
            let connection = server.multiplexed().await;
            let shared =
                Keyed::new(connection.clone(), "full", Funnel::new(quota), OnFailure::Allow);
            let shared = shared.unwrap().with_deadline(PATIENCE);
            let leased = || {
                let leased = LeasedWindow::new(connection.clone(), "full", quota, OnFailure::Error);
                leased.unwrap().with_deadline(PATIENCE)
            };
            assert!(shared.check_n("over", 2).await.unwrap().is_allowed());
            let first = leased();
            assert!(first.check_n("over", 2).await.unwrap().is_allowed());

            let mut table = Table::new(server, state);
            let three = tokio::join!(shared.check("over"), shared.check("over"), async {
                shared.check("over").await
            });
            for denied in [three.0, three.1, three.2] {
                assert!(!denied.unwrap().is_allowed());
            }
            let second = leased();
            table.expect(Writes, "a draw", second.check("new").await);
            let denied = second.check("over").await;
            assert!(denied.as_ref().map_or(state == NO_REPLICAS, |denied| !denied.is_allowed()));
            table.expect(Frees, "a draw that is denied", denied);
            table.check();
        });
    });
}
