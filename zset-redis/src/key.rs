//! Keys on the server: `name:{key}:suffix`.
//!
//! What stands in braces is the hash tag, so all keys of a decision are in one slot of a cluster. In the
//! name and in the caller's key, `%`, `{` and `}` are escaped as `%25`, `%7B` and `%7D`; an empty key is a
//! single `%`, since an empty tag is none. So different names and keys never share a key on the server,
//! whatever bytes they have.

/// Returns the key for `suffix` of the caller's `key`.
pub(crate) fn tagged(name: &[u8], key: &[u8], suffix: &str) -> Vec<u8> {
    let mut tagged = Vec::with_capacity(name.len() + key.len() + suffix.len() + 4);
    push_escaped(&mut tagged, name);
    tagged.extend(b":{");
    if key.is_empty() {
        tagged.push(b'%');
    }
    push_escaped(&mut tagged, key);
    tagged.extend(b"}:");
    tagged.extend(suffix.as_bytes());
    tagged
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

    #[test]
    fn the_tag_is_the_callers_key() {
        assert_eq!(tagged(b"pay", b"ann", "log"), b"pay:{ann}:log");
        assert_eq!(tagged(b"a{b}", b"\xFF\0", "log"), b"a%7Bb%7D:{\xFF\0}:log");
    }

    #[test]
    fn keys_that_differ_stay_different_and_their_tags_are_not_empty() {
        let parts: [&[u8]; 9] = [b"", b"%", b"%25", b"{", b"}", b"{}", b":", b"a", b"a:{b}"];
        let mut all = BTreeSet::new();
        for name in parts {
            for key in parts {
                let tagged = tagged(name, key, "log");
                let open = tagged.iter().position(|&byte| byte == b'{').unwrap();
                let close = tagged.iter().position(|&byte| byte == b'}').unwrap();
                assert!(open + 1 < close, "{}", tagged.escape_ascii());
                assert!(all.insert(tagged), "{name:?} {key:?}");
            }
        }
    }
}
