//! A model of several machines, each with its own clock. Messages may be late, lost, or executed
//! after their sender has given up. The model records every use of units with its true time, so
//! that tests can check every window.

mod server;
mod tests;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_std::{Quota, Timestamp};

use super::draw::{Draw, Grant, Terms};
use super::slot::Slot;
use server::Server;

/// The start of the model's time, in microseconds. It is in the future, so no key expires on a real
/// server.
const ORIGIN: u64 = 1 << 51;

/// The faults to simulate.
#[derive(Clone, Copy, Debug, Default)]
struct Faults {
    /// One in this many messages fails: it or its reply is lost, or it is executed after its sender
    /// has given up.
    message: Option<u32>,
    /// One in this many calls is abandoned by its caller.
    call: Option<u32>,
    /// One in this many sweeps is a crash of the machine.
    crash: Option<u32>,
    /// After one in this many draws, the clock of the server steps back.
    step: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Setting {
    terms: Terms,
    machines: usize,
    /// The mean time between two calls of a machine, in microseconds.
    pause: u64,
    /// The longest pause of a machine between two bursts of calls, in microseconds.
    rest: u64,
    /// The longest travel time of a message, in microseconds.
    delay: u64,
    faults: Faults,
}

#[derive(Debug)]
enum Event {
    Call {
        machine: usize,
        n: u32,
    },
    Arrival {
        from: Sender,
        draw: Draw,
        fate: Fate,
    },
    /// The sender gets a reply, with the time at which the server executed the draw, or gives up.
    Reply {
        from: Sender,
        draw: Draw,
        reply: Option<(u64, Grant)>,
    },
    Sweep {
        machine: usize,
    },
}

/// A machine, and the number of its crashes when it sent a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sender {
    machine: usize,
    crashes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Reply,
    NoReply,
}

struct Machine {
    slot: Slot<()>,
    crashes: u32,
    /// The rate of the clock, in millionths of the server's.
    rate: u64,
    /// The time of the local clock at the start of the model, in nanoseconds.
    origin: u64,
    next_id: u64,
}

impl Machine {
    fn now(&self, time: u64) -> Timestamp {
        Timestamp::from_nanos(self.origin + (time - ORIGIN) * self.rate / 1000)
    }
}

struct Model<S> {
    setting: Setting,
    server: S,
    machines: Vec<Machine>,
    rng: SmallRng,
    time: u64,
    /// How far the clock of the server has stepped back, in microseconds.
    late: u64,
    events: BinaryHeap<Reverse<(u64, u64)>>,
    /// The events by number. The heap orders the numbers, since events have no order.
    pending: HashMap<u64, Event>,
    next_event: u64,
    /// The time and units of every use.
    uses: Vec<(u64, u32)>,
    draws: u64,
    /// The largest number of units that were idle on one machine.
    most_idle: u32,
}

impl<S: Server> Model<S> {
    fn new(setting: Setting, server: S, seed: u64) -> Self {
        let mut rng = SmallRng::seed_from_u64(seed);
        let machines = (0..setting.machines)
            .map(|_| Machine {
                slot: Slot::new(),
                crashes: 0,
                rate: rng.random_range(999_500..=1_000_500),
                origin: rng.random_range(0..1 << 40),
                next_id: 1,
            })
            .collect();
        let mut model = Model {
            setting,
            server,
            machines,
            rng,
            time: ORIGIN,
            late: 0,
            events: BinaryHeap::new(),
            pending: HashMap::new(),
            next_event: 0,
            uses: Vec::new(),
            draws: 0,
            most_idle: 0,
        };
        for machine in 0..setting.machines {
            model.add(0, Event::Call { machine, n: 1 });
            model.add(0, Event::Sweep { machine });
        }
        model
    }

    fn add(&mut self, wait: u64, event: Event) {
        self.events.push(Reverse((self.time + wait, self.next_event)));
        self.pending.insert(self.next_event, event);
        self.next_event += 1;
    }

    fn happens(&mut self, one_in: Option<u32>) -> bool {
        one_in.is_some_and(|one_in| self.rng.random_range(0..one_in) == 0)
    }

    fn run(&mut self, duration: Duration) {
        let end = self.time + duration.as_micros() as u64;
        while let Some(&Reverse((time, number))) = self.events.peek() {
            if time >= end {
                break;
            }
            self.events.pop();
            self.time = time;
            let event = self.pending.remove(&number).unwrap();
            self.step(event);
        }
        self.time = end;
    }

    fn step(&mut self, event: Event) {
        match event {
            Event::Call { machine, n } => {
                self.call(machine, n);
                let rests = self.happens(Some(50));
                let longest = if rests { self.setting.rest } else { 2 * self.setting.pause };
                let wait = self.rng.random_range(0..=longest);
                let n = [1, 1, 1, 1, 1, 2, 5][self.rng.random_range(0..7)];
                self.add(wait, Event::Call { machine, n });
            }
            Event::Arrival { from, draw, fate } => {
                let process = format!("{}-{}", from.machine, from.crashes);
                if self.happens(self.setting.faults.step) {
                    let period = self.setting.terms.quota.period().as_micros() as u64;
                    self.late += self.rng.random_range(0..period);
                }
                let now = Timestamp::from_nanos((self.time - self.late) * 1000);
                let grant = self.server.run(now, &process, &self.setting.terms, &draw);
                self.draws += 1;
                if fate == Fate::Reply {
                    let wait = self.rng.random_range(0..=self.setting.delay);
                    let reply = Some((self.time, grant));
                    self.add(wait, Event::Reply { from, draw, reply });
                }
            }
            Event::Reply { from, draw, reply } => self.reply(from, &draw, reply),
            Event::Sweep { machine } => self.sweep(machine),
        }
    }

