//! Checks which calls still work while a server accepts no writes, because its memory is full or a
//! replica is missing. The table of these calls is in docs/many-machines.md.

use std::fmt::Display;
use std::num::NonZeroU32;
use std::time::Duration;

use zset_redis::{Keyed, OnFailure, ServerLimiter};
use zset_std::limit::Block;
use zset_std::{Decision, Funnel, Limits, Penalty, Ties};

use crate::servers::{HOUR, PATIENCE, Server, algorithms, block_on, leased, per_hour};
use Needs::{Frees, Reads, Writes};

const FULL: &str = "CONFIG SET maxmemory 1";
const NO_REPLICAS: &str = "CONFIG SET min-replicas-to-write 1";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Needs {
    Reads,
    Frees,
    Writes,
}

/// Checks which calls work in a state of the server.
struct Table {
    state: &'static str,
    wrong: Vec<String>,
}

impl Table {
    fn new(server: &Server, state: &'static str) -> Self {
        // Flush the scripts, so that they must be loaded while the server is in this state.
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

/// Runs a test with servers in each state.
fn each(test: impl Fn(&Server, &'static str)) {
    for state in [FULL, NO_REPLICAS] {
        Server::of_each_kind().for_each(|server| test(&server, state));
    }
}

#[test]
fn a_queue_that_cannot_grow_can_be_read_and_drained() {
    each(|server, state| {
        let (jobs, dead) = (server.queue("jobs"), server.queue("dead"));
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
        let plain = server.board("plain");
        let dense = server.board("dense").with_dense_standings();
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

fn limiter_works(limiter: &(impl ServerLimiter + Clone)) {
    each(|server, state| {
        let allow = Keyed::new(server.pool(), "full", limiter.clone(), OnFailure::Allow).unwrap();
        let allow = allow.with_deadline(PATIENCE);
        let limiter = server.keyed("full", limiter.clone());
        for key in ["over", "refunded", "reset"] {
            assert!(limiter.check_n(key, 2).unwrap().is_allowed());
        }
        assert!(limiter.check("used").unwrap().is_allowed());

        let mut table = Table::new(server, state);
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
    });
}

#[test]
fn a_check_that_would_be_denied_is_denied_by_a_server_that_accepts_no_writes() {
    let all = algorithms(per_hour(2));
    all.iter().for_each(limiter_works);
    let block = Block::after(NonZeroU32::MIN, HOUR);
    limiter_works(&Penalty::new(Funnel::new(per_hour(2)), block));
    limiter_works(&Limits::new([all[0], all[1]]));
}

#[test]
fn awaited_and_leased_checks_that_would_be_denied_are_denied_by_a_full_server() {
    each(|server, state| {
        block_on(async {
            let connection = server.multiplexed().await;
            let funnel = Funnel::new(per_hour(2));
            let shared = Keyed::new(connection.clone(), "full", funnel, OnFailure::Allow);
            let shared = shared.unwrap().with_deadline(PATIENCE);
            let leased = || leased(connection.clone(), "full", per_hour(2));
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
