//! Expected outputs in files. `ZSET_UPDATE_GOLDEN=1` rewrites the files.

use std::env;
use std::fs;
use std::path::Path;

/// Compares a string with a file.
pub(crate) fn assert_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shell/golden").join(name);
    if env::var_os("ZSET_UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).expect("the folder is writable");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{name} differs:\n{text}\n--- expected\n{expected}");
}
