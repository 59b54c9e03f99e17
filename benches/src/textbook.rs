//! A textbook skip list, to show what blocks of elements gain.
//!
//! Each node holds one element and a tower of links, whose height is random (p = 1/4). Each link
//! stores its span, the number of elements it passes, as in W. Pugh, "A Skip List Cookbook" (1990),
//! section 3.4. Nodes are numbered instead of addressed, so the code is safe Rust. As in C
//! implementations, the lowest link is next to the element; the higher ones, which one node in four
//! has, are in a separate vector.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::ordered::Ordered;

/// The maximum height of a tower: enough for 4^16 elements.
const MAX_HEIGHT: usize = 16;

/// The node before the first element. No link points to it, so as a target it marks the end.
const HEAD: u32 = 0;

/// A skip list with one element per node.
pub struct Textbook<T> {
    nodes: Vec<Node<T>>,
    /// The links above the lowest level; those of a node are contiguous.
    links: Vec<Link>,
    /// Free nodes, by height: they keep their towers for reuse.
    free: [Vec<u32>; MAX_HEIGHT],
    /// The height of the highest tower.
    height: usize,
    len: usize,
    rng: SmallRng,
}

struct Node<T> {
    element: Option<T>,
    lowest: Link,
    /// The index of its first link above the lowest level.
    tower: u32,
    height: u8,
}

#[derive(Clone, Copy)]
struct Link {
    next: u32,
    /// How many elements the link advances.
    span: u32,
}

/// A link that has not been set yet.
const NOWHERE: Link = Link { next: HEAD, span: 0 };

/// The last node before a position, at each level, with its rank counted from 1; the head's is 0.
type Path = [(u32, usize); MAX_HEIGHT];

impl<T: Ord> Textbook<T> {
    #[inline]
    fn link(&self, node: u32, level: usize) -> Link {
        let node = &self.nodes[node as usize];
        if level == 0 { node.lowest } else { self.links[node.tower as usize + level - 1] }
    }

    #[inline]
    fn link_mut(&mut self, node: u32, level: usize) -> &mut Link {
        let node = &mut self.nodes[node as usize];
        if level == 0 { &mut node.lowest } else { &mut self.links[node.tower as usize + level - 1] }
    }

    fn element(&self, node: u32) -> Option<&T> {
        self.nodes[node as usize].element.as_ref()
    }

    /// Returns the path to an element's position, whether or not it is present.
    #[inline]
    fn path(&self, element: &T) -> Path {
        let mut path = [(HEAD, 0); MAX_HEIGHT];
        let (mut node, mut rank) = (HEAD, 0);
        for level in (0..self.height).rev() {
            loop {
                let Link { next, span } = self.link(node, level);
                if next == HEAD || self.element(next).is_none_or(|next| next >= element) {
                    break;
                }
                node = next;
                rank += span as usize;
            }
            path[level] = (node, rank);
        }
        path
    }

    /// Removes the node that directly follows a path.
    fn unlink(&mut self, node: u32, path: &Path) -> Option<T> {
        for (level, &(before, _)) in path.iter().enumerate().take(self.height) {
            if self.link(before, level).next == node {
                let Link { next, span } = self.link(node, level);
                let link = self.link_mut(before, level);
                link.next = next;
                link.span = link.span + span - 1;
            } else {
                self.link_mut(before, level).span -= 1;
            }
        }
        self.len -= 1;
        let Node { element, height, .. } = &mut self.nodes[node as usize];
        self.free[usize::from(*height) - 1].push(node);
        element.take()
    }

    /// Returns the node at `rank`, or the head if there is none.
    #[inline]
    fn node_at(&self, rank: usize) -> u32 {
        let (mut node, mut left) = (HEAD, rank + 1);
        for level in (0..self.height).rev() {
            loop {
                let Link { next, span } = self.link(node, level);
                if next == HEAD || span as usize > left {
                    break;
                }
                node = next;
                left -= span as usize;
            }
        }
        if left == 0 { node } else { HEAD }
    }

    fn elements_from(&self, mut node: u32) -> impl Iterator<Item = &T> {
        std::iter::from_fn(move || {
            let element = self.element(node)?;
            node = self.link(node, 0).next;
            Some(element)
        })
    }
}

impl<T> Default for Textbook<T> {
    fn default() -> Self {
        let height = MAX_HEIGHT as u8;
        Textbook {
            nodes: vec![Node { element: None, lowest: NOWHERE, tower: 0, height }],
            links: vec![NOWHERE; MAX_HEIGHT - 1],
            free: Default::default(),
            height: 1,
            len: 0,
            rng: SmallRng::seed_from_u64(1),
        }
    }
}

impl<T: Ord + 'static> FromIterator<T> for Textbook<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut list = Textbook::default();
        elements.into_iter().for_each(|element| list.insert(element));
        list
    }
}

impl<T: Ord + 'static> Ordered<T> for Textbook<T> {
    const NAME: &'static str = "textbook skip list + HashMap";

    #[inline]
    fn insert(&mut self, element: T) {
        let path = self.path(&element);
        let mut height = 1;
        while height < MAX_HEIGHT && self.rng.random_ratio(1, 4) {
            height += 1;
        }
        for level in self.height..height {
            // The link passes all elements and points to the end.
            *self.link_mut(HEAD, level) = Link { next: HEAD, span: self.len as u32 + 1 };
        }
        self.height = self.height.max(height);

        let node = self.free[height - 1].pop().unwrap_or_else(|| {
            let tower = self.links.len() as u32;
            self.links.resize(self.links.len() + height - 1, NOWHERE);
            self.nodes.push(Node { element: None, lowest: NOWHERE, tower, height: height as u8 });
            self.nodes.len() as u32 - 1
        });
        self.nodes[node as usize].element = Some(element);
        let rank = path[0].1 + 1;
        for (level, &(before, before_rank)) in path.iter().enumerate().take(self.height) {
            if level >= height {
                self.link_mut(before, level).span += 1;
                continue;
            }
            let passed = (rank - before_rank) as u32;
            let link = self.link_mut(before, level);
            let behind = Link { next: link.next, span: link.span + 1 - passed };
            *link = Link { next: node, span: passed };
            *self.link_mut(node, level) = behind;
        }
        self.len += 1;
    }

    #[inline]
    fn take(&mut self, element: &T) -> Option<T> {
        let path = self.path(element);
        let node = self.link(path[0].0, 0).next;
        if self.element(node) == Some(element) { self.unlink(node, &path) } else { None }
    }

    #[inline]
    fn pop_first(&mut self) -> Option<T> {
        match self.link(HEAD, 0).next {
            HEAD => None,
            first => self.unlink(first, &[(HEAD, 0); MAX_HEIGHT]),
        }
    }

    #[inline]
    fn range_from(&self, start: &T) -> impl Iterator<Item = &T> {
        let (before, _) = self.path(start)[0];
        self.elements_from(self.link(before, 0).next)
    }

    #[inline]
    fn range_from_rank(&self, rank: usize) -> impl Iterator<Item = &T> {
        // The head has no element, so iteration from it yields nothing.
        self.elements_from(self.node_at(rank))
    }

    fn iter(&self) -> impl Iterator<Item = &T> {
        self.elements_from(self.link(HEAD, 0).next)
    }

    #[inline]
    fn below(&self, element: &T) -> usize {
        self.path(element)[0].1
    }
}
