//! [`Memory`]: how much of it the process has.

use std::fs;

/// The size of a page, which the system does not tell without a call that is not safe. It is the one of
/// all common machines but some of Apple's.
const PAGE: usize = 4096;

/// Commands between two looks at the memory, since the system takes a microsecond or more to answer.
const LOOK_EACH: u32 = 256;

/// How much memory the process has, looked at now and then.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    used: usize,
    peak: usize,
    until_look: u32,
}

impl Memory {
    /// Returns whether more memory is used than `max`, where 0 stands for no bound.
    pub(crate) fn is_beyond(&mut self, max: usize) -> bool {
        if max == 0 {
            return false;
        }
        if self.until_look == 0 || self.used > max {
            self.look();
            self.until_look = LOOK_EACH;
        }
        self.until_look -= 1;
        self.used > max
    }

    /// Returns how many bytes are used now, and the most there were when somebody looked; zeros where
    /// the system does not tell.
    pub(crate) fn look(&mut self) -> (usize, usize) {
        self.used = resident().unwrap_or(0);
        self.peak = self.peak.max(self.used);
        (self.used, self.peak)
    }
}

/// Returns the bytes of the process that are in memory, where the system tells.
fn resident() -> Option<usize> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    text.split(' ').nth(1)?.parse::<usize>().ok()?.checked_mul(PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_beyond_no_bound() {
        assert!(!Memory::default().is_beyond(0));
    }

    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn what_is_used_is_beyond_a_byte_and_not_beyond_all() {
        let mut memory = Memory::default();
        assert!(memory.is_beyond(1));
        assert!(!memory.is_beyond(usize::MAX));
        let (used, peak) = memory.look();
        assert!(used > 100_000 && peak >= used);
    }
}
