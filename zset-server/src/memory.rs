//! [`Memory`]: the memory in use.
//!
//! It counts the bytes allocated and not freed. The resident memory of the process would not do: it does
//! not shrink when keys are removed, so a server at its limit would stay there.

/// The memory in use, sampled now and then.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Returns the number of allocated bytes; `None` counts nothing.
    pub(crate) allocated: Option<fn() -> usize>,
    peak: usize,
}

impl Memory {
    /// Returns whether more than `max` bytes are in use; a `max` of 0 means no limit.
    pub(crate) fn is_beyond(&mut self, max: usize) -> bool {
        let (used, _) = self.look();
        max != 0 && used > max
    }

    /// Returns the bytes in use and their peak over all samples; every command that may allocate takes a
    /// sample. Both are 0 if memory is not counted.
    pub(crate) fn look(&mut self) -> (usize, usize) {
        let used = self.allocated.map_or(0, |allocated| allocated());
        self.peak = self.peak.max(used);
        (used, self.peak)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_beyond_a_limit_only_above_it() {
        let mut memory = Memory::default();
        assert!(!memory.is_beyond(0) && !memory.is_beyond(1), "memory is not counted");
        memory.allocated = Some(|| 1000);
        assert!(!memory.is_beyond(0) && memory.is_beyond(999) && !memory.is_beyond(1000));
        memory.allocated = Some(|| 500);
        assert_eq!(memory.look(), (500, 1000));
    }
}
