//! A file that is replaced as a whole, or not at all.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// What the name of a file ends in that is not whole yet.
const UNFINISHED: &str = "unfinished";

/// Opens a file, if it is there.
pub(super) fn open(path: &Path) -> io::Result<Option<File>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    if file.metadata()?.is_file() { Ok(Some(file)) } else { Err(super::not_a_file()) }
}

/// Replaces a file by what `write` writes. Whatever happens, even to the machine, the path leads to the
/// old one or to the new one, as a whole.
pub(super) fn replace(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    // What a link leads to is replaced, not the link.
    let path = match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        path => path?,
    };
    let old = match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        metadata => Some(metadata?),
    };
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return Err(super::not_a_file());
    }
    let unfinished = unfinished(&path);
    let result = (|| {
        let mut file = create(&unfinished)?;
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        write(&mut file)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&unfinished, &path)?;
        sync_folder(&path)
    })();
    if result.is_err() {
        // There is nothing to do about it if it stays: the next one takes its place.
        let _ = fs::remove_file(&unfinished);
    }
    result
}

/// Returns where the new file is until it is whole: in the same folder, since it is moved from there.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(UNFINISHED);
    name.into()
}

/// Makes a file that only its owner may read; one that a server left that was killed goes.
fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Has the system write down which file has the name.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Does nothing: folders cannot be opened there.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "on Unix it may fail")]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
