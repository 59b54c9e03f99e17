//! Runs the example `medals` and compares its output with the published medal table.

// Miri cannot start processes.
#![cfg(not(miri))]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PARIS_2024: &str = include_str!("../data/medals-paris-2024.csv");

/// Returns the command that runs the example, which Cargo builds next to the tests.
fn medals() -> Command {
    // target/debug/deps/medals-0123 -> target/debug/examples/medals
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let example = profile.join("examples").join(format!("medals{}", env::consts::EXE_SUFFIX));
    assert!(example.exists(), "no {}; cargo build --example medals", example.display());
    Command::new(example)
}

fn run(arguments: &[&str]) -> Output {
    medals().args(arguments).output().unwrap()
}

/// Returns the standard output and standard error of a successful run.
fn succeed(arguments: &[&str]) -> (String, String) {
    let output = run(arguments);
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{arguments:?}: {err}");
    (out, err)
}

/// Returns the error message of a failing run.
fn fail(arguments: &[&str]) -> String {
    let output = run(arguments);
    let (_, err) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {err}");
    assert!(!err.contains("panicked"), "{arguments:?}: {err}");
    let message = err.lines().last().unwrap_or_default().to_string();
    assert!(message.starts_with("medals: "), "{arguments:?}: {err}");
    message
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().to_string();
    (text(&output.stdout), text(&output.stderr))
}

/// Writes a file for a test; returns its path.
fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_string()
}

/// Runs the example on a file with the columns `name` and `points`.
fn rank(name: &str, content: impl AsRef<[u8]>) -> (String, Vec<String>) {
    let path = file(name, content);
    let (out, err) = succeed(&["--csv", &path, "--member", "name", "--score", "points"]);
    let reports = err.lines().map(|line| line.replace(&format!("{path}: "), "")).collect();
    (out, reports)
}

