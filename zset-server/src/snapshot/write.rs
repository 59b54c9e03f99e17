//! Writing keys to a file, which replaces the old one once it is complete.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crc::{Digest, Table};
use zset_core::rdb::{write_length, write_string};

use super::{CHECKSUM, PIECE, opcode, value};
use crate::keyspace::Keyspace;

/// Checks that a file can be created beside a path. Removes an incomplete file left by a killed server.
pub(super) fn check_writable(path: &Path) -> io::Result<()> {
    let (unfinished, _) = create(path)?;
    fs::remove_file(unfinished)
}

/// Replaces a file by one with these keys.
pub(super) fn replace(path: &Path, keyspace: &Keyspace) -> io::Result<()> {
    let (unfinished, mut file) = create(path)?;
    let written = write(keyspace, &mut file).and_then(|()| file.sync_all());
    let replaced = written.and_then(|()| fs::rename(&unfinished, path));
    if replaced.is_err() {
        // If this fails, the next save or start removes the file.
        let _ = fs::remove_file(&unfinished);
    }
    replaced?;
    sync_folder(path)
}

/// Creates a file in the same folder as a path, so that it can be renamed to the path. Only its owner may
/// read it.
fn create(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut unfinished = OsString::from(path);
    unfinished.push(".unfinished");
    let _ = fs::remove_file(&unfinished);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let file = options.open(&unfinished)?;
    Ok((unfinished.into(), file))
}

/// Makes the operating system persist a renamed file's directory entry.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Writes to a file in pieces and computes the checksum.
struct Sink<'a, W> {
    file: &'a mut W,
    digest: Digest<'static, u64, Table<16>>,
}

impl<W: Write> Sink<'_, W> {
    fn write(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        self.digest.update(out);
        self.file.write_all(out)?;
        out.clear();
        Ok(())
    }

    /// Writes the buffer to the file if it is large enough.
    fn spill(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        if out.len() < PIECE { Ok(()) } else { self.write(out) }
    }
}

/// Writes all keys piece by piece, so that only one piece is held in memory a second time.
pub(super) fn write(keyspace: &Keyspace, file: &mut impl Write) -> io::Result<()> {
    let mut sink = Sink { file, digest: CHECKSUM.digest() };
    let mut out = b"REDIS0010".to_vec();
    out.extend([opcode::DATABASE, 0, opcode::SIZES]);
    write_length(keyspace.len(), &mut out);
    write_length(keyspace.expiring_len(), &mut out);
    for (key, value) in keyspace.iter() {
        if let Some(deadline) = keyspace.deadline(key).flatten() {
            out.push(opcode::DEADLINE_MILLIS);
            // Rounded up: the largest timestamp is not a whole number of milliseconds.
            out.extend(deadline.as_nanos().div_ceil(1_000_000).to_le_bytes());
        }
        out.push(value::type_of(value));
        write_string(key, &mut out);
        value::write(value, &mut out, |out| sink.spill(out))?;
        sink.spill(&mut out)?;
    }
    out.push(opcode::END);
    sink.write(&mut out)?;
    sink.file.write_all(&sink.digest.finalize().to_le_bytes())
}
