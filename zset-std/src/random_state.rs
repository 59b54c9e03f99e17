//! [`RandomState`]: the default hasher of keys.

use std::hash::{BuildHasher, Hash};
use std::sync::LazyLock;

/// The default hasher of keys: [`AHash`](https://docs.rs/ahash) with a random seed. Each new value
/// has its own seed, which its clones share.
///
/// It defends against hash flooding: an attacker who does not know the seed cannot choose colliding
/// keys. It does not defend against an attacker who can recover the seed from timing. If your keys
/// may come from such an attacker, pass [`std::hash::RandomState`] to
/// [`Keyed::with_hasher`](crate::Keyed::with_hasher). Its `SipHash` is usually slower. The hasher
/// of [`zset_core`]'s sets, [`zset_core::DefaultHashBuilder`], is usually faster but less
/// resistant.
///
/// All seeds of a process are derived from one [`std::hash::RandomState`], so they are as random as
/// those of a `HashMap`. On `wasm32-unknown-unknown` std has no source of randomness, and **the
/// seeds are predictable**. If an attacker can choose the keys there, pass `with_hasher` a hasher
/// seeded by the host.
#[derive(Clone, Debug)]
pub struct RandomState(ahash::RandomState);

impl RandomState {
    /// Creates a hasher with a new seed. **O(1)**.
    pub fn new() -> Self {
        let [k0, k1, k2, k3] = seed_of_process();
        // `generate_with` also mixes in a global counter, so each hasher gets its own seed.
        RandomState(ahash::RandomState::generate_with(k0, k1, k2, k3))
    }
}

/// Returns the seed from which all seeds of this process are derived.
fn seed_of_process() -> [u64; 4] {
    // AHash's own source of randomness does not build for every target.
    static SEED: LazyLock<[u64; 4]> = LazyLock::new(|| {
        let random = std::hash::RandomState::new();
        [0, 1, 2, 3].map(|part| random.hash_one(part))
    });
    *SEED
}

impl Default for RandomState {
    fn default() -> Self {
        Self::new()
    }
}

impl BuildHasher for RandomState {
    type Hasher = ahash::AHasher;

    #[inline]
    fn build_hasher(&self) -> ahash::AHasher {
        self.0.build_hasher()
    }

    #[inline]
    fn hash_one<T: Hash>(&self, value: T) -> u64 {
        BuildHasher::hash_one(&self.0, value)
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::ToOwned;
    use std::collections::HashSet;
    use std::println;
    use std::string::String;

    use super::*;

    #[test]
    fn each_hasher_has_its_own_seed() {
        let builders = (0..1000).map(|_| RandomState::new());
        let hashes: HashSet<_> = builders.map(|builder| builder.hash_one("key")).collect();
        assert_eq!(hashes.len(), 1000);
    }

    /// Runs this test again in child processes, which print their seeds.
    #[cfg(not(miri))]
    #[test]
    fn each_process_has_its_own_seed() {
        use std::env;
        use std::process::Command;

        const CHILD: &str = "ZSET_PRINT_SEED";
        const NAME: &str = "random_state::tests::each_process_has_its_own_seed";
        if env::var_os(CHILD).is_some() {
            println!("seed {:?}", seed_of_process());
            return;
        }
        let seed = |_| {
            let mut child = Command::new(env::current_exe().unwrap());
            let output = child.args(["--exact", NAME, "--nocapture"]).env(CHILD, "1").output();
            let text = String::from_utf8(output.unwrap().stdout).unwrap();
            let seed = text.lines().find_map(|line| Some(line.split_once("seed ")?.1.to_owned()));
            seed.unwrap_or_else(|| panic!("no seed: {text}"))
        };
        let seeds: HashSet<_> = (0..4).map(seed).collect();
        assert_eq!(seeds.len(), 4);
    }
}