/// Returns the rows of the first table in the output, with words separated by single spaces.
fn rows(out: &str) -> Vec<String> {
    let lines = out.lines().skip_while(|line| !line.contains("  rank  ")).skip(1);
    let rows = lines.take_while(|line| !line.is_empty());
    rows.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Returns the lines of the answer to a question.
fn answer(out: &str, question: &str) -> Vec<String> {
    let lines = out.lines().skip_while(|line| !line.starts_with(question)).skip(1);
    lines.take_while(|line| !line.is_empty()).map(|line| line.trim().to_string()).collect()
}

#[test]
fn every_team_has_its_published_rank() {
    let (out, err) = succeed(&["--players", "0"]);
    let published: Vec<_> = PARIS_2024.lines().skip(1).map(|line| line.replace(',', " ")).collect();
    assert_eq!(published.len(), 91);
    assert_eq!(rows(&out), published);
    assert!(out.starts_with("Paris 2024: 91 ranked\n"), "{out}");
    assert_eq!(err, "");
}

#[test]
fn the_order_of_the_rows_does_not_matter() {
    let mut lines: Vec<_> = PARIS_2024.lines().collect();
    lines[1..].reverse();
    let path = file("reversed.csv", lines.join("\n"));
    let (out, _) = succeed(&["--csv", &path, "--member", "code", "--score", "gold,silver,bronze"]);
    let published: Vec<_> = PARIS_2024
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .map(|row| [row[0], row[1], row[3], row[4], row[5]].join(" "))
        .collect();
    assert_eq!(rows(&out), published);
}

#[test]
fn the_questions_are_answered() {
    let (out, _) = succeed(&["--players", "0"]);
    let japan = "with 20 gold, 12 silver, 13 bronze";
    assert_eq!(answer(&out, "Where does Japan stand?"), [format!("3rd of 91, {japan}")]);
    assert_eq!(answer(&out, "Who is third?"), [format!("Japan, {japan}")]);
    let between = answer(&out, "Who lies between 10 gold, 0 silver, 0 bronze and 15 gold, ");
    let codes: Vec<_> = between[1..].iter().map(|row| &row[..6]).collect();
    assert_eq!(codes, ["7  GBR", "8  KOR", "9  ITA", "10  GE", "11  NZ"]);
}

#[test]
fn questions_can_be_chosen() {
    let (out, _) = succeed(&["--players", "0", "--team", "THA", "--from", "40,0,0"]);
    let thailand = answer(&out, "Where does Thailand stand?");
    assert_eq!(thailand, ["44th of 91, tied with 2 others, with 1 gold, 3 silver, 2 bronze"]);
    let many = answer(&out, "Who has at least 40 gold, 0 silver, 0 bronze?");
    assert_eq!(many.len(), 3);
    assert!(many[2].contains("China"));

    // Both bounds are inclusive, and an inverted range is empty.
    let (out, _) = succeed(&["--players", "0", "--from", "2,2,3", "--to", "2,2,3"]);
    assert_eq!(answer(&out, "Who lies between").len(), 3);
    let (out, _) = succeed(&["--players", "0", "--from", "2,2,3", "--to", "2,2,2"]);
    assert_eq!(answer(&out, "Who lies between"), ["Nobody"]);
    let (out, _) = succeed(&["--players", "0", "--to", "0,0,1"]);
    assert_eq!(answer(&out, "Who has at most").len(), 9);
}

#[test]
fn no_one_is_third_after_a_tie_for_second() {
    let (out, _) = rank("tied.csv", "name,points\na,1\nb,2\nc,2\nd,3\n");
    assert_eq!(rows(&out), ["1 d 3", "2 b 2", "2 c 2", "4 a 1"]);
    let third = answer(&out, "Who is third?");
    assert_eq!(
        third,
        ["Nobody: several are tied for 2nd:", "b, with 2 points", "c, with 2 points"]
    );
}

#[test]
fn bad_rows_are_reported_and_skipped() {
    let content = b"name,points\n\
        ann,10\n\
        bob,ten\n\
        \n\
        cid\n\
        \"dan, jr\",7.5\n\
        eve,nan\n\
        ,3\n\
        ann,99\n\
        f\xffy,1\n\
        gus,1,2\n\
        \"hal\nhal\",1\n\
        ida,\n\
        kim, -2e3 \n\
        \"leo,1\n\
        mia,1\n";
    let (out, reports) = rank("bad.csv", content);
    assert_eq!(rows(&out), ["1 ann 10", "2 dan, jr 7.5", "3 kim -2000"]);
    assert!(out.contains("bad.csv: 3 ranked, 10 rows skipped\n"), "{out}");
    assert_eq!(
        reports,
        [
            "line 3: score \"ten\": score is not a valid float",
            "line 5: wrong number of fields: 1 instead of 2",
            "line 7: score \"nan\": score is not a number",
            "line 8: the member is empty",
            "line 9: member \"ann\" repeats an earlier row, which has 10",
            "line 10: field 1 is not valid UTF-8",
            "line 11: wrong number of fields: 3 instead of 2",
            "line 12: the member spans many lines; is a quote unclosed?",
            "line 14: score \"\": score is not a valid float",
            "line 16: wrong number of fields: 1 instead of 2",
        ]
    );
}

#[test]
fn lines_are_counted_with_any_line_ending() {
    for (name, end) in [("lf.csv", "\n"), ("crlf.csv", "\r\n"), ("cr.csv", "\r")] {
        for mark in ["", "\u{feff}"] {
            let lines = ["name,points", "a,x", "", "", "b,y", "\"c\",2", "d,z"];
            let (out, reports) = rank(name, mark.to_string() + &lines.join(end));
            assert_eq!(rows(&out), ["1 c 2"], "{name}");
            let lines: Vec<_> = reports.iter().map(|report| &report[..7]).collect();
            assert_eq!(lines, ["line 2:", "line 5:", "line 7:"], "{name} {mark:?}");
        }
    }
}

#[test]
fn columns_are_selected_by_name_or_number() {
    let path = file("columns.csv", "1st,who,who\n5,a,b\n4,c,d\n");
    for score in ["1", "1st", " 1st "] {
        let (out, _) = succeed(&["--csv", &path, "--member", "3", "--score", score]);
        assert_eq!(rows(&out), ["1 b 5", "2 d 4"]);
    }
    for column in ["0", "4", "", "2nd", "-1", "99999999999999999999"] {
        let message = fail(&["--csv", &path, "--member", column, "--score", "1"]);
        let expected = format!("there is no column {column:?}; the columns are 1st, who, who");
        assert!(message.ends_with(&expected), "{message}");
    }
    let message = fail(&["--csv", &path, "--member", "who", "--score", "1"]);
    assert!(message.ends_with("several columns are named \"who\"; choose one by its number"));
}

#[test]
fn later_columns_break_ties() {
    let path = file("ties.csv", "name,a,b,c,d\nx,1,2,3,4\ny,1,2,3,5\nz,1,2,4,0\n");
    let csv = ["--csv", &path, "--member", "name", "--score"];
    let by = |score| rows(&succeed(&[&csv[..], &[score]].concat()).0);
    assert_eq!(by("a"), ["1 x 1", "1 y 1", "1 z 1"]);
    assert_eq!(by("a,b,c"), ["1 z 1 2 4", "2 x 1 2 3", "2 y 1 2 3"]);
    assert_eq!(by("a,b,c,d"), ["1 z 1 2 4 0", "2 y 1 2 3 5", "3 x 1 2 3 4"]);
    let message = fail(&[&csv[..], &["a,b,c,d,a"]].concat());
    assert_eq!(message, "medals: --score names 5 columns; this example supports 1 to 4");
}

#[test]
fn files_without_rows_are_handled() {
    for content in ["name,points\n", "name,points"] {
        let (out, reports) = rank("header.csv", content);
        assert!(out.contains("header.csv: 0 ranked\n"), "{out}");
        assert_eq!(answer(&out, "Who is third?"), ["Nobody: the table is too short"]);
        assert!(reports.is_empty());
    }
    for content in ["", "\n\n"] {
        let path = file("empty.csv", content);
        let message = fail(&["--csv", &path, "--member", "name", "--score", "points"]);
        assert!(message.ends_with("the file is empty: it has no header line"), "{message}");
    }
}

#[test]
fn control_characters_of_a_file_are_escaped() {
    let (out, reports) =
        rank("escape.csv", "name,points\n\u{1b}[31mred,1\nb,\u{1b}c\n\u{7},2\n\u{7},3\n");
    assert_eq!(rows(&out), ["1 \\u{7} 2", "2 \\u{1b}[31mred 1"]);
    assert!(!(out + &reports.concat()).contains(['\u{1b}', '\u{7}']));
}

#[test]
fn long_names_are_cut_to_the_width_of_a_terminal() {
    let (out, _) = rank("long.csv", format!("name,points\n{},1\n漢字,2\n", "字".repeat(100)));
    let row = rows(&out)[1].clone();
    assert!(row.starts_with("2 字字字") && row.ends_with("字… 1"), "{row}");
    assert!(out.lines().skip(1).all(|line| line.chars().count() <= 80), "{out}");
}

#[test]
fn errors_are_one_line_and_not_a_panic() {
    let missing = "/no/such/file.csv";
    let directory = env!("CARGO_TARGET_TMPDIR");
    let small = file("small.csv", "name,points\na,1\n");
    let csv = |path| ["--csv", path, "--member", "name", "--score", "points"];
    assert!(fail(&csv(missing)).starts_with("medals: /no/such/file.csv: "));
    assert!(fail(&csv(directory)).starts_with(&format!("medals: {directory}: ")));
    let unknown = fail(&[&csv(&small)[..], &["--team", "b"]].concat());
    assert!(unknown.ends_with("small.csv has no \"b\""), "{unknown}");

    for (arguments, expected) in [
        (&["--csv", &small][..], "--csv needs --member COLUMN and --score COLUMN"),
        (&["--score", "points"], "--member and --score require --csv FILE"),
        (&["--csv"], "missing argument for option '--csv'"),
        (&["--players", "-1"], "cannot parse argument \"-1\": invalid digit found in string"),
        (&["--players", "100000001"], "--players is at most 100000000"),
        (&["--medals"], "invalid option '--medals' (try --help)"),
        (&["small.csv"], "unexpected argument \"small.csv\" (try --help)"),
        (&["--team", "XYZ"], "Paris 2024 has no \"XYZ\""),
        (&["--to", "1"], "--to: 1 scores given, but the table has 3 score columns"),
        (&["--to", "1,2,-3"], "--to: score \"-3\": invalid digit found in string"),
    ] {
        assert_eq!(fail(arguments), format!("medals: {expected}"));
    }
}

#[test]
fn players_are_simulated() {
    let (out, err) = succeed(&["--players", "1000", "--top", "1"]);
    assert_eq!(err, "", "the progress bar is for terminals");
    let (_, players) = out.split_once("A leaderboard of 1,000 simulated players\n\n").unwrap();
    let lines: Vec<_> = players.lines().map(str::trim).collect();
    assert!(lines[0].starts_with("insert ") && lines[0].contains(" per second  ("), "{out}");
    assert!(lines[1].starts_with("update ") && lines[1].contains(" per second  ("), "{out}");
    assert!(lines[2].starts_with("memory ") && lines[2].ends_with(" bytes per entry"), "{out}");

    let top = rows(players);
    assert_eq!(top.len(), 10);
    let number = |row: &str, word| -> u64 {
        row.split(' ').nth(word).unwrap().replace(',', "").parse().unwrap()
    };
    assert!(top.is_sorted_by(|a, b| number(a, 0) <= number(b, 0) && number(a, 2) >= number(b, 2)));
    // The generator is seeded, so the game is the same every time.
    let (again, _) = succeed(&["--players", "1000", "--top", "1"]);
    assert_eq!(rows(again.split_once("simulated players").unwrap().1), top);

    let (out, _) = succeed(&["--players", "1"]);
    assert!(out.contains("A leaderboard of 1 simulated players"), "{out}");
    let (out, _) = succeed(&["--players", "0"]);
    assert!(!out.contains("simulated"), "{out}");
}

#[test]
fn help_names_every_option() {
    let (out, _) = succeed(&["--help"]);
    for option in ["--team", "--from", "--to", "--csv", "--member", "--score", "--top", "--players"]
    {
        assert!(out.contains(&format!("\n  {option} ")), "{option}");
    }
    assert!(out.lines().all(|line| line.len() <= 80));
}

/// Like `| head`: the reader closes the pipe early.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child = medals()
        .args(["--players", "1000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(texts(&output).1, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = medals().args(["--players", "0"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(texts(&output).1.starts_with("medals: "));
}
