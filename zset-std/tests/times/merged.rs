//! Compares `MergedTimelines` with a sorted list of all entries without duplicates.

use super::*;
use zset_std::timeline::{Cursor, MergedPosts};

/// Generates several feeds of few ids at few times, so that they share entries.
fn feeds() -> impl Strategy<Value = Vec<Timeline<String>>> {
    let feed = prop::collection::vec((ids(), times()), 0..12).prop_map(Timeline::from_iter);
    prop::collection::vec(feed, 0..6)
}

/// Returns all entries, newest first, each with the first feed that contains it.
fn all(feeds: &[Timeline<String>]) -> Vec<(Cursor<String>, usize)> {
    let mut all = Vec::new();
    for (index, feed) in feeds.iter().enumerate() {
        all.extend(feed.iter().map(|entry| (Cursor::from(entry), index)));
    }
    // The sort is stable, so of equal entries, the one from the first feed stays first.
    all.sort_by(|(a, _), (b, _)| b.cmp(a));
    all.dedup_by(|(later, _), (earlier, _)| later == earlier);
    all
}

/// Compares the entries, and checks the size hint before each.
fn assert_same_posts(mut posts: MergedPosts<'_, String>, expected: &[(Cursor<String>, usize)]) {
    assert_eq!(format!("{:?}", posts.clone()).matches("MergedPost ").count(), expected.len());
    for left in (0..=expected.len()).rev() {
        let (least, most) = posts.size_hint();
        assert!(least <= left && left <= most.unwrap(), "{least} <= {left} <= {most:?}");
        let post = posts.next().map(|post| (Cursor::from(post), post.timeline));
        assert_eq!(post.as_ref(), expected.get(expected.len() - left));
    }
    assert!(posts.next().is_none());
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn all_operations_match_a_sorted_list(
        feeds in feeds(),
        at in times(),
        id in ids(),
        n in counts(),
    ) {
        let merged: MergedTimelines<'_, String> = feeds.iter().collect();
        let all = all(&feeds);
        assert_same_posts(merged.iter(), &all);
        assert_same_posts(merged.into_iter(), &all);
        assert_same_posts(merged.latest(n), &all[..n.min(all.len())]);
        let since = all.iter().take_while(|(entry, _)| entry.at >= at).count();
        assert_same_posts(merged.since(at), &all[..since]);
        let cursor = Cursor { at, id };
        let behind = &all[all.iter().take_while(|(entry, _)| *entry >= cursor).count()..];
        assert_same_posts(merged.before(&cursor, n), &behind[..n.min(behind.len())]);
    }
}
