//! What clients leave with the server, and which of them are sent away for it.

use tracing::warn;
use zset_std::Clock;

use super::Engine;
use crate::client::Mark;

/// How often one looks at a client that has replies to read before it has to have read some.
pub(crate) const LOOKS: u32 = 4;

/// The part of the memory that clients may have, however much data there is.
const LEAST_OF_MEMORY: usize = 8;

/// The part of them that it has to have read then.
const LEAST_PART: usize = 32;

impl<C: Clock> Engine<C> {
    /// Looks at how far clients have read, and sends those away that have read next to nothing of what
    /// there was for them, since it was looked at for so many times. Those that do nothing at all are woken
    /// once, to give back memory.
    pub(crate) fn look_at_clients(&mut self) {
        let clients: Vec<_> = self.state.clients.iter().collect();
        for session in clients {
            let session = &mut *session.borrow_mut();
            let is_idle = session.last_seen == session.buffered.seen;
            if is_idle && !session.buffered.is_idle {
                session.buffered.is_idle = true;
                session.wake();
            }
            session.buffered.seen = session.last_seen;
            let buffered = &mut session.buffered;
            let begin = Mark { sent: buffered.sent, replies: buffered.replies, looks: 0 };
            let Some(mark) = buffered.mark.as_mut().filter(|_| buffered.replies > 0) else {
                buffered.mark = (buffered.replies > 0).then_some(begin);
                continue;
            };
            mark.looks += 1;
            if mark.looks < LOOKS {
                continue;
            }
            let least = mark.replies.div_ceil(LEAST_PART) as u64;
            if buffered.sent - mark.sent >= least {
                *mark = begin;
            } else if !session.is_killed {
                let (peer, unread) = (&session.address, buffered.replies);
                warn!(peer, unread, "cut off: it does not read");
                self.state.kill(session);
            }
        }
    }

    /// Closes the clients that have left more replies unread than the soft limit, for as long as it lets
    /// them.
    pub(crate) fn close_over_soft_limit(&mut self) {
        let limit = self.state.config.output_limit();
        if limit.soft == 0 {
            return;
        }
        let now = self.clock.now();
        let clients: Vec<_> = self.state.clients.iter().collect();
        for session in clients {
            let session = &mut *session.borrow_mut();
            let unread = session.buffered.replies;
            if unread <= limit.soft {
                session.buffered.over_soft_since = None;
                continue;
            }
            let since = *session.buffered.over_soft_since.get_or_insert(now);
            if now.saturating_duration_since(since) > limit.soft_time && !session.is_killed {
                let peer = &session.address;
                warn!(
                    peer,
                    unread, "closed: too many unread replies, by client-output-buffer-limit"
                );
                self.state.kill(session);
            }
        }
    }

    /// Returns how many bytes of replies a client may leave unread.
    pub(crate) fn max_unread(&self) -> usize {
        match self.state.config.output_limit().hard {
            0 => usize::MAX,
            hard => hard,
        }
    }

    /// Returns how many bytes may be held for all clients, of which so many are: `most`, or what the data
    /// leaves of the memory, but `least` in any case. A server that is full of data still answers.
    pub(crate) fn max_held(&mut self, held: usize, least: usize, most: usize) -> usize {
        let max = self.state.config.max_memory();
        if max == 0 {
            return most;
        }
        let (used, _) = self.state.memory.look();
        let data = used.saturating_sub(held);
        let least = least.max(max / LEAST_OF_MEMORY).min(most);
        max.saturating_sub(data).clamp(least, most)
    }

