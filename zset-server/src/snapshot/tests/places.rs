//! Tests with folders, links, locks and full disks.

use super::*;
use crate::Engine;

/// A temporary folder, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("zset-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Folder(path)
    }

    /// Returns the names of the files except the lock.
    fn names(&self) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let names = fs::read_dir(&self.0).unwrap().map(name);
        let names = names.map(|name| name.into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| *name != "dump.rdb.lock").collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Replaces a file and releases its path.
fn replace(path: &Path, bytes: &[u8]) {
    Place::take(path).unwrap().replace(|file| file.write_all(bytes)).unwrap();
}

#[test]
#[cfg_attr(miri, ignore = "it works with files")]
fn a_file_that_cannot_be_written_leaves_the_old_one() {
    let folder = Folder::new("replace");
    let path = folder.0.join("dump.rdb");
    let place = Place::take(&path).unwrap();
    assert!(place.open().unwrap().is_none());
    place.replace(|file| file.write_all(b"old")).unwrap();
    let failed = place.replace(|file| {
        file.write_all(b"half of the ne")?;
        Err(io::ErrorKind::StorageFull.into())
    });
    assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(folder.names(), ["dump.rdb"]);
}

#[test]
#[cfg_attr(miri, ignore = "it works with files")]
fn what_a_server_that_was_killed_has_left_goes_and_nothing_else_does() {
    let folder = Folder::new("left");
    for name in ["1-00ff", "1-00ff.2-00ff", "mine"] {
        fs::write(folder.0.join(format!("dump.rdb.{name}.unfinished")), "left").unwrap();
    }
    replace(&folder.0.join("dump.rdb"), b"new");
    let left = ["dump.rdb", "dump.rdb.1-00ff.2-00ff.unfinished", "dump.rdb.mine.unfinished"];
    assert_eq!(folder.names(), left);
}

#[test]
#[cfg_attr(miri, ignore = "it works with files")]
fn a_place_where_no_file_can_be_made_is_refused_at_once() {
    let folder = Folder::new("nowhere");
    let too_long = "x".repeat(245);
    for path in [&folder.0, &folder.0.join("no/where"), &folder.0.join(too_long), Path::new("/")] {
        assert!(matches!(Place::take(path), Err(SnapshotProblem::Io(_))), "{}", path.display());
    }
}

#[test]
#[cfg_attr(miri, ignore = "it works with files")]
fn only_what_has_changed_since_is_saved_again() {
    let folder = Folder::new("changes");
    let mut engine = Engine::new();
    engine.open_snapshot(&folder.0.join("dump.rdb")).unwrap();
    let mut client = engine.client();
    engine.save().unwrap();
    for (line, saved) in [("GET a", 1), ("SET a b", 2), ("FLUSHALL", 3), ("GET a", 3)] {
        ask(&mut engine, &mut client, line);
        engine.save_changes().unwrap();
        assert_eq!(engine.state.snapshots.saved(), saved, "{line}");
    }
}

#[test]
#[cfg(unix)]
#[cfg_attr(miri, ignore = "it works with files")]
fn a_file_is_for_one_server_at_a_time_whatever_link_leads_to_it() {
    let folder = Folder::new("two");
    let (path, link) = (folder.0.join("dump.rdb"), folder.0.join("link"));
    std::os::unix::fs::symlink("dump.rdb", &link).unwrap();
    let mut engine = Engine::new();
    engine.open_snapshot(&path).unwrap();
    for path in [&path, &link] {
        let error = Engine::new().open_snapshot(path).unwrap_err();
        let text = format!("snapshot {}: another server uses it", path.display());
        assert_eq!(error.to_string(), text);
    }
    Engine::new().open_snapshot(&folder.0.join("dump")).unwrap();
    engine.save().unwrap();
    drop(engine);
    Engine::new().open_snapshot(&link).unwrap();
}

#[test]
#[cfg(unix)]
#[cfg_attr(miri, ignore = "it works with files")]
fn what_links_lead_to_is_replaced_also_if_nothing_was_there() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new("links");
    fs::create_dir(folder.0.join("data")).unwrap();
    let link = folder.0.join("first");
    symlink("second", &link).unwrap();
    symlink("data/dump.rdb", folder.0.join("second")).unwrap();
    for bytes in [b"new", b"two"] {
        replace(&link, bytes);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(folder.0.join("data/dump.rdb")).unwrap(), bytes);
    }
    symlink("round", folder.0.join("round")).unwrap();
    assert!(Place::take(&folder.0.join("round")).is_err());
}

#[test]
#[cfg(unix)]
#[cfg_attr(miri, ignore = "it works with files")]
fn a_new_file_is_for_its_owner_alone_and_one_that_replaces_another_is_for_the_same_people() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};

    let folder = Folder::new("permissions");
    let path = folder.0.join("dump.rdb");
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    replace(&path, b"old");
    assert_eq!(mode(), 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    replace(&path, b"new");
    assert_eq!(mode(), 0o640);
    assert_eq!(fs::read(&path).unwrap(), b"new");
    // Only root can change the owner of a file.
    if chown(&path, Some(65_534), Some(65_533)).is_ok() {
        replace(&path, b"of another");
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!((metadata.uid(), metadata.gid(), mode()), (65_534, 65_533, 0o640));
    }
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(miri, ignore = "it works with files")]
fn a_full_disk_is_an_error_and_a_device_is_no_snapshot() {
    let mut full = File::options().write(true).open("/dev/full").unwrap();
    let error = write::write(&small(), &mut full).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    for path in ["/dev/full", "/dev/zero"] {
        assert!(Place::take(Path::new(path)).is_err());
        assert!(!Path::new(&format!("{path}.lock")).exists());
    }
}
