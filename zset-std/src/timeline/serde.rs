//! Deserializing a timeline, with its invariants checked.

use core::hash::Hash;
use core::time::Duration;

use serde::Deserialize;
use zset_core::SortedSet;

use super::Timeline;
use crate::Timestamp;

#[derive(Deserialize)]
#[serde(bound(deserialize = "Id: Deserialize<'de> + Ord + Hash"), rename = "Timeline")]
pub(super) struct Unchecked<Id> {
    posts: SortedSet<Id, Timestamp>,
    max_len: Option<usize>,
    max_age: Option<Duration>,
    newest: Timestamp,
}

impl<Id> TryFrom<Unchecked<Id>> for Timeline<Id> {
    type Error = &'static str;

    fn try_from(read: Unchecked<Id>) -> Result<Self, Self::Error> {
        let Unchecked { posts, max_len, max_age, newest } = read;
        let timeline = Timeline { posts, max_len, max_age, newest };
        if timeline.is_over_full() {
            return Err("timeline has more posts than its cap allows");
        }
        if timeline.posts.first().is_some_and(|(_, oldest)| timeline.is_too_old(oldest, newest)) {
            return Err("timeline has a post that is too old");
        }
        if timeline.posts.last().is_some_and(|(_, latest)| latest > newest) {
            return Err("timeline has a post newer than its newest time");
        }
        Ok(timeline)
    }
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::{String, ToString};

    use super::*;

    fn read(text: &str) -> Result<Timeline<u32>, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn round_trip() {
        let at = Timestamp::from_nanos;
        let mut timeline = Timeline::new().with_max_len(3).with_max_age(Duration::from_secs(1));
        timeline.extend([((1, "b"), at(5)), ((1, "a"), at(5)), ((0, "c"), at(2))]);
        let text = serde_json::to_string(&timeline).unwrap();
        assert!(text.starts_with(r#"{"posts":[[[0,"c"],2],[[1,"a"],5],[[1,"b"],5]],"#), "{text}");
        let mut back: Timeline<(u32, &str)> = serde_json::from_str(&text).unwrap();
        assert_eq!(back, timeline);
        back.check_invariants();
        back.post((0, "d"), at(3));
        assert_eq!(back.len(), 3, "the cap round-trips too");
    }

    #[test]
    fn repeated_ids_and_posts_beyond_the_caps_are_errors() {
        let with = |posts, len, age, newest| {
            format!(r#"{{"posts":{posts},"max_len":{len},"max_age":{age},"newest":{newest}}}"#)
        };
        let second = r#"{"secs":1,"nanos":0}"#;
        assert_eq!(read(&with("[[7,1],[8,2]]", "2", second, 1_000_000_000)).unwrap().len(), 2);
        let errors = [
            (with("[[7,1],[7,2]]", "null", "null", 2), "element 1 repeats"),
            (with("[[7,1],[8,2]]", "1", "null", 2), "more posts"),
            (with("[[7,1],[8,2]]", "null", second, 1_000_000_001), "too old"),
            (with("[[7,1],[8,2]]", "null", "null", 1), "newer than its newest time"),
            (with("7", "null", "null", 1), "a sequence of members and scores"),
        ];
        for (text, expected) in errors {
            let error = read(&text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_cursor_round_trips() {
        let cursor = super::super::Cursor { at: Timestamp::MAX, id: "a".to_string() };
        let text = serde_json::to_string(&cursor).unwrap();
        assert_eq!(serde_json::from_str::<super::super::Cursor<String>>(&text).unwrap(), cursor);
    }
}
