//! Serialization as the next id and the jobs in order.

use alloc::vec::Vec;
use core::hash::Hash;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::{DelayQueue, Job, Jobs};

/// Serializes the next id, and the jobs as a sequence in order.
impl<T: Serialize, I: Serialize> Serialize for DelayQueue<T, I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Sequence<'a, T, I>(Jobs<'a, T, I>);

        impl<T: Serialize, I: Serialize> Serialize for Sequence<'_, T, I> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self.0.clone())
            }
        }

        let mut queue = serializer.serialize_struct("DelayQueue", 2)?;
        queue.serialize_field("next_id", &self.next_id)?;
        queue.serialize_field("jobs", &Sequence(self.iter()))?;
        queue.end()
    }
}

/// Deserializes jobs in any order; jobs due at the same time keep the order of the sequence.
///
/// A repeated id is an error.
impl<'de, T, I> Deserialize<'de> for DelayQueue<T, I>
where
    T: Deserialize<'de>,
    I: Deserialize<'de> + Ord + Hash,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename = "DelayQueue", bound = "T: Deserialize<'de>, I: Deserialize<'de>")]
        struct Parts<T, I> {
            next_id: u64,
            jobs: Vec<Job<T, I>>,
        }

        let Parts { next_id, jobs } = Parts::deserialize(deserializer)?;
        let mut queue = DelayQueue { next_id, ..DelayQueue::new() };
        for Job { id, due, payload } in jobs {
            if !queue.try_insert(id, payload, due).map_err(D::Error::custom)? {
                return Err(D::Error::custom("two jobs have the same id"));
            }
        }
        Ok(queue)
    }
}
