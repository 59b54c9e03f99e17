//! Caches the most frequently read pages, and evicts the others.
//!
//! This example implements a cache with a `SortedMap`: the value is a page, the score is its
//! priority, and the first element is the next to evict. With `(reads, time of last read)` as the
//! score, it is an LFU cache. With the time alone, it is an LRU cache.
//!
//! ```text
//! cargo run --example lfu_cache
//! ```

use std::hash::Hash;
use std::iter;

use zset_core::SortedMap;

/// The priority of a page, computed by a policy from its number of reads and the time of its last
/// read.
type Worth = (u64, u64);

struct Cache<K, V> {
    pages: SortedMap<K, Page<V>, Worth>,
    capacity: usize,
    policy: fn(reads: u64, time: u64) -> Worth,
    time: u64,
    hits: usize,
}

struct Page<V> {
    content: V,
    reads: u64,
}

impl<K: Ord + Hash + Clone, V> Cache<K, V> {
    fn new(capacity: usize, policy: fn(reads: u64, time: u64) -> Worth) -> Self {
        assert!(capacity > 0, "the capacity must not be 0");
        let pages = SortedMap::with_capacity(capacity);
        Cache { pages, capacity, policy, time: 0, hits: 0 }
    }

    /// Returns a page from the cache. On a miss, loads it, and evicts the least valuable page if
    /// the cache is full. **O(log n)**.
    fn get_or_load(&mut self, key: &K, load: impl FnOnce(&K) -> V) -> &V {
        self.time += 1;
        let (policy, time) = (self.policy, self.time);
        let hit = self.pages.update(key, |page, _| {
            page.reads += 1;
            policy(page.reads, time)
        });
        if hit.is_some() {
            self.hits += 1;
        } else {
            if self.pages.len() == self.capacity {
                self.pages.pop_first();
            }
            let page = Page { content: load(key), reads: 1 };
            self.pages.insert(key.clone(), page, policy(1, time));
        }
        &self.pages.get(key).expect("the page was found or inserted").content
    }
}

fn lfu(reads: u64, time: u64) -> Worth {
    (reads, time)
}

fn lru(_: u64, time: u64) -> Worth {
    (0, time)
}

/// Simulates loading a page.
fn load(path: &String) -> String {
    format!("<h1>{path}</h1>")
}

fn main() {
    let mut cache = Cache::new(3, lfu);
    for path in ["/", "/", "/news", "/", "/about", "/news", "/jobs"] {
        let content = cache.get_or_load(&path.to_string(), load);
        assert_eq!(*content, format!("<h1>{path}</h1>"));
    }
    println!("An LFU cache of three pages, the next one to evict first:");
    for (path, page, _) in &cache.pages {
        println!("  {path:<6} {} reads", page.reads);
    }
    // "/about" and "/jobs" were read once, and "/about" was evicted to make room for "/jobs".
    assert!(!cache.pages.contains_key("/about"));

    // Visitors read ten popular pages. After the first hundred visits, a crawler reads an old page
    // after each visit.
    let requests: Vec<String> = (0..1000)
        .flat_map(|visit| {
            let crawled = (visit >= 100).then(|| format!("/archive/{visit}"));
            iter::once(format!("/popular/{}", visit % 10)).chain(crawled)
        })
        .collect();
    println!("\nHits of {} requests, with room for 15 pages:", requests.len());
    let hits = [("LFU", lfu as fn(u64, u64) -> Worth), ("LRU", lru)].map(|(name, policy)| {
        let mut cache = Cache::new(15, policy);
        for path in &requests {
            cache.get_or_load(path, load);
        }
        assert_eq!(cache.pages.len(), 15);
        println!("  {name}: {}", cache.hits);
        cache.hits
    });
    // Only in the LRU cache do the crawler's pages evict the popular ones.
    assert_eq!(hits, [990, 96]);
}
