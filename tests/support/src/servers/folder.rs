//! [`Folder`]: a temporary folder.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A temporary folder, which is removed when its last clone is dropped.
#[derive(Clone)]
pub struct Folder(Arc<Removed>);

struct Removed(PathBuf);

impl Folder {
    #[expect(clippy::new_without_default, reason = "a default has no effects")]
    pub fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // The name is short, since the path of a socket is limited to about 100 bytes.
        let path = env::temp_dir().join(format!("zset-{}-{number}", std::process::id()));
        // An earlier process with the same id may have left this folder.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("the temporary folder is writable");
        Folder(Arc::new(Removed(path)))
    }

    pub fn path(&self) -> &Path {
        &self.0.0
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Returns the path of a file as a string.
    pub fn file(&self, name: &str) -> String {
        self.join(name).into_os_string().into_string().expect("temporary folders have UTF-8 names")
    }

    pub fn socket(&self) -> PathBuf {
        self.join("socket")
    }

    pub fn log(&self) -> PathBuf {
        self.join("log")
    }
}

impl Drop for Removed {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
