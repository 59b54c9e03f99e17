//! A file that is replaced atomically, and by a single process only.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::SnapshotProblem;

/// The suffix of an incomplete file.
const UNFINISHED: &str = ".unfinished";

/// The suffix of the lock file. It is never removed: otherwise two processes could lock two files of that
/// name.
#[cfg(unix)]
const LOCK: &str = ".lock";

/// The maximum number of symbolic links to follow, the same as in Linux.
const MAX_LINKS: usize = 40;

/// A path that no other process replaces while this exists.
#[derive(Debug)]
pub(super) struct Place {
    /// The path after following links: the target is replaced, not the links.
    path: PathBuf,
    #[cfg(unix)]
    _lock: File,
}

impl Place {
    /// Reserves a path for this process, and checks that files can be created there. Removes incomplete
    /// files left by a killed server.
    pub(super) fn take(path: &Path) -> Result<Place, SnapshotProblem> {
        let path = target(path)?;
        if regular(&path)?.is_none() && path.file_name().is_none() {
            return Err(not_a_file().into());
        }
        #[cfg(unix)]
        let place = Place { _lock: lock(&path)?, path };
        #[cfg(not(unix))]
        let place = Place { path };
        place.remove_unfinished();
        let (unfinished, _) = place.create()?;
        fs::remove_file(unfinished)?;
        Ok(place)
    }

    /// Opens the file, if it exists.
    pub(super) fn open(&self) -> io::Result<Option<File>> {
        // Opening anything other than a regular file could block forever.
        if regular(&self.path)?.is_none() {
            return Ok(None);
        }
        File::open(&self.path).map(Some)
    }

    /// Replaces the contents of the file with what `write` writes. Even after a crash of the machine, the
    /// path leads either to the complete old file or to the complete new one.
    pub(super) fn replace(
        &self,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let old = regular(&self.path)?;
        let (unfinished, mut file) = self.create()?;
        let result = (|| {
            if let Some(old) = old {
                hand_over(&file, &old)?;
            }
            write(&mut file)?;
            file.sync_all()?;
            drop(file);
            fs::rename(&unfinished, &self.path)
        })();
        if result.is_err() {
            // If this fails, the next start removes the file.
            let _ = fs::remove_file(&unfinished);
        }
        result?;
        sync_folder(&self.path)
    }

    /// Creates a file with a unique name, readable only by its owner, in the same folder, so that it can
    /// be renamed to the path.
    fn create(&self) -> io::Result<(PathBuf, File)> {
        let id = format!(".{}-{:016x}{UNFINISHED}", std::process::id(), rand::random::<u64>());
        let path = with_suffix(&self.path, &id);
        let file = private().create_new(true).open(&path).map_err(|error| named(&path, &error))?;
        Ok((path, file))
    }

    /// Removes files created by [`create`](Self::create), ignoring failures.
    fn remove_unfinished(&self) {
        let Ok(entries) = fs::read_dir(folder(&self.path)) else { return };
        for entry in entries.flatten() {
            if self.is_unfinished(&entry.file_name()) {
                let path = entry.path();
                let removed = fs::remove_file(&path).is_ok();
                tracing::info!(path = %path.display(), removed, "not finished by another server");
            }
        }
    }

    fn is_unfinished(&self, name: &OsStr) -> bool {
        let own = self.path.file_name().unwrap_or_default().as_encoded_bytes();
        let id = name.as_encoded_bytes().strip_prefix(own);
        let id = id.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(UNFINISHED.as_bytes()));
        // Not those of another file whose name merely starts the same.
        id.is_some_and(|id| id.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-'))
    }
}

/// Returns the target of a path, which need not exist.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = folder(&target).join(next),
            // The path is not a link, or does not exist.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::InvalidInput | io::ErrorKind::NotFound
                ) =>
            {
                return Ok(target);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there are too many links"))
}

/// Returns the metadata of a file, if it exists; an error if it is not a regular file.
fn regular(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Ok(metadata) if !metadata.is_file() => Err(not_a_file()),
        metadata => metadata.map(Some),
    }
}

/// Returns the error for a path that is not a regular file.
fn not_a_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

/// Returns an error that names its file.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot make {}: {error}", path.display()))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Returns the options for a file that only its owner may read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Locks a path until the returned file is dropped or the process ends.
#[cfg(unix)]
fn lock(path: &Path) -> Result<File, SnapshotProblem> {
    use rustix::fs::{FlockOperation, flock};
    use rustix::io::retry_on_intr;

    let path = with_suffix(path, LOCK);
    let file = private().create(true).truncate(false).open(&path);
    let file = file.map_err(|error| named(&path, &error))?;
    match retry_on_intr(|| flock(&file, FlockOperation::NonBlockingLockExclusive)) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(SnapshotProblem::InUse),
        Err(error) => Err(io::Error::from(error).into()),
    }
}

/// Gives a new file the owner, group and permissions of the old one, as far as the process may.
fn hand_over(file: &File, old: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        // Only root may change the owner, and saving matters more.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    file.set_permissions(old.permissions())
}

/// Makes the operating system persist a renamed file's directory entry.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}

/// No-op: folders cannot be opened on this operating system.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "on Unix it may fail")]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
