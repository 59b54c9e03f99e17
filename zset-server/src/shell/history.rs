//! The file that stores typed lines, the most recent last.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Returns the path named by the variable `ZSET_HISTORY`, or else one in the user's folder; `None` if the
/// variable is empty.
pub(super) fn path() -> Option<PathBuf> {
    match env::var_os("ZSET_HISTORY") {
        Some(path) => Some(PathBuf::from(path)).filter(|path| !path.as_os_str().is_empty()),
        None => env::home_dir().map(|home| home.join(".zset_history")),
    }
}

/// Returns the stored lines.
pub(super) fn lines(path: &Path) -> Vec<String> {
    let text = fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
}

/// Appends a line immediately, so that it is stored however the shell ends.
pub(super) fn append(path: &Path, line: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    // The history is private.
    options.append(true).create(true).mode(0o600);
    // A single write, since other shells may append too.
    options.open(path)?.write_all(format!("{line}\n").as_bytes())
}

/// Returns whether a line may contain a password, and must not be stored.
pub(super) fn is_secret(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    line.contains("auth") || line.contains("requirepass")
}