    /// Sends those clients away for which most is held, until it is `max` bytes for all of them together;
    /// first those that have not asked to be kept.
    pub(crate) fn close_largest(&mut self, max: usize) {
        let clients: Vec<_> = self.state.clients.iter().collect();
        let mut clients: Vec<_> = clients
            .iter()
            .map(|session| (session.borrow().is_kept, session.borrow().held_bytes(), session))
            .filter(|(.., session)| !session.borrow().is_killed)
            .collect();
        let mut held: usize = clients.iter().map(|(_, held, _)| held).sum();
        clients.sort_unstable_by_key(|(is_kept, held, _)| (*is_kept, std::cmp::Reverse(*held)));
        for (_, bytes, session) in clients {
            if held <= max {
                break;
            }
            held -= bytes;
            let session = &mut session.borrow_mut();
            warn!(peer = session.address, bytes, "cut off: all clients together take too much");
            self.state.kill(session);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use zset_std::FakeClock;

    use super::*;
    use crate::Replies;
    use crate::client::Client;
    use crate::testing::ask;

    fn set_replies(client: &mut Client, sent: u64, replies: usize) {
        let buffered = &mut client.session_mut().buffered;
        (buffered.sent, buffered.replies) = (sent, replies);
    }

    #[test]
    fn who_reads_a_small_part_of_what_there_is_may_go_on() {
        let mut engine = Engine::new();
        let [mut deaf, mut slow, mut steady, silent] = [(); 4].map(|()| engine.client());
        for round in 0..100 {
            set_replies(&mut deaf, 0, 1);
            set_replies(&mut slow, round, 10_000);
            set_replies(&mut steady, round * 100, 10_000);
            engine.look_at_clients();
            let is_late = round >= u64::from(LOOKS);
            assert_eq!(deaf.session().is_killed, is_late, "{round}");
            assert_eq!(slow.session().is_killed, is_late, "{round}");
        }
        assert!(!steady.session().is_killed && !silent.session().is_killed);
    }

    #[test]
    fn the_soft_limit_closes_who_is_above_it_all_the_time() {
        let clock = FakeClock::new();
        let mut engine = Engine::with_clock(clock.clone());
        let [mut deaf, mut reader] = [(); 2].map(|()| engine.client());
        let line = "CONFIG SET client-output-buffer-limit";
        let arguments: Vec<_> =
            line.split(' ').map(str::as_bytes).chain([&b"normal 0 100 2"[..]]).collect();
        engine.execute(&mut reader, &arguments, &mut Replies::default());
        for second in 0..10 {
            set_replies(&mut deaf, 0, 101);
            set_replies(&mut reader, 0, if second % 2 == 0 { 1000 } else { 100 });
            engine.close_over_soft_limit();
            assert_eq!(deaf.session().is_killed, second > 2, "{second}");
            clock.advance(Duration::from_secs(1));
        }
        assert!(!reader.session().is_killed);
    }

    #[test]
    fn clients_have_what_the_data_leaves_of_the_memory() {
        let mut engine = Engine::new();
        assert_eq!(engine.max_held(10, 100, 1000), 1000);
        engine.count_memory(Some(|| 1000));
        for (max, held, room) in [
            (8000, 500, 1000),
            (1500, 500, 1000),
            (1500, 0, 500),
            // As little as a client needs, or an eighth.
            (1050, 0, 131),
            (900, 0, 112),
            (500, 0, 100),
        ] {
            engine.limit_memory(max);
            assert_eq!(engine.max_held(held, 100, 1000), room, "{max} {held}");
        }
    }

    #[test]
    fn who_has_read_all_begins_anew() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        for round in 0..100 {
            set_replies(&mut client, 0, usize::from(round % 4 != 0));
            engine.look_at_clients();
        }
        assert!(!client.session().is_killed);
    }

    #[test]
    fn those_go_first_for_which_most_is_held() {
        let mut engine = Engine::new();
        let mut clients = [(); 4].map(|()| engine.client());
        for (client, bytes) in clients.iter_mut().zip([400, 100, 300, 200]) {
            set_replies(client, 0, bytes);
        }
        ask(&mut engine, &mut clients[0], "CLIENT NO-EVICT ON");
        let is_killed = |clients: &[Client; 4]| clients.each_ref().map(|it| it.session().is_killed);
        engine.close_largest(1000);
        assert_eq!(is_killed(&clients), [false; 4]);
        engine.close_largest(600);
        assert_eq!(is_killed(&clients), [false, false, true, true]);
        engine.close_largest(600);
        assert_eq!(is_killed(&clients), [false, false, true, true]);
        engine.close_largest(0);
        assert_eq!(is_killed(&clients), [true; 4]);
    }
}
