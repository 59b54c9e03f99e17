//! Tests serialization round trips in a human-readable format (JSON), a self-describing binary
//! format (CBOR), and a format that is not self-describing (postcard).

#![cfg(feature = "serde")]

use std::fmt::Debug;
use std::num::NonZeroU32;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use zset_core::{Score, Unordered};
use zset_std::timeline::Cursor;
use zset_std::{
    Buckets, DelayQueue, ExpiringSet, Job, JobId, Leaderboard, SharedDelayQueue, Timeline,
    Timestamp, WindowedLeaderboard,
};

fn at(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

/// Round-trips a value through all formats; returns its JSON, which includes what equality ignores.
/// Truncated binary data must be an error.
fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> String {
    let text = serde_json::to_string(value).unwrap();
    let read: T = serde_json::from_str(&text).unwrap();
    assert_eq!(&read, value, "{text}");
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
    let bytes = postcard::to_allocvec(value).unwrap();
    assert_eq!(&postcard::from_bytes::<T>(&bytes).unwrap(), value);
    for end in 0..bytes.len() {
        assert!(postcard::from_bytes::<T>(&bytes[..end]).is_err(), "{end}");
    }
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    assert_eq!(&ciborium::from_reader::<T, _>(bytes.as_slice()).unwrap(), value);
    for end in 0..bytes.len() {
        assert!(ciborium::from_reader::<T, _>(&bytes[..end]).is_err(), "{end}");
    }
    text
}

#[test]
fn boards_round_trip() {
    let board = Leaderboard::from([((1, 'x'), Score::from(5)), ((2, 'y'), Score::INFINITY)]);
    let text = round_trip(&board.with_max_len(2));
    assert_eq!(text, r#"{"scores":[[[2,"y"],"inf"],[[1,"x"],5.0]],"max_len":2}"#);

    let ties = [("zoe", 5), ("ann", 5), ("bob", 7)];
    let ties = ties.map(|(id, score)| (Unordered(id.to_string()), score));
    let text = round_trip(&Leaderboard::from(ties));
    assert_eq!(text, r#"{"scores":[["bob",7],["zoe",5],["ann",5]],"max_len":null}"#);

    let buckets = Buckets::new(Duration::from_nanos(10), 3).unwrap().with_start(at(4));
    let mut boards = WindowedLeaderboard::new(buckets).with_max_len(2);
    for (id, score, now) in [("a", 5, 0), ("b", 6, 6), ("a", 7, 25)] {
        boards.submit(id.to_string(), score, at(now));
    }
    let expected = [
        r#"{"buckets":{"width":10,"count":3,"first":4},"newest":25,"max_len":2,"boards":["#,
        r#"[0,{"scores":[["a",7]],"max_len":2}],[2,{"scores":[["b",6]],"max_len":2}]]}"#,
    ];
    assert_eq!(round_trip(&boards), expected.concat());
}

#[test]
fn queues_round_trip() {
    let mut queue = DelayQueue::new();
    for (due, payload) in [(5, "a"), (5, "b"), (1, "c")] {
        queue.push(payload.to_string(), at(due));
    }
    let expected = [
        r#"{"next_id":3,"jobs":[{"id":2,"due":1,"payload":"c"},{"id":0,"due":5,"payload":"a"},"#,
        r#"{"id":1,"due":5,"payload":"b"}]}"#,
    ];
    assert_eq!(round_trip(&queue), expected.concat());
    // The id of a cancelled job is not reused.
    queue.cancel(&JobId::new(2));
    assert!(round_trip(&queue).starts_with(r#"{"next_id":3,"jobs":[{"id":0,"#));
    let job = Job { id: JobId::new(7), due: at(1), payload: "d".to_string() };
    assert_eq!(round_trip(&job), r#"{"id":7,"due":1,"payload":"d"}"#);

    let mut ids = DelayQueue::new();
    for (id, due) in [((2, 'b'), at(7)), ((1, 'a'), at(7)), ((0, 'c'), at(0))] {
        ids.push_with_id(id, (), due).unwrap();
    }
    let text = round_trip(&ids);
    assert!(text.contains(r#"[{"id":[0,"c"],"due":0,"payload":null},{"id":[2,"b"]"#), "{text}");
}

#[test]
fn dead_letters_round_trip() {
    let queue = SharedDelayQueue::new().with_max_deliveries(NonZeroU32::MIN);
    queue.push("mail".to_string(), Timestamp::ZERO).unwrap();
    let lease = queue.at(at(5)).lease(Duration::MAX).unwrap();
    queue.at(at(7)).nack(&lease, Duration::ZERO).unwrap();
    let text = round_trip(&queue.take_dead_letters(1));
    assert_eq!(text, r#"[{"id":0,"payload":"mail","deliveries":1,"since":7}]"#);
}

#[test]
fn timelines_and_expiring_sets_round_trip() {
    let mut timeline = Timeline::new().with_max_len(3).with_max_age(Duration::from_secs(1));
    timeline.extend([((1, 'b'), at(5)), ((1, 'a'), at(5)), ((0, 'c'), at(2))]);
    let text = round_trip(&timeline);
    assert!(text.starts_with(r#"{"posts":[[[0,"c"],2],[[1,"a"],5],[[1,"b"],5]],"#), "{text}");
    let cursor = Cursor { at: Timestamp::MAX, id: (1, 'a') };
    assert_eq!(round_trip(&cursor), r#"{"at":18446744073709551615,"id":[1,"a"]}"#);

    let set = ExpiringSet::from([((2, 'a'), Timestamp::MAX), ((1, 'b'), at(0))]).with_max_len(2);
    let text = round_trip(&set);
    assert_eq!(text, r#"{"members":[[[1,"b"],0],[[2,"a"],18446744073709551615]],"max_len":2}"#);
}

#[test]
fn an_announced_length_is_not_trusted() {
    // The data announces 2^62 elements, but contains none.
    let len = postcard::to_allocvec(&(1_u64 << 62)).unwrap();
    assert!(postcard::from_bytes::<Leaderboard<u32, u32>>(&len).is_err());
    assert!(postcard::from_bytes::<ExpiringSet<u32>>(&len).is_err());
    assert!(postcard::from_bytes::<Timeline<u32>>(&len).is_err());
    let queue = [&[0][..], &len].concat();
    assert!(postcard::from_bytes::<DelayQueue<u32>>(&queue).is_err());
}
