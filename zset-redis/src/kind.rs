//! Which limiter a `Keyed` is: the types that tell [`SlidingWindow`](crate::blocking::SlidingWindow) and
//! the others apart. They have no values.

/// Of `SlidingWindow`.
#[derive(Debug)]
pub enum SlidingWindow {}

/// Of `Funnel`.
#[derive(Debug)]
pub enum Funnel {}

/// Of `FixedWindow`.
#[derive(Debug)]
pub enum FixedWindow {}

/// Of `WindowCounter`.
#[derive(Debug)]
pub enum WindowCounter {}

/// Of `Limits`.
#[derive(Debug)]
pub enum Limits {}
