//! Scanning a dict page by page, with a cursor.

use alloc::vec::Vec;

use super::{Dict, Handle, Table, Tables, route};

/// The maximum number of empty tables that one page visits, in addition to one for each handle
/// requested.
const MOST_EMPTY_TABLES: usize = 32;

/// Each page hashes the keys of all handles of a table. To bound this work, a page has at least
/// 1/64 of them, rounded down, if that many remain.
const LEAST_PART: usize = 64;

impl Dict {
    /// Returns about `count` handles starting at a cursor, and the next cursor, which is 0 at the
    /// end.
    ///
    /// Handles are returned in order of route. A segment is an interval of routes, both before
    /// and after it splits.
    ///
    /// ```text
    /// 0          cursor                               2^64, or 2^32
    /// |-- 00 --|----|--- 01 ---|---------- 1 -----------|   the segments, by the leading bits
    /// ```
    ///
    /// A cursor is therefore valid as long as the hasher is unchanged. If a key stays in the dict
    /// throughout a scan, the scan returns its handle exactly once.
    pub(crate) fn scan(
        &self,
        cursor: u64,
        count: usize,
        hash_of: impl Fn(Handle) -> usize,
    ) -> (u64, Vec<Handle>) {
        let mut page = Vec::new();
        let mut next = usize::try_from(cursor).ok();
        let mut visited = 0;
        while let Some(cursor) = next {
            // A dict that was once much larger may have too many empty tables for one page to
            // visit.
            if page.len() >= count || visited >= count.saturating_add(MOST_EMPTY_TABLES) {
                break;
            }
            visited += 1;
            let (table, next_segment) = match &self.tables {
                Tables::Tags(_) => (None, None),
                Tables::One(table) => (Some(table), None),
                Tables::Many(many) => (Some(many.table(cursor)), many.next_segment(cursor)),
            };
            let wanted = (count - page.len()).max(table.map_or(0, Table::len) / LEAST_PART);
            let handles = self.all_tagged().chain(table.into_iter().flatten().copied());
            let routes = handles.map(|handle| (route(hash_of(handle)), handle));
            let (found, last) = lowest(routes, cursor, wanted);
            page.extend(found.into_iter().map(|(_, handle)| handle));
            next = match last {
                usize::MAX => next_segment,
                last => last.checked_add(1),
            };
        }
        (next.unwrap_or(0) as u64, page)
    }
}

/// Returns the `count` handles with the lowest routes starting at a cursor, and the last of these
/// routes, or `usize::MAX` if no handles follow. If several handles have the last route, all of
/// them are returned.
fn lowest(
    handles: impl Iterator<Item = (usize, Handle)>,
    cursor: usize,
    count: usize,
) -> (Vec<(usize, Handle)>, usize) {
    let (mut found, mut last) = (Vec::new(), usize::MAX);
    let mut limit = count.saturating_mul(2);
    for (route, handle) in handles {
        if (cursor..=last).contains(&route) {
            found.push((route, handle));
            if found.len() >= limit {
                last = cut(&mut found, count);
                limit = found.len().saturating_add(count);
            }
        }
    }
    if found.len() > count {
        last = cut(&mut found, count);
    }
    (found, last)
}

/// Keeps the `count` lowest routes and all that equal the last of them; returns that route.
fn cut(found: &mut Vec<(usize, Handle)>, count: usize) -> usize {
    let (_, &mut (last, _), _) = found.select_nth_unstable_by_key(count - 1, |&(route, _)| route);
    found.retain(|&(route, _)| route <= last);
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn hash_of(handle: Handle) -> usize {
        // Up to 7 handles share a hash. A page must not separate them.
        (handle.leaf() as usize * 64 + usize::from(handle.slot()) / 7 * 7)
            .wrapping_mul(0xD6E8_FEB8_6659_FD93_u64 as usize)
    }

    fn insert(dict: &mut Dict, numbers: core::ops::Range<u32>) {
        for i in numbers {
            let handle = Handle::new(i / 64, (i % 64) as u8);
            dict.try_reserve_one(hash_of(handle), hash_of).unwrap();
            dict.insert(hash_of(handle), handle);
        }
    }

    #[test]
    fn every_handle_is_on_one_page_even_if_segments_split() {
        let many = if cfg!(miri) { 25 } else { 15_000 };
        for count in [1, 7, 64, 5000] {
            let mut dict = Dict::new();
            insert(&mut dict, 0..many);
            let (mut cursor, mut seen, mut pages) = (0, BTreeSet::new(), 0);
            loop {
                let (next, page) = dict.scan(cursor, count, hash_of);
                let most = count.max(dict.len() / LEAST_PART) + 7;
                assert!(page.len() < most, "{} in a page", page.len());
                for handle in page {
                    assert!(seen.insert((handle.leaf(), handle.slot())), "{handle:?}, twice");
                }
                if next == 0 {
                    break;
                }
                assert!(next > cursor);
                cursor = next;
                pages += 1;
                if pages < 5 {
                    // With up to 75,000 handles, first the single table splits, and then some
                    // segments do.
                    insert(&mut dict, many * pages..many * (pages + 1));
                }
            }
            assert!((0..many).all(|i| seen.contains(&(i / 64, (i % 64) as u8))));
        }
    }

    #[test]
    fn an_empty_dict_ends_the_scan_at_any_cursor() {
        assert_eq!(Dict::new().scan(0, 10, hash_of), (0, Vec::new()));
        let mut dict = Dict::new();
        insert(&mut dict, 0..if cfg!(miri) { 250 } else { 40_000 });
        let (next, all) = dict.scan(0, dict.len(), hash_of);
        assert_eq!(next, 0);
        for handle in all {
            dict.remove(hash_of(handle), handle);
        }
        for cursor in [0, 1, u64::MAX / 3, u64::MAX] {
            assert_eq!(dict.scan(cursor, 1, hash_of), (0, Vec::new()));
        }
        // Of 64 empty segments, a page visits the first 33.
        let mut dict = Dict::new();
        dict.try_reserve(40 * super::super::SEGMENT_CAPACITY, hash_of).unwrap();
        let next = 33 << (usize::BITS - 6);
        assert_eq!(dict.scan(0, 1, hash_of), (next, Vec::new()));
    }
}
