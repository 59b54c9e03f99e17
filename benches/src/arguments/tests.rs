//! Tests of the command line.

use super::*;

fn parse_line(line: &str) -> Result<Command, String> {
    parse(Parser::from_args(line.split_whitespace())).map_err(|error| error.to_string())
}

#[test]
fn commands_have_defaults() {
    assert_eq!(parse_line("report"), Ok(Command::Report(report::Options::default())));
    assert_eq!(parse_line("bytes"), Ok(Command::Bytes(None)));
    assert_eq!(parse_line("docs"), Ok(Command::Docs(docs::FOLDER.into())));
    let expected = Command::Instructions(instructions::Task::Check);
    assert_eq!(parse_line("instructions"), Ok(expected));
    assert_eq!(parse_line("layer"), Ok(Command::Layer(layer::Options::default())));
    let expected = Command::Limiters(limiters::Options::default());
    assert_eq!(parse_line("limiters"), Ok(expected));
    assert_eq!(parse_line("uses"), Ok(Command::Uses(uses::Options::default())));
    assert_eq!(parse_line("fixed"), Ok(Command::Fixed(fixed::Options::default())));
    assert_eq!(parse_line("servers"), Ok(Command::Servers(servers::Options::default())));
    let expected = Command::Services(services::Options::default());
    assert_eq!(parse_line("services"), Ok(expected));
}

#[test]
fn options_replace_the_defaults() {
    let expected = report::Options {
        sizes: vec![1000, 200],
        kinds: vec![Kind::Names],
        operations: vec![Operation::PopFirst, Operation::Rank],
        calls: report::Options::quick().calls,
        rounds: Some(2),
        tail: 0,
        updates: 9,
        folder: "here".into(),
        save: Some("file".into()),
    };
    let line = "report --quick --n 1000,200 --members names --ops=pop,rank --rounds 2 --tail 0 \
                --updates 9 --out here --save file";
    assert_eq!(parse_line(line), Ok(Command::Report(expected)));
    let expected = Request { contender: 3, n: 100, kind: Kind::Strings, updates: 7 };
    assert_eq!(parse_line("memory-of strings 3 100 7"), Ok(Command::MemoryOf(expected)));

    let expected = Command::Instructions(instructions::Task::Accept);
    assert_eq!(parse_line("instructions --accept"), Ok(expected));

    let expected =
        limiters::Options { keys: vec![1, 20], calls: 5, rounds: 1, save: Some("a".into()) };
    let line = "limiters --n 1,20 --rounds 1 --calls 5 --save a";
    assert_eq!(parse_line(line), Ok(Command::Limiters(expected)));

    let expected = layer::Options { n: 1, requests: 6, rounds: 4, save: Some("e".into()) };
    let line = "layer --n 1 --requests 6 --rounds 4 --save e";
    assert_eq!(parse_line(line), Ok(Command::Layer(expected)));

    let expected = Command::Uses(uses::Options { n: 700, rounds: 2, save: Some("b".into()) });
    assert_eq!(parse_line("uses --n=700 --rounds 2 --save b"), Ok(expected));
    let expected = fixed::Options { calls: 9, rounds: 2, save: Some("e".into()) };
    let line = "fixed --calls 9 --rounds 2 --save e";
    assert_eq!(parse_line(line), Ok(Command::Fixed(expected)));
    assert_eq!(parse_line("bytes --save c"), Ok(Command::Bytes(Some("c".into()))));
    assert_eq!(parse_line("docs copy"), Ok(Command::Docs("copy".into())));

    let expected = services::Options {
        keys: 5,
        duration: Duration::from_millis(20),
        rounds: 2,
        redis: "valkey-server".into(),
        url: Some("redis://a/".into()),
        save: Some("d".into()),
    };
    let line = "services --n 5 --millis 20 --rounds 2 --redis-server valkey-server \
                --url redis://a/ --save d";
    assert_eq!(parse_line(line), Ok(Command::Services(expected)));

    let expected = servers::Options {
        n: 800,
        requests: 9,
        rounds: 1,
        zset: "zset".into(),
        redis: "valkey-server".into(),
        save: Some("d".into()),
    };
    let line = "servers --n 800 --requests 9 --rounds 1 --zset-server zset \
                --redis-server valkey-server --save d";
    assert_eq!(parse_line(line), Ok(Command::Servers(expected)));
}

#[test]
fn help_wins_over_what_stands_before_it() {
    assert_eq!(parse_line("--help"), Ok(Command::Help));
    assert_eq!(parse_line("report --rounds 2 -h"), Ok(Command::Help));
}

#[test]
fn bad_arguments_are_errors() {
    for line in [
        "",
        "slow",
        "--n 1000",
        "report more",
        "report --contenders 3",
        "report --n",
        "report --n 99",
        "report --n 1000,,1000",
        "report --n 100000001",
        "report --n -5",
        "report --ops insert,upsert",
        "report --members bytes",
        "report --rounds 0",
        "report --tail x",
        "memory-of strings 1 100",
        "memory-of strings 1 2 3",
        "report --updates x",
        "report --n 5",
        "bytes --n 128",
        "bytes --save",
        "docs one two",
        "docs --save file",
        "instructions --n 1000",
        "instructions accept",
        "layer --n 0",
        "layer --calls 5",
        "limiters --n 0",
        "limiters --calls 0",
        "limiters --ops insert",
        "uses --n 99",
        "uses --n 100,200",
        "uses --rounds 0",
        "uses --calls 5",
        "fixed --n 16",
        "fixed --calls 0",
        "servers --n 1,2",
        "servers --requests 0",
        "servers --redis-server",
    ] {
        assert!(parse_line(line).is_err(), "{line:?} was accepted");
    }
}
