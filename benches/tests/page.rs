//! Opens a report's page in a browser, and tests that every picture shows something and that the
//! page fits on wide and narrow screens, in light and dark mode.
//!
//! Without `chromium`, the test prints a note and passes, or fails if `ZSET_REQUIRE_CHROMIUM` is
//! set. The variable `CHROMIUM` selects another program.

#![cfg(unix)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// The script that the browser runs once the page has loaded. A picture is empty if no element that
/// stands for a value has a size. Labels overlap if their boxes do.
const QUESTIONS: &str = r#"
<script>
addEventListener("load", () => {
  const size = (shape) => { const box = shape.getBBox(); return box.width + box.height; };
  const pictures = [...document.querySelectorAll("svg[role=img]")];
  const empty = pictures.filter((svg) =>
    ![...svg.querySelectorAll("polyline, circle")].some((shape) => size(shape) > 1));
  const overlap = pictures.filter((svg) => {
    const boxes = [...svg.querySelectorAll("text")].map((text) => text.getBBox());
    return boxes.some((a, place) => boxes.slice(place + 1).some((b) =>
      a.x < b.x + b.width && b.x < a.x + a.width && a.y + 2 < b.y + b.height && b.y + 2 < a.y + a.height));
  });
  const wide = document.documentElement.scrollWidth > innerWidth;
  parent.document.body.dataset.answers =
    `${innerWidth} wide, ${wide ? "too narrow" : "fits"}, ${pictures.length} pictures, `
    + `${empty.length} empty, ${overlap.length} with labels that overlap, `
    + `${document.querySelectorAll("table").length} tables, `
    + getComputedStyle(document.body).backgroundColor;
});
</script>
"#;

/// Returns a folder under the target folder, kept for inspection.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("page")
}

fn chromium() -> OsString {
    env::var_os("CHROMIUM").unwrap_or_else(|| "chromium".into())
}

/// Opens a page; returns the browser's output.
fn open(page: &Path, action: &str, more: &[&str]) -> String {
    let profile = folder().join("profile");
    let output = Command::new(chromium())
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update"])
        .args(["--disable-sync", "--hide-scrollbars", "--virtual-time-budget=5000"])
        .args(["--window-size=1300,2400", action])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(more)
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("it has started before");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Puts a page into a frame, since a browser window cannot be as narrow as a phone.
fn framed(page: &str, width: u32) -> String {
    let page = page.replace("</body>", &format!("{QUESTIONS}</body>"));
    let page = page.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<!doctype html><meta charset=\"utf-8\"><style>:root {{ color-scheme: light dark }} \
         body {{ margin: 0 }}</style><body>\
         <iframe style=\"border: 0; width: {width}px; height: 2400px\" srcdoc=\"{page}\"></iframe>"
    )
}

#[test]
fn every_picture_of_a_report_shows_something() {
    if let Err(error) = Command::new(chromium()).arg("--version").stdout(Stdio::null()).status() {
        assert!(env::var_os("ZSET_REQUIRE_CHROMIUM").is_none(), "there is no chromium: {error}");
        eprintln!("SKIPPED: there is no chromium: {error}");
        return;
    }
    let folder = folder();
    let _ = fs::remove_dir_all(&folder);
    let status = Command::new(env!("CARGO_BIN_EXE_zset-bench"))
        .args(["report", "--quick", "--n", "100,1000", "--members", "strings", "--rounds", "2"])
        .args(["--tail", "1000", "--updates", "1000", "--out"])
        .arg(&folder)
        .stdout(Stdio::null())
        .status()
        .expect("it starts");
    assert!(status.success());
    let page = fs::read_to_string(folder.join("index.html")).expect("there is a page");

    // There is a picture for each of 21 operations, four values of memory, and two kinds of calls.
    // There is a table for each of two sizes, and one for single calls.
    let pictures = "fits, 27 pictures, 0 empty, 0 with labels that overlap, 3 tables";
    for (name, width, more, background) in [
        ("light", 1200, &[][..], "rgb(255, 255, 255)"),
        ("phone", 390, &[], "rgb(255, 255, 255)"),
        ("dark", 1200, &["--blink-settings=preferredColorScheme=0"], "rgb(13, 17, 23)"),
        ("dark-phone", 390, &["--blink-settings=preferredColorScheme=0"], "rgb(13, 17, 23)"),
    ] {
        let frame = folder.join(format!("{name}.html"));
        fs::write(&frame, framed(&page, width)).expect("the folder is there");
        let dom = open(&frame, "--dump-dom", more);
        let (_, answers) = dom.split_once("data-answers=\"").expect("the page answers");
        let answers = answers.split('"').next().unwrap_or_default();
        assert_eq!(answers, format!("{width} wide, {pictures}, {background}"), "{name}");

        let screenshot = folder.join(format!("{name}.png"));
        open(&frame, &format!("--screenshot={}", screenshot.display()), more);
        assert!(fs::metadata(screenshot).is_ok_and(|file| file.len() > 10_000), "{name}");
    }
}
