//! Scanning: all handles in pages, while the dict changes between them.

use alloc::vec::Vec;

use super::{Dict, selector};
use crate::handle::Handle;

/// Segments without a handle that one page of a scan looks at, beside one for each handle wanted.
const MOST_EMPTY_SEGMENTS: usize = 32;

/// Returns the place of a hash in the order of a scan.
fn position(hash: u64) -> u64 {
    (selector(hash) as u64).reverse_bits()
}

impl Dict {
    /// Returns about `count` handles from a cursor on, and the next cursor, which is 0 at the end.
    ///
    /// Handles are in the order of their selectors read backwards, from the bit that the first
    /// split goes by: the handles of a segment lie together there, whether it is split or not.
    ///
    /// ```text
    /// 0          cursor                               2^64
    /// |-- 00 --|----|--- 10 ---|---------- 1 -----------|   the segments, by those bits
    /// ```
    ///
    /// So a cursor is good for as long as the hasher is the same, and every handle whose member
    /// stays in the dict is found exactly once.
    pub(crate) fn scan(
        &self,
        cursor: u64,
        count: usize,
        hash_of: impl Fn(Handle) -> u64,
    ) -> (u64, Vec<Handle>) {
        let mut page: Vec<(u64, Handle)> = Vec::new();
        let mut next = Some(cursor);
        let mut visited = 0;
        while let Some(cursor) = next {
            // A dict that was much larger has many empty segments: a page does not visit them all.
            if page.len() >= count || visited >= count.saturating_add(MOST_EMPTY_SEGMENTS) {
                break;
            }
            let id = self.segment_id(cursor.reverse_bits() as usize);
            let Some(segment) = self.segments.get(id as usize) else { return (0, Vec::new()) };
            visited += 1;
            let start = page.len();
            let positions = segment.table.iter().map(|&handle| (position(hash_of(handle)), handle));
            page.extend(positions.filter(|&(position, _)| position >= cursor));
            page[start..].sort_unstable_by_key(|&(position, _)| position);

            // Behind the last of equal positions, or behind the segment.
            let rest = page.iter().skip(count).map(|&(position, _)| position);
            let last = page.get(count.wrapping_sub(1)).map(|&(position, _)| position);
            let equal = rest.take_while(|&position| Some(position) == last).count();
            next = if page.len() > count + equal {
                page.truncate(count + equal);
                last.and_then(|last| last.checked_add(1))
            } else {
                let mask = u64::MAX.checked_shr(segment.depth).unwrap_or(0);
                (cursor | mask).checked_add(1)
            };
        }
        (next.unwrap_or(0), page.into_iter().map(|(_, handle)| handle).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn hash_of(handle: Handle) -> u64 {
        // Many of the same hash, which no page may separate.
        (u64::from(handle.leaf()) * 64 + u64::from(handle.slot()) / 7 * 7)
            .wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    fn insert(dict: &mut Dict, numbers: core::ops::Range<u32>) {
        for i in numbers {
            let handle = Handle::new(i / 64, (i % 64) as u8);
            let segment = dict.try_reserve_one(hash_of(handle), hash_of).unwrap();
            dict.insert(segment, hash_of(handle), handle);
        }
    }

    #[test]
    fn every_handle_is_in_one_page_whatever_splits_meanwhile() {
        let many = if cfg!(miri) { 25 } else { 1500 };
        for count in [1, 7, 64, 5000] {
            let mut dict = Dict::new();
            insert(&mut dict, 0..many);
            let (mut cursor, mut seen, mut pages) = (0, BTreeSet::new(), 0);
            loop {
                let (next, page) = dict.scan(cursor, count, hash_of);
                assert!(page.len() < count + 7, "{} in a page", page.len());
                for handle in page {
                    assert!(seen.insert((handle.leaf(), handle.slot())), "{handle:?} twice");
                }
                if next == 0 {
                    break;
                }
                assert!(next > cursor);
                cursor = next;
                pages += 1;
                if pages < 5 {
                    insert(&mut dict, many * pages..many * (pages + 1));
                }
            }
            assert!((0..many).all(|i| seen.contains(&(i / 64, (i % 64) as u8))));
        }
    }

    #[test]
    fn an_empty_dict_and_any_cursor_end_the_scan() {
        assert_eq!(Dict::new().scan(0, 10, hash_of), (0, Vec::new()));
        let mut dict = Dict::new();
        insert(&mut dict, 0..if cfg!(miri) { 200 } else { 3000 });
        for handle in dict.scan(0, usize::MAX, hash_of).1 {
            dict.remove(hash_of(handle), handle);
        }
        for cursor in [0, 1, u64::MAX / 3, u64::MAX] {
            assert_eq!(dict.scan(cursor, 1, hash_of), (0, Vec::new()));
        }
    }
}
