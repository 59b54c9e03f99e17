//! The names of keys on the server: `name:{key}:suffix`.
//!
//! The part in braces is the hash tag, so all keys of a decision are in one slot of a cluster. In
//! the name and in the caller's key, `%`, `{` and `}` are escaped as `%25`, `%7B` and `%7D`. An
//! empty key is written as a single `%`, since servers ignore an empty tag. So different names or
//! keys, of any bytes, never share a key on the server.
//!
//! With a secret, the name is `name:{hash}:hashed:suffix`. The hash is the 128-bit SipHash-2-4 of
//! the length of the name in 8 little-endian bytes, the name, and the key. It is written as 32
//! hexadecimal digits. No suffix begins with `hashed:`, so an unhashed key that looks like a hash
//! still has a different name.

use std::fmt;
use std::sync::Arc;

use siphasher::sip128::SipHasher24;

/// Creates the names on the server for a limiter, a board or a queue.
#[derive(Clone)]
pub(crate) struct Names {
    /// The part before the hash tag.
    name: Arc<[u8]>,
    /// The key for `SipHash`, or `None` if keys are not hashed.
    secret: Option<[u8; 16]>,
}

impl Names {
    pub(crate) fn new(name: &str) -> Names {
        Names { name: name.as_bytes().into(), secret: None }
    }

    /// Hashes keys with a secret of any length.
    pub(crate) fn hash_keys(&mut self, secret: &[u8]) {
        // SipHash needs a key of 16 bytes, so the secret is first hashed to 16 bytes. The key of
        // that first hash is public: it only separates this use of the secret from other uses.
        self.secret = Some(SipHasher24::new_with_key(b"zset-redis: keys").hash(secret).as_bytes());
    }

    /// Returns the name on the server for the caller's `key` and a suffix.
    pub(crate) fn of(&self, key: &[u8], suffix: &str) -> Vec<u8> {
        let mut name = Vec::with_capacity(self.name.len() + key.len() + suffix.len() + 4);
        push_escaped(&mut name, &self.name);
        name.extend(b":{");
        if let Some(secret) = &self.secret {
            let length = (self.name.len() as u64).to_le_bytes();
            let hashed = [&length[..], &self.name, key].concat();
            let hash = SipHasher24::new_with_key(secret).hash(&hashed).as_bytes();
            name.extend(format!("{:032x}}}:hashed:", u128::from_be_bytes(hash)).as_bytes());
        } else {
            if key.is_empty() {
                name.push(b'%');
            }
            push_escaped(&mut name, key);
            name.extend(b"}:");
        }
        name.extend(suffix.as_bytes());
        name
    }
}

/// Omits the secret.
impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Names")
            .field("name", &String::from_utf8_lossy(&self.name))
            .field("hashed_keys", &self.secret.is_some())
            .finish()
    }
}

/// The names of all keys of a board or a queue.
#[derive(Clone, Debug)]
pub(crate) struct FixedNames {
    names: Names,
    /// The name of the board or the queue.
    key: Arc<str>,
    suffixes: &'static [&'static str],
    /// The names, one for each suffix.
    pub(crate) all: Arc<[Vec<u8>]>,
}

impl FixedNames {
    pub(crate) fn new(kind: &str, key: &str, suffixes: &'static [&'static str]) -> FixedNames {
        let (names, key) = (Names::new(kind), key.into());
        let mut fixed = FixedNames { names, key, suffixes, all: Arc::default() };
        fixed.set_all();
        fixed
    }

    pub(crate) fn hash_keys(&mut self, secret: &[u8]) {
        self.names.hash_keys(secret);
        self.set_all();
    }

    fn set_all(&mut self) {
        let names = self.suffixes.iter().map(|suffix| self.names.of(self.key.as_bytes(), suffix));
        self.all = names.collect();
    }
}

fn push_escaped(tagged: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        match byte {
            b'%' => tagged.extend(b"%25"),
            b'{' => tagged.extend(b"%7B"),
            b'}' => tagged.extend(b"%7D"),
            byte => tagged.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn hashed(name: &str, secret: &[u8]) -> Names {
        let mut names = Names::new(name);
        names.hash_keys(secret);
        names
    }

    fn text(name: Vec<u8>) -> String {
        String::from_utf8(name).unwrap()
    }

    #[test]
    fn the_tag_is_the_callers_key() {
        assert_eq!(Names::new("pay").of(b"ann", "log"), b"pay:{ann}:log");
        assert_eq!(Names::new("a{b}").of(b"\xFF\0", "log"), b"a%7Bb%7D:{\xFF\0}:log");
    }

    #[test]
    fn keys_that_differ_stay_different_and_their_tags_are_not_empty() {
        let parts = ["", "%", "%25", "{", "}", "{}", ":", "a", "a:{b}"];
        let mut all = BTreeSet::new();
        for name in parts {
            for key in parts {
                for names in [Names::new(name), hashed(name, b"a"), hashed(name, b"b")] {
                    let tagged = names.of(key.as_bytes(), "log");
                    let open = tagged.iter().position(|&byte| byte == b'{').unwrap();
                    let close = tagged.iter().position(|&byte| byte == b'}').unwrap();
                    assert!(open + 1 < close, "{}", tagged.escape_ascii());
                    assert!(all.insert(tagged), "{names:?} {key:?}");
                }
            }
        }
    }

    /// Another implementation computed this hash. Machines of all versions must agree on it.
    #[test]
    fn a_hashed_key_is_the_same_on_every_machine() {
        let names = hashed("per-token", b"0123456789abcdef");
        assert_eq!(
            text(names.of(b"Bearer ann", "funnel:0")),
            "per-token:{bf857fc48abbdba6d0e8c241c9eda486}:hashed:funnel:0"
        );
    }

    #[test]
    fn every_byte_of_a_secret_counts() {
        let mut all = BTreeSet::new();
        for length in 0..40 {
            let mut secret = vec![b'x'; length];
            assert!(all.insert(hashed("a", &secret).of(b"ann", "log")), "{length}");
            for i in 0..length {
                secret[i] = b'y';
                assert!(all.insert(hashed("a", &secret).of(b"ann", "log")), "{length} {i}");
                secret[i] = b'x';
            }
        }
    }

    #[test]
    fn a_key_that_looks_like_a_hash_is_another_one() {
        let name = text(hashed("a", b"secret").of(b"ann", "log"));
        let (_, rest) = name.split_once('{').unwrap();
        let (hash, suffix) = rest.split_once('}').unwrap();
        assert!(hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
        assert_eq!(suffix, ":hashed:log");
        assert_ne!(text(Names::new("a").of(hash.as_bytes(), "log")), name);
    }

    #[test]
    fn debug_output_has_neither_the_secret_nor_what_is_derived_from_it() {
        let names = hashed("a", b"0123456789abcdef");
        assert_eq!(format!("{names:?}"), r#"Names { name: "a", hashed_keys: true }"#);
    }
}
