//! Tests the memory of a log.

use super::*;

#[test]
fn a_log_grows_by_half() {
    let window = SlidingWindow::new(Quota::new(99, Duration::from_secs(60)).unwrap());
    let mut log = SlidingWindow::NEW;
    for capacity in [1, 2, 4, 4, 7, 7, 7, 11, 11, 11, 11] {
        let now = Timestamp::from_nanos(log.units);
        assert!(window.check_n(&mut log, 1, now).is_allowed());
        assert_eq!(log.entries.capacity(), capacity, "of {} entries", log.entries.len());
    }
}
