//! What the shell adds to an error, or to a reply that says little.

use crate::running::answer;

#[test]
fn a_wrong_number_of_arguments_shows_the_usage() {
    for (line, usage) in [
        ("ZCARD", "Usage: ZCARD key"),
        ("zcount key 1", "Usage: ZCOUNT key min max"),
        ("CLIENT SETNAME", "Usage: CLIENT SETNAME name"),
        ("MSET a 1 b", "Usage: MSET key value [key value ...]"),
        ("SHOW", "Usage: SHOW key [LIMIT count]"),
    ] {
        let answer = answer(&format!("{line}\n"));
        let lines: Vec<_> = answer.lines().collect();
        assert!(lines[0].starts_with("(error) ERR wrong number of arguments"), "{answer}");
        assert_eq!(lines[1..], [usage], "{line}");
    }
}

#[test]
fn an_unknown_command_suggests_the_nearest_one() {
    for (line, suggestion) in [
        ("ZADDD key 1 a", "Did you mean ZADD?"),
        ("zrevrnage key 0 1", "Did you mean ZREVRANGE?"),
        ("ZRANGEBYSCOR key 0 1", "Did you mean ZRANGEBYSCORE?"),
        ("shwo key", "Did you mean SHOW?"),
        ("CLIENT GETNAM", "Did you mean CLIENT GETNAME?"),
    ] {
        let answer = answer(&format!("{line}\n"));
        let lines: Vec<_> = answer.lines().collect();
        assert!(lines[0].starts_with("(error) ERR unknown"), "{answer}");
        assert_eq!(lines[1..], [suggestion], "{line}");
    }
}

#[test]
fn a_command_that_is_like_no_other_suggests_nothing() {
    let long = "z".repeat(100_000);
    // Those of Redis that are not here are no typos of others.
    for line in ["HSET h a b", "LPOP l", "XADD s * a b", "EVAL x 0", "q", "CLIENT x", &long] {
        let answer = answer(&format!("{line}\n"));
        assert_eq!(answer.lines().count(), 1, "{answer}");
        assert!(answer.starts_with("(error) ERR unknown"), "{answer}");
    }
}

#[test]
fn save_does_not_name_an_option_that_the_shell_lacks() {
    for line in ["SAVE", "BGSAVE"] {
        let answer = answer(&format!("{line}\n"));
        assert!(answer.starts_with("(error) ERR"), "{answer}");
        assert!(answer.contains("zset-server serve --snapshot PATH"), "{answer}");
    }
}

#[test]
fn commands_that_block_say_that_the_shell_does_not_wait() {
    for line in ["BZPOPMIN none 0", "BZPOPMAX none 5", "BZMPOP 0 1 none MIN"] {
        let answer = answer(&format!("{line}\nPING\n"));
        let lines: Vec<_> = answer.lines().collect();
        let [reply, explanation, "PONG"] = lines[..] else { panic!("{answer}") };
        assert_eq!(reply, "(nil)");
        assert!(explanation.contains("does not wait"), "{answer}");
    }
    // There is nothing to wait for.
    assert_eq!(answer("ZADD a 1 x\nBZPOPMIN a 0\n").matches("wait").count(), 0);
    assert_eq!(answer("MULTI\nBZPOPMIN a 0\nEXEC\n").matches("wait").count(), 0);
}
