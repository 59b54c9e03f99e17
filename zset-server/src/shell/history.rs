//! [`HistoryFile`]: the file that stores typed lines.

mod secret;

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy as _, choose_base_strategy};

pub(super) use secret::is_secret;

/// The maximum number of stored lines.
pub(super) const MAX_LINES: usize = 1000;

/// A file of lines, the most recent last. Without a path, nothing is stored.
pub(super) struct HistoryFile {
    path: Option<PathBuf>,
}

impl HistoryFile {
    /// Returns the file named by the variable `ZSET_HISTORY`, or else one in the user's folder for
    /// program state. An empty variable means no file.
    pub(super) fn find() -> HistoryFile {
        let path = match env::var_os("ZSET_HISTORY") {
            Some(path) => Some(PathBuf::from(path)).filter(|path| !path.as_os_str().is_empty()),
            None => choose_base_strategy().ok().map(|places| {
                let folder = places.state_dir().unwrap_or_else(|| places.data_dir());
                folder.join("zset").join("history")
            }),
        };
        HistoryFile { path }
    }

    /// Returns the stored lines. If the file has grown far beyond the maximum, older lines are removed
    /// from it.
    pub(super) fn lines(&self) -> Vec<String> {
        let Some(path) = &self.path else { return Vec::new() };
        let text = fs::read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        let surplus = lines.len().saturating_sub(MAX_LINES);
        lines.drain(..surplus);
        if surplus > MAX_LINES {
            // Failure is harmless: a long file works too.
            let _ = fs::write(path, lines.join("\n") + "\n");
        }
        lines
    }

    /// Appends a line immediately, so that it is stored however the shell ends.
    pub(super) fn append(&self, line: &str) {
        if let Some(path) = &self.path {
            // Failing to store history is not worth an error.
            let _ = append(path, line);
        }
    }
}

fn append(path: &Path, line: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    // The history is private.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // A single write, since other shells may append too.
    options.open(path)?.write_all(format!("{line}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_lines_are_remembered() {
        let folder = env::temp_dir().join(format!("zset-history-{}", std::process::id()));
        let history = HistoryFile { path: Some(folder.join("deep").join("history")) };
        assert!(history.lines().is_empty());
        for number in 0..=2 * MAX_LINES {
            history.append(&format!("line {number}"));
        }
        let lines = history.lines();
        assert_eq!(lines.len(), MAX_LINES);
        assert_eq!(lines.last(), Some(&format!("line {}", 2 * MAX_LINES)));
        // Older lines have been removed from the file.
        let text = fs::read_to_string(folder.join("deep").join("history")).unwrap();
        assert_eq!(text.lines().count(), MAX_LINES);
        assert_eq!(history.lines(), lines);
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    fn without_a_file_nothing_is_kept() {
        let history = HistoryFile { path: None };
        history.append("line");
        assert!(history.lines().is_empty());
    }
}
