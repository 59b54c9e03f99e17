//! The page of a report, opened by a browser: every picture shows something, on a phone as well, in the
//! light and in the dark.
//!
//! Where there is no `chromium` the test says so and passes; with `ZSET_REQUIRE_CHROMIUM=1` it fails.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the browser is told to find out, once all is there. A picture is empty if nothing that stands for
/// a figure has a size.
const QUESTIONS: &str = r#"
<script>
addEventListener("load", () => {
  const size = (shape) => { const box = shape.getBBox(); return box.width + box.height; };
  const pictures = [...document.querySelectorAll("svg")];
  const empty = pictures.filter((svg) =>
    ![...svg.querySelectorAll(".line, rect")].some((shape) => size(shape) > 1));
  const wide = document.documentElement.scrollWidth > innerWidth;
  document.body.dataset.answers =
    `${pictures.length} pictures, ${empty.length} empty, ${wide ? "too wide" : "fits"}, `
    + `${document.querySelectorAll("table").length} tables, `
    + getComputedStyle(document.body).backgroundColor;
});
</script>
"#;

/// A folder under the target folder, which a person may look into afterwards.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("page")
}

/// Opens a page; returns what it answers, and takes a picture of it.
fn open(page: &Path, screenshot: &Path, more: &[&str]) -> Option<String> {
    let profile = folder().join("profile");
    let _ = fs::remove_dir_all(&profile);
    let chromium = env::var_os("CHROMIUM").unwrap_or_else(|| "chromium".into());
    let run = |action: &str| {
        Command::new(&chromium)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update"])
            .args(["--disable-sync", "--hide-scrollbars", "--virtual-time-budget=5000"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .args(more)
            .arg(action)
            .arg(format!("file://{}", page.display()))
            .output()
    };
    let output = match run("--dump-dom") {
        Ok(output) => output,
        Err(error) => {
            assert!(
                env::var_os("ZSET_REQUIRE_CHROMIUM").is_none(),
                "there is no chromium: {error}"
            );
            eprintln!("SKIPPED: there is no chromium: {error}");
            return None;
        }
    };
    let taken = run(&format!("--screenshot={}", screenshot.display())).expect("it has run before");
    assert!(taken.status.success() && fs::metadata(screenshot).is_ok_and(|file| file.len() > 1000));
    let dom = String::from_utf8_lossy(&output.stdout);
    let (_, answers) = dom.split_once("data-answers=\"").expect("the page answers");
    Some(answers.split('"').next().unwrap_or_default().to_owned())
}

#[test]
fn every_picture_of_a_report_shows_something() {
    let folder = folder();
    let _ = fs::remove_dir_all(&folder);
    let status = Command::new(env!("CARGO_BIN_EXE_zset-bench"))
        .args(["report", "--n", "100,300", "--rounds", "1", "--tail", "100", "--out"])
        .arg(&folder)
        .stdout(std::process::Stdio::null())
        .status()
        .expect("it runs");
    assert!(status.success());
    let page = fs::read_to_string(folder.join("index.html")).expect("there is a page");
    assert!(!page.contains("http"), "nothing comes from elsewhere");
    let asked = folder.join("asked.html");
    fs::write(&asked, page.replace("</body>", &format!("{QUESTIONS}</body>"))).expect("a file");

    // Three kinds of members: 21 operations and the memory of two sizes, each. A table for each size,
    // and one of single calls.
    let expected = "69 pictures, 0 empty, fits, 7 tables";
    for (name, more, background) in [
        ("light", &["--window-size=1200,2000"][..], "rgb(255, 255, 255)"),
        ("phone", &["--window-size=500,2000"][..], "rgb(255, 255, 255)"),
        ("dark", &["--blink-settings=preferredColorScheme=0"][..], "rgb(13, 17, 23)"),
    ] {
        let Some(answers) = open(&asked, &folder.join(format!("{name}.png")), more) else { return };
        assert_eq!(answers, format!("{expected}, {background}"), "{name}");
    }
}
