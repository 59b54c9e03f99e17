//! Where the lines are kept that were typed.

use std::env;
use std::fs;
use std::path::PathBuf;

use etcetera::{BaseStrategy as _, choose_base_strategy};

/// Returns the file for the history, whose folder is there then; none if there is no place for one.
///
/// It is that of the variable `ZSET_HISTORY`, or one in the folder that the system has for the state
/// of programs. An empty variable stands for no history.
pub(super) fn history_file() -> Option<PathBuf> {
    if let Some(path) = env::var_os("ZSET_HISTORY") {
        return Some(PathBuf::from(path)).filter(|path| !path.as_os_str().is_empty());
    }
    let places = choose_base_strategy().ok()?;
    let folder = places.state_dir().unwrap_or_else(|| places.data_dir()).join("zset");
    fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}
