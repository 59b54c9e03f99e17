//! Tests scripts from files and from standard input.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use test_support::servers::Folder;

use crate::running::{answer, assert_golden, program, run, text};

const SESSION: &str = include_str!("session.txt");

#[test]
fn a_session_prints_the_expected_output() {
    assert_golden("session.txt", &answer(SESSION));
}

#[test]
fn files_run_in_order_on_the_same_data() {
    let folder = Folder::new();
    let (one, two) = (folder.file("one.txt"), folder.file("two.txt"));
    fs::write(&one, "ZADD a 1 x\n").unwrap();
    fs::write(&two, "ZSCORE a x").unwrap();
    let output = run(&["shell", &one, &two], b"PING\n");
    assert_eq!(text(&output.stdout), "(integer) 1\n\"1\"\n");
    assert!(output.status.success());

    let output = run(&["shell", &one, "-", &two], b"ZADD a 5 x\n'");
    assert_eq!(text(&output.stdout), "(integer) 1\n(integer) 0\n\"5\"\n");
    assert!(text(&output.stderr).starts_with("standard input:2: unbalanced quotes\n"));

    assert_eq!(text(&run(&["shell", "-", "-"], b"PING\n").stdout), "PONG\n");

    fs::write(&one, "PING\nexit\nPING\n").unwrap();
    assert_eq!(text(&run(&["shell", &one, &two], b"").stdout), "PONG\n");
}

#[test]
fn a_missing_file_is_an_error_before_any_file_runs() {
    let folder = Folder::new();
    let (existing, missing) = (folder.file("existing.txt"), folder.file("missing.txt"));
    fs::write(&existing, "PING\n").unwrap();
    let output = run(&["shell", &existing, &missing], b"");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "");
    assert!(text(&output.stderr).contains("missing.txt"), "{}", text(&output.stderr));
}

#[test]
fn error_replies_do_not_end_a_script() {
    let output = run(&[], b"NOTHING\nPING\n");
    assert!(output.status.success());
    let stdout = text(&output.stdout);
    assert!(stdout.starts_with("(error) ERR unknown command 'NOTHING'"), "{stdout}");
    assert!(stdout.ends_with("\nPONG\n"));
}

#[test]
fn a_line_with_an_unbalanced_quote_is_reported_and_the_others_run() {
    let folder = Folder::new();
    let path = folder.file("script.txt");
    fs::write(&path, "PING\n\n# it's a comment\nSET a \"b\nPING\n'\n").unwrap();
    let output = run(&["shell", &path], b"");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "PONG\nPONG\n");
    let expected = format!(
        "{path}:4: unbalanced quotes\n{path}:6: unbalanced quotes\n\
         zset-server: 2 lines are not command lines\n"
    );
    assert_eq!(text(&output.stderr), expected);
}

#[test]
fn an_empty_script_prints_nothing() {
    for script in ["", "\n", "# only a comment", "  \t\r\n\n"] {
        assert_eq!(answer(script), "", "{script:?}");
    }
}

#[test]
fn lines_can_contain_bytes_that_are_not_utf8() {
    let output = run(&[], b"SET \xff\x80 \"\xfe\"\nGET \xff\x80\nKEYS *\n\xff\n");
    let expected = "OK\n\"\\xfe\"\n1) \"\\xff\\x80\"\n(error) ERR unknown command '\\xff', \
                    with args beginning with: \n";
    assert_eq!(text(&output.stdout), expected);
    assert!(output.status.success());
}

#[test]
fn lines_have_no_maximum_length() {
    let members: Vec<_> = (0..100_000).map(|i| format!("{i} member:{i}")).collect();
    let long = "x".repeat(3_000_000);
    let script = format!("ZADD k {}\nZCARD k\nSET s {long}\nGET s\n", members.join(" "));
    assert_eq!(answer(&script), format!("(integer) 100000\n(integer) 100000\nOK\n\"{long}\"\n"));
}

#[test]
fn a_closed_output_ends_the_program_without_an_error() {
    for arguments in [&[][..], &["--help"], &["shell", "--help"]] {
        let mut process = program()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can start");
        drop(process.stdout.take());
        let script = "ECHO something\n".repeat(50_000);
        // The program may exit before it has read all of the input.
        let _ = std::io::Write::write_all(&mut process.stdin.take().unwrap(), script.as_bytes());
        let mut errors = String::new();
        process.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!(errors, "");
        assert_eq!(process.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn info_memory_has_a_line_with_the_memory_in_use() {
    let memory = answer("SET a b\nINFO memory\n");
    let used = memory.lines().find_map(|line| line.strip_prefix("used_memory:"));
    assert!(used.is_some_and(|used| used != "0"), "{memory}");
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
    // Neither command waits: the first one finds a member, and the second one runs in a
    // transaction.
    assert_eq!(answer("ZADD a 1 x\nBZPOPMIN a 0\n").matches("wait").count(), 0);
    assert_eq!(answer("MULTI\nBZPOPMIN a 0\nEXEC\n").matches("wait").count(), 0);
}

#[test]
fn replies_are_displayed_without_control_sequences() {
    let answer = answer("'\u{1b}[2J' \"\\xff\" 日\nHELLO 3\nECHO \"\\xe2\\x80\\xae\"\n");
    assert!(!answer.contains(|sign: char| sign.is_control() && sign != '\n'), "{answer:?}");
    let error = r"(error) ERR unknown command '\x1b[2J', with args beginning with: '\xff' '日'";
    assert!(answer.starts_with(error) && answer.ends_with("\"\\xe2\\x80\\xae\"\n"), "{answer}");
}
