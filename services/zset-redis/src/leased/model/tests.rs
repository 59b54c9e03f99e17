use super::server::FakeServer;
use super::*;

#[cfg(all(unix, feature = "cluster"))]
#[path = "../../../tests/support/mod.rs"]
mod servers;

/// Draws a random setting in which the limit is usually reached.
fn random(rng: &mut SmallRng, faults: Faults) -> Setting {
    let limit = [1, 5, 40, 200, 2000][rng.random_range(0..5)];
    let period = [5_000, 20_000, 100_000][rng.random_range(0..3)];
    let life = period / [1, 2, 5, 10, 20][rng.random_range(0..5)];
    let machines = rng.random_range(1..6);
    let demand = u64::from(limit) * [1, 4, 20][rng.random_range(0..3)];
    Setting {
        terms: terms(limit, period, life, rng.random_range(0..=limit / 4)),
        machines,
        pause: (period * machines as u64 / demand).max(1),
        rest: [0, life, period][rng.random_range(0..3)],
        delay: life / [1, 10, 100][rng.random_range(0..3)],
        faults,
    }
}

const FAULTS: Faults = Faults { message: Some(5), call: Some(5), crash: Some(10), step: Some(100) };

/// Runs a model for this many periods of the quota.
fn run(setting: Setting, server: FakeServer, seed: u64, periods: u32) -> Model<FakeServer> {
    let mut model = Model::new(setting, server, seed);
    model.run(setting.terms.quota.period() * periods);
    model
}

/// Runs a model without faults. Its period is a second.
fn run_steady(machines: usize, calls_a_second: u64, seconds: u32) -> Model<FakeServer> {
    run(steady(machines, calls_a_second), FakeServer::default(), 1, seconds)
}

#[test]
fn no_window_has_more_than_the_limit() {
    let mut full = 0;
    for seed in 0..150 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let faults = if rng.random() { FAULTS } else { Faults::default() };
        let setting = random(&mut rng, faults);
        let mut model = run(setting, FakeServer::default(), seed, 8);
        let limit = setting.terms.limit();
        let most = model.fullest_window();
        assert!(most <= limit, "seed {seed}: {most} of {limit} with {setting:?}");
        full += u32::from(most == limit);
    }
    assert!(full > 50, "the limit was reached only {full} times");
}

/// Returns whether any window exceeds the limit, with any of 150 seeds.
fn is_exceeded(server: fn() -> FakeServer) -> bool {
    (0..150).any(|seed| {
        let setting = random(&mut SmallRng::seed_from_u64(seed), Faults::default());
        run(setting, server(), seed, 8).fullest_window() > setting.terms.limit()
    })
}

#[test]
fn the_model_finds_servers_that_allow_too_much() {
    assert!(is_exceeded(|| FakeServer { ignores_life: true, ..FakeServer::default() }));
    assert!(is_exceeded(|| FakeServer { gives_back_the_newest: true, ..FakeServer::default() }));
}

#[cfg(all(unix, feature = "cluster"))]
#[test]
fn the_script_replies_as_the_reference() {
    for server in servers::Server::of_each_kind() {
        for seed in 0..40 {
            let setting = random(&mut SmallRng::seed_from_u64(seed), FAULTS);
            let (connection, fake) = (server.connection(), FakeServer::default());
            let both = super::server::Both { connection, key: seed.to_string(), fake };
            Model::new(setting, both, seed).run(setting.terms.quota.period() * 3);
        }
    }
}

/// Returns a setting with a limit of a thousand units a second, and a life of a tenth of a second.
fn steady(machines: usize, calls_a_second: u64) -> Setting {
    let pause = 1_000_000 * machines as u64 / calls_a_second;
    let terms = terms(1000, 1_000_000, 100_000, 250);
    Setting { terms, machines, pause, rest: 0, delay: 500, faults: Faults::default() }
}

#[test]
fn under_full_load_the_throughput_is_at_least_what_the_docs_say() {
    for (machines, calls_a_second) in [(1, 3_000), (3, 3_000), (3, 50_000)] {
        let mut model = run_steady(machines, calls_a_second, 20);
        // The docs promise 90.9 % of the limit, less the idle units.
        let used = model.used() / 20;
        assert!(used >= 860, "{machines} machines: {used} a second");
        assert!(model.fullest_window() <= 1000);
    }
}

#[test]
fn the_batch_adapts_to_the_rate() {
    // The batch aims at one draw per half life, i.e. 50 ms, so about 20 draws a second are
    // expected.
    let mut model = run_steady(1, 400, 1);
    let (draws, used) = (model.draws, model.used());
    model.run(Duration::from_secs(10));
    let (draws, used) = (model.draws - draws, model.used() - used);
    assert!((150..400).contains(&draws), "{draws} draws");
    assert!(used > 4_000, "{used} units");
    assert!((10..100).contains(&model.most_idle), "{} idle", model.most_idle);

    // Calls that are far apart usually draw only the units they need. Two calls in quick succession
    // reserve a batch of at most twice the units of the largest call, i.e. ten.
    let model = run_steady(1, 4, 100);
    assert!(model.most_idle <= 10, "{} idle", model.most_idle);
}

#[test]
fn a_denied_key_costs_few_draws() {
    let model = run_steady(1, 50_000, 10);
    assert!(model.used() > 8_600);
    assert!(model.draws < 10 * 60, "{} draws for 500,000 calls", model.draws);
}

#[test]
fn idle_units_are_at_most_a_batch_on_each_machine() {
    for seed in 0..100 {
        let faults = Faults { call: Some(5), ..Faults::default() };
        let setting = random(&mut SmallRng::seed_from_u64(seed), faults);
        let model = run(setting, FakeServer::default(), seed, 4);
        assert!(model.most_idle <= setting.terms.max_batch, "seed {seed}: {setting:?}");
    }
}

#[test]
fn machines_that_stop_calling_return_all_units() {
    let mut model = Model::new(steady(3, 2_000), FakeServer::default(), 1);
    model.run(Duration::from_millis(300));
    let is_call = |event: &Event| matches!(event, Event::Call { .. });
    model.pending.values_mut().filter(|event| is_call(event)).for_each(|event| {
        *event = Event::Reply {
            from: Sender { machine: 0, crashes: 9 },
            draw: Draw::peek(0),
            reply: None,
        };
    });
    assert!(model.server.units() > model.used());
    model.run(Duration::from_millis(205));
    assert_eq!(model.server.units(), model.used());
}

#[test]
fn a_crash_leaves_at_most_a_batch_idle_for_a_life_and_a_period() {
    let mut model = Model::new(steady(1, 500), FakeServer::default(), 1);
    model.run(Duration::from_millis(700));
    let lost = model.server.units() - model.used();
    assert!((1..=250).contains(&lost), "{lost} units are idle");
    // From here on, no events run, as if the machine had crashed.
    let setting = model.setting;
    let left = |server: &mut FakeServer, time| {
        let now = Timestamp::from_nanos(time * 1000);
        server.run(now, "other", &setting.terms, &Draw::peek(1)).remaining
    };
    let after_all_uses = model.time + 1_000_000;
    assert!(left(&mut model.server, after_all_uses) < 1000);
    assert_eq!(left(&mut model.server, model.time + 1_100_000), 1000);
}