    fn call(&mut self, machine: usize, n: u32) {
        let (terms, time) = (self.setting.terms, self.time);
        let slot = &mut self.machines[machine];
        let now = slot.now(time);
        match slot.slot.check(&terms, now, n) {
            Some(decision) if decision.is_allowed() => {
                if self.happens(self.setting.faults.call) {
                    assert_eq!(self.machines[machine].slot.refund(n), n);
                } else {
                    self.uses.push((time, n));
                }
            }
            Some(_) => {}
            None => {
                slot.slot.wait(n, ());
                self.draw(machine);
            }
        }
    }

    fn draw(&mut self, machine: usize) {
        let (terms, time) = (self.setting.terms, self.time);
        let slot = &mut self.machines[machine];
        slot.next_id += 1;
        if let Some(draw) = slot.slot.draw(&terms, slot.now(time), slot.next_id) {
            let from = Sender { machine, crashes: slot.crashes };
            self.send(from, draw);
        }
    }

    fn send(&mut self, from: Sender, draw: Draw) {
        let delay = self.setting.delay;
        let wait = self.rng.random_range(0..=delay);
        if !self.happens(self.setting.faults.message) {
            self.add(wait, Event::Arrival { from, draw, fate: Fate::Reply });
            return;
        }
        // The sender gives up either after the longest round trip, or immediately.
        let gives_up = if self.rng.random() { 2 * delay } else { 0 };
        self.add(gives_up, Event::Reply { from, draw: draw.clone(), reply: None });
        if self.rng.random() {
            let wait = self.rng.random_range(0..=5 * delay);
            self.add(wait, Event::Arrival { from, draw, fate: Fate::NoReply });
        }
    }

    fn reply(&mut self, from: Sender, draw: &Draw, reply: Option<(u64, Grant)>) {
        let (terms, time, machine) = (self.setting.terms, self.time, from.machine);
        // Ignore the reply if the machine has crashed since it sent the draw, or if the draw only
        // returned units.
        if self.machines[machine].crashes != from.crashes || draw.id == 0 {
            return;
        }
        let now = self.machines[machine].now(time);
        let Some((run_at, grant)) = reply else {
            self.machines[machine].slot.failed(|()| false);
            self.draw(machine);
            return;
        };
        let decided = self.machines[machine].slot.drawn(&terms, now, grant);
        for (index, (call, decision)) in decided.iter().enumerate() {
            if !decision.is_allowed() {
                continue;
            }
            if self.happens(self.setting.faults.call) {
                self.machines[machine].slot.refund(call.n);
            } else {
                let is_first = index == 0 && draw.least > 0;
                self.uses.push((if is_first { run_at } else { time }, call.n));
            }
        }
        self.draw(machine);
        self.most_idle = self.most_idle.max(self.machines[machine].slot.left(now));
    }

    fn sweep(&mut self, machine: usize) {
        let (terms, time) = (self.setting.terms, self.time);
        let life = terms.life.as_micros() as u64;
        self.add(life.max(1000), Event::Sweep { machine });
        let crashes = self.happens(self.setting.faults.crash);
        // A machine occasionally returns all units, as `give_back` does.
        let gives_all_back = self.rng.random_range(0..8) == 0;
        let slot = &mut self.machines[machine];
        let now = slot.now(time);
        if crashes {
            slot.crashes += 1;
            slot.slot = Slot::new();
        } else if slot.slot.is_idle(now) || gives_all_back && !slot.slot.is_in_flight() {
            let ended = slot.slot.give_back(&terms, now);
            slot.slot = Slot::new();
            if !ended.is_empty() {
                let from = Sender { machine, crashes: slot.crashes };
                self.send(from, Draw::give_back(ended));
            }
        }
    }

    /// Returns the largest number of units used in a window of the quota's period.
    fn fullest_window(&mut self) -> u32 {
        let period = self.setting.terms.quota.period().as_micros() as u64;
        self.uses.sort_unstable();
        let (mut first, mut units, mut most) = (0, 0, 0);
        for &(time, n) in &self.uses {
            units += n;
            while self.uses[first].0 + period <= time {
                units -= self.uses[first].1;
                first += 1;
            }
            most = most.max(units);
        }
        most
    }

    fn used(&self) -> u32 {
        self.uses.iter().map(|&(_, n)| n).sum()
    }
}

fn terms(limit: u32, period: u64, life: u64, max_batch: u32) -> Terms {
    let quota = Quota::new(limit, Duration::from_micros(period)).unwrap();
    Terms { quota, life: Duration::from_micros(life), max_batch }
}
