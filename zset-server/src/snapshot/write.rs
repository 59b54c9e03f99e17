//! Writing keys to a file.

use std::io::{self, Write};

use crc::{Digest, Table};
use zset_core::rdb::{write_length, write_string};

use super::{CHECKSUM, PIECE, WRITER, opcode, value};
use crate::keyspace::Keyspace;

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
    let seconds = keyspace.now().as_nanos() / 1_000_000_000;
    for (name, text) in [
        (WRITER, env!("CARGO_PKG_VERSION").as_bytes().to_vec()),
        (b"ctime", seconds.to_string().into()),
    ] {
        out.push(opcode::AUXILIARY);
        write_string(name, &mut out);
        write_string(&text, &mut out);
    }
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
