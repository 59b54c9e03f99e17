//! The sources of a server's password.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;

use zset_server::RequestLimits;

/// The environment variable that can hold the password.
pub(crate) const VARIABLE: &str = "ZSET_REQUIREPASS";

/// The maximum length of a password that a client can send, in bytes.
const MAX_LEN: usize = RequestLimits::UNAUTHENTICATED.max_argument_len;

/// The places where a password was given.
#[derive(Default)]
pub(super) struct Sources {
    /// The text of `--requirepass`.
    pub(super) argument: Option<String>,
    /// The path of `--requirepass-file`.
    pub(super) file: Option<PathBuf>,
    /// The value of [`VARIABLE`].
    pub(super) variable: Option<OsString>,
}

impl Sources {
    /// Returns the password, which is empty if none was given.
    pub(super) fn password(self) -> Result<String, String> {
        match self {
            Sources { argument: None, file: None, variable: None } => Ok(String::new()),
            Sources { argument: Some(password), file: None, variable: None } => {
                check(password).map_err(|why| format!("--requirepass: {why}"))
            }
            Sources { argument: None, file: Some(path), variable: None } => {
                read(&path).map_err(|why| format!("--requirepass-file {}: {why}", path.display()))
            }
            Sources { argument: None, file: None, variable: Some(value) } => {
                let password = value.into_string().map_err(|_| "it is not UTF-8".to_owned());
                let password = password.and_then(check);
                password.map_err(|why| format!("the variable {VARIABLE}: {why}"))
            }
            _ => Err(format!(
                "the password is given more than once: take one of --requirepass, \
                 --requirepass-file and the variable {VARIABLE}"
            )),
        }
    }
}

/// Reads a password from the first line of a file. For a pipe, the writer need not close it after the
/// line.
fn read(path: &PathBuf) -> Result<String, String> {
    // The longest line with its line end, plus one byte to detect a longer line.
    let most = MAX_LEN as u64 + 3;
    let mut text = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut file = BufReader::new(file.take(most));
    file.read_until(b'\n', &mut text).map_err(|error| error.to_string())?;
    let text = String::from_utf8(text).map_err(|_| "it is not UTF-8".to_owned())?;
    let line =
        text.strip_suffix('\n').map_or(&*text, |line| line.strip_suffix('\r').unwrap_or(line));
    check(line.to_owned())
}

fn check(password: String) -> Result<String, String> {
    if password.is_empty() {
        Err("it is empty".to_owned())
    } else if password.contains(['\r', '\n']) {
        Err("it has more than one line".to_owned())
    } else if password.contains('\0') {
        Err("it has a NUL byte".to_owned())
    } else if password.starts_with('\u{feff}') {
        Err("it begins with a byte order mark".to_owned())
    } else if password.len() > MAX_LEN {
        Err(format!("it has more than {MAX_LEN} bytes, so no client can send it"))
    } else {
        Ok(password)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::{env, fs};

    use super::*;

    fn of_file(text: &[u8]) -> Result<String, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("zset-password-{}-{number}", std::process::id());
        let path = env::temp_dir().join(name);
        fs::write(&path, text).unwrap();
        let password = Sources { file: Some(path.clone()), ..Sources::default() }.password();
        fs::remove_file(&path).unwrap();
        password.map_err(|error| error.replace(path.to_str().unwrap(), "FILE"))
    }

    fn of_variable(value: impl Into<OsString>) -> Result<String, String> {
        Sources { variable: Some(value.into()), ..Sources::default() }.password()
    }

    #[test]
    fn the_end_of_a_line_is_no_part_of_a_password() {
        for text in ["open sesame", "open sesame\n", "open sesame\r\n"] {
            assert_eq!(of_file(text.as_bytes()).unwrap(), "open sesame");
        }
        assert_eq!(of_file(b" a \n").unwrap(), " a ");
        assert_eq!(of_file(b"a\nb\n\xff").unwrap(), "a");
        assert_eq!(of_variable(" a ").unwrap(), " a ");
    }

    #[test]
    fn what_is_no_password_is_an_error() {
        let long = "x".repeat(MAX_LEN + 1);
        for (text, why) in [
            (&b""[..], "it is empty"),
            (b"\n", "it is empty"),
            (b"\na\n", "it is empty"),
            (b"a\rb\n", "it has more than one line"),
            (b"a\0", "it has a NUL byte"),
            (b"\xef\xbb\xbfa\n", "it begins with a byte order mark"),
            (b"\xff", "it is not UTF-8"),
            (long.as_bytes(), "it has more than 16384 bytes, so no client can send it"),
        ] {
            assert_eq!(of_file(text), Err(format!("--requirepass-file FILE: {why}")));
        }
        assert_eq!(of_file(&long.as_bytes()[1..]).unwrap(), &long[1..]);
        let error = of_variable("").unwrap_err();
        assert_eq!(error, "the variable ZSET_REQUIREPASS: it is empty");
        assert!(of_variable("a\nb").unwrap_err().ends_with("it has more than one line"));
    }

    #[test]
    fn a_password_of_the_command_line_is_checked_as_any_other() {
        let of_argument = |text: &str| {
            Sources { argument: Some(text.to_owned()), ..Sources::default() }.password()
        };
        assert_eq!(of_argument("open sesame").unwrap(), "open sesame");
        for (text, why) in [
            ("", "it is empty"),
            ("a\nb", "it has more than one line"),
            (&"x".repeat(MAX_LEN + 1), "it has more than 16384 bytes, so no client can send it"),
        ] {
            assert_eq!(of_argument(text), Err(format!("--requirepass: {why}")));
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        for path in ["/nosuch/password", "/"] {
            let sources = Sources { file: Some(path.into()), ..Sources::default() };
            let error = sources.password().unwrap_err();
            assert!(error.starts_with(&format!("--requirepass-file {path}: ")), "{error}");
        }
    }

    #[test]
    fn a_password_has_one_source() {
        assert_eq!(Sources::default().password().unwrap(), "");
        let (argument, file) = (Some("a".to_owned()), Some("/nosuch".into()));
        let variable = Some(OsString::from("b"));
        for sources in [
            Sources { argument: argument.clone(), file: file.clone(), variable: None },
            Sources { argument: argument.clone(), file: None, variable: variable.clone() },
            Sources { argument: None, file, variable },
        ] {
            assert!(sources.password().unwrap_err().contains("more than once"));
        }
    }
}
