//! Finds shortest paths in a graph with a `PriorityQueue`, and with the same code ported to
//! `SortedSet`.
//!
//! Both versions change the priority of a queued node. The set needs no `Reverse`, since it can pop
//! from either end. It returns nodes of equal distance in ascending order.

use std::cmp::Reverse;

use super::random_numbers;

type Node = usize;
type Distance = u64;

/// The edges from each node, with their lengths.
type Graph = Vec<Vec<(Node, Distance)>>;

/// The original, with a `PriorityQueue`.
fn original(graph: &Graph, start: Node) -> Vec<Option<Distance>> {
    let mut distances = vec![None; graph.len()];
    let mut reached = priority_queue::PriorityQueue::new();
    reached.push(start, Reverse(0));
    while let Some((node, Reverse(distance))) = reached.pop() {
        distances[node] = Some(distance);
        for &(next, length) in &graph[node] {
            if distances[next].is_none() {
                // A shorter distance means a higher priority.
                reached.push_increase(next, Reverse(distance + length));
            }
        }
    }
    distances
}

/// The port to `SortedSet`.
fn port(graph: &Graph, start: Node) -> Vec<Option<Distance>> {
    let mut distances = vec![None; graph.len()];
    let mut reached = zset_core::SortedSet::from([(start, 0)]);
    while let Some((node, distance)) = reached.pop_first() {
        distances[node] = Some(distance);
        for &(next, length) in &graph[node] {
            if distances[next].is_none() {
                reached.insert_min(next, distance + length);
            }
        }
    }
    distances
}

#[test]
fn a_queue_by_distance_becomes_a_set() {
    let mut numbers = random_numbers(3);
    for nodes in [1, 2, 10, 300] {
        let mut number = |below: usize| numbers.next().unwrap() as usize % below;
        let mut graph: Graph = vec![Vec::new(); nodes];
        for _ in 0..3 * nodes {
            let (from, to, length) = (number(nodes), number(nodes), number(100));
            graph[from].push((to, length as Distance));
        }
        let distances = port(&graph, 0);
        assert_eq!(distances, original(&graph, 0));
        assert_eq!(distances[0], Some(0));
    }
}
