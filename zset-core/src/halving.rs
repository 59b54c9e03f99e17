//! Binary search.

/// Returns the number of indexes below `len` that `is_before` accepts. It must accept a prefix of them.
///
/// It takes a third of the code of `slice::partition_point`, which saves branches that cost little on small machines.
#[inline]
pub(crate) fn partition_point(len: usize, mut is_before: impl FnMut(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prefix_of_every_length_is_found() {
        for (len, accepted) in
            (0..40).flat_map(|len| (0..=len).map(move |accepted| (len, accepted)))
        {
            assert_eq!(partition_point(len, |index| index < accepted), accepted, "of {len}");
        }
    }
}
