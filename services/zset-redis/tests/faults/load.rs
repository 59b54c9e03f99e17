//! Threads that call limiters continuously, and the results that they observe.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use zset_redis::{Failure, LimiterError, OnFailure};
use zset_std::{Decision, Keyed, SlidingWindow, Verdict};

use crate::limiters::{Check, Connection, DEADLINE, Settings, quota};
use crate::servers::{PATIENCE, per_hour};
use crate::units::{self, RULES};

/// How much later than its deadline a call may return, in addition to the lateness of a thread that
/// only sleeps.
const LATE: Duration = Duration::from_secs(2);

const PAUSE: Duration = Duration::from_millis(5);

/// The limit of the limiters in this process.
const LOCAL_LIMIT: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    /// Uses the rule with this index, and returns failures.
    Deny(usize),
    Allow,
    Local,
}

/// The state that the load and its threads share.
#[derive(Default)]
struct Signals {
    stop: AtomicBool,
    /// The numbers of allowed and denied calls of each thread.
    decided: Vec<[AtomicU32; 2]>,
}

pub(crate) struct Load {
    signals: Arc<Signals>,
    names: Vec<String>,
    seen: mpsc::Receiver<Seen>,
    /// Measures the lateness of a thread that only sleeps.
    control: JoinHandle<Duration>,
}

/// The observations of a thread.
struct Seen {
    thread: usize,
    policy: Policy,
    allowed: u64,
    /// The failures reported to the observer.
    failures: Vec<Failure>,
    longest: Duration,
}

impl Load {
    /// Starts the threads, and waits until all have reached the limit. Each connection has one
    /// thread for each rule, which returns failures, and one for each other policy.
    pub(crate) fn start(connections: &[Connection]) -> Load {
        let mut threads = Vec::new();
        for connection in connections {
            let denying = (0..RULES).map(Policy::Deny);
            for policy in denying.chain([Policy::Allow, Policy::Local]) {
                threads.push((connection, policy));
            }
        }
        let decided = threads.iter().map(|_| Default::default()).collect();
        let signals = Arc::new(Signals { stop: AtomicBool::new(false), decided });
        let (sender, seen) = mpsc::channel();
        let mut names = Vec::new();
        for (thread, (connection, policy)) in threads.into_iter().enumerate() {
            names.push(format!("{} {policy:?}", connection.name));
            let caller = Caller::new(connection, policy);
            let (signals, sender) = (signals.clone(), sender.clone());
            thread::spawn(move || {
                let _ = sender.send(caller.run(thread, &signals));
            });
        }
        let control = thread::spawn({
            let signals = signals.clone();
            move || longest_pause(&signals.stop)
        });
        let load = Load { signals, names, seen, control };
        load.wait_until_all_reach_the_limit();
        load
    }

    /// Waits until the server has allowed and denied a call of each thread.
    pub(crate) fn wait_until_all_reach_the_limit(&self) {
        let start = Instant::now();
        let counts = || {
            let counts = self.signals.decided.iter();
            counts.map(|of| of.each_ref().map(|count| count.load(Ordering::Relaxed)))
        };
        let before: Vec<_> = counts().collect();
        loop {
            let waiting = counts()
                .zip(&before)
                .position(|(now, before)| now[0] == before[0] || now[1] == before[1]);
            let Some(thread) = waiting else { return };
            assert!(start.elapsed() < PATIENCE, "no recovery of {}", self.names[thread]);
            sleep(PAUSE);
        }
    }

    /// Ends the threads, and checks their observations.
    pub(crate) fn stop(self) -> Report {
        self.signals.stop.store(true, Ordering::Relaxed);
        let pause = self.control.join().expect("this thread only sleeps");
        let mut report = Report { allowed: [0; RULES], failures: Vec::new() };
        for _ in 0..self.names.len() {
            // If a thread has panicked, this call fails after the other threads have ended.
            let seen = self.seen.recv_timeout(PATIENCE).expect("no thread panics or hangs");
            let name = &self.names[seen.thread];
            let allowed = DEADLINE + LATE + 2 * pause;
            assert!(seen.longest <= allowed, "{name} took {:?} with {pause:?}", seen.longest);
            if let Policy::Deny(rule) = seen.policy {
                report.allowed[rule] += seen.allowed;
            }
            report.failures.push((name.clone(), seen.failures));
        }
        report
    }
}

/// The observations of all threads.
pub(crate) struct Report {
    /// The allowed units of each rule.
    pub(crate) allowed: [u64; RULES],
    /// The failures of each thread, with its name.
    pub(crate) failures: Vec<(String, Vec<Failure>)>,
}

/// A limiter, and its expected behaviour.
struct Caller {
    policy: Policy,
    check: Check,
    failures: mpsc::Receiver<Failure>,
}

impl Caller {
    fn new(connection: &Connection, policy: Policy) -> Caller {
        let (sender, failures) = mpsc::channel();
        let (name, rules, on_failure) = match policy {
            Policy::Deny(index) => (units::name(index), units::rules(index), OnFailure::Error),
            Policy::Allow => ("allow".to_owned(), units::rules(0), OnFailure::Allow),
            Policy::Local => {
                let local = Keyed::<Vec<u8>, _>::new(SlidingWindow::new(per_hour(LOCAL_LIMIT)));
                ("local".to_owned(), units::rules(0), OnFailure::local(local))
            }
        };
        let observer = Arc::new(move |error: &Failure| sender.send(error.clone()).unwrap());
        let settings = Settings { name, rules, on_failure, observer };
        Caller { policy, check: (connection.limiter)(settings), failures }
    }

    fn run(mut self, thread: usize, signals: &Signals) -> Seen {
        let (policy, mut failures) = (self.policy, Vec::new());
        let (mut allowed, mut longest) = (0, Duration::ZERO);
        while !signals.stop.load(Ordering::Relaxed) {
            let start = Instant::now();
            let result = (self.check)();
            longest = longest.max(start.elapsed());
            if let Ok(error) = self.failures.try_recv() {
                check_failure(policy, failures.len(), &error, result);
                failures.push(error);
            } else {
                let decision = result.expect("an error is reported to the observer");
                assert_eq!(decision.limit, quota().count());
                allowed += u64::from(decision.is_allowed());
                let denied = usize::from(!decision.is_allowed());
                signals.decided[thread][denied].fetch_add(1, Ordering::Relaxed);
            }
            assert!(self.failures.try_recv().is_err(), "a call fails once");
            sleep(PAUSE);
        }
        Seen { thread, policy, allowed, failures, longest }
    }
}

/// Checks that the policy was applied to a failed call, after `earlier` failures.
fn check_failure(
    policy: Policy,
    earlier: usize,
    error: &Failure,
    result: Result<Decision, LimiterError>,
) {
    match (policy, result) {
        (Policy::Deny(_), Err(returned)) => assert_eq!(returned.to_string(), error.to_string()),
        (Policy::Allow, Ok(decision)) => {
            let remaining = quota().count() - 1;
            assert_eq!((decision.verdict, decision.remaining), (Verdict::Allowed, remaining));
        }
        (Policy::Local, Ok(decision)) => {
            assert_eq!(decision.limit, LOCAL_LIMIT);
            assert_eq!(decision.is_allowed(), earlier < LOCAL_LIMIT as usize);
        }
        (policy, result) => panic!("{policy:?} does not return {result:?}"),
    }
}

/// Sleeps repeatedly until `stop` is set, and returns the longest time that a sleep took.
fn longest_pause(stop: &AtomicBool) -> Duration {
    let mut longest = Duration::ZERO;
    while !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        sleep(PAUSE);
        longest = longest.max(start.elapsed());
    }
    longest
}
