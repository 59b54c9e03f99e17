//! A drawing of a skip list's blocks and leaves as a tree, with statistics of the dict and the
//! memory.

use std::fmt::Write as _;
use std::ops::Range;

use zset_core::layout::Node as NodeOf;
use zset_core::{ByteString, Score, SortedSet};

use super::{count, element, percent};

/// The default number of leaves to draw.
const LEAVES: usize = 6;

/// The number of elements of a leaf to draw before the last one, unless it is the only leaf.
const ELEMENTS: usize = 4;

/// The number of elements in a line.
const ELEMENTS_OF_A_LINE: usize = 3;

type Node<'a> = NodeOf<'a, ByteString, Score>;

/// Draws the skip list and the dict of a set that uses `bytes` bytes.
pub(super) fn draw(
    set: &SortedSet<ByteString, Score>,
    bytes: usize,
    limit: Option<usize>,
    out: &mut String,
) {
    let root = set.root();
    let leaves = leaves_below(root);
    let shown = limit.unwrap_or(LEAVES).min(leaves);
    let hidden = shown.div_ceil(2)..leaves - shown / 2;
    let max_elements = if root.level() == 0 { usize::MAX } else { ELEMENTS };
    let mut tree = Tree { hidden, max_elements, leaf: 0, rank: 0, out };
    tree.draw(root, "", "", "");
    out.push('\n');
    if root.level() > 0 {
        push_way(root, out);
        out.push('\n');
    }
    push_totals(set, bytes, leaves, out);
}

/// Draws the statistics of the whole set.
fn push_totals(set: &SortedSet<ByteString, Score>, bytes: usize, leaves: usize, out: &mut String) {
    let (root, dict) = (set.root(), set.dict_layout());
    let height = match root.level() {
        0 => "no index above the only leaf".to_owned(),
        levels => format!("{} of index above {}", count(levels, "level"), count(leaves, "leaf")),
    };
    let fill = percent(root.span(), leaves * first_leaf(root).capacity());
    let directory = match dict.directory {
        0 => String::new(),
        entries => format!(", found by a directory of {}", count(entries, "entry")),
    };
    let load = percent(dict.len, dict.buckets);
    let (tables, buckets) = (count(dict.tables, "hash table"), count(dict.buckets, "bucket"));
    let dicts = dict.allocation_size;
    let lists = set.allocation_size() - dicts;
    let rest = bytes - lists - dicts;
    let each = bytes / root.span().max(1);
    let _ = writeln!(
        out,
        "height  {height}; the leaves are {fill} % full\n\
         dict    {tables} with {buckets}, {load} % full{directory}\n        \
         a member's hash leads to its leaf and slot, and so to its score\n\
         bytes   {bytes}, {each} a member: list {lists}, dict {dicts}, long members and others {rest}"
    );
}

/// Draws the search path of an element in a list that has an index.
fn push_way(root: Node<'_>, out: &mut String) {
    // An element from the middle, so that the path passes some spans.
    let rank = root.span() * 2 / 3;
    let (mut lines, mut sum) = (String::new(), String::new());
    let (mut node, mut left) = (root, rank);
    while node.level() > 0 {
        let (mut passed, mut before) = (0, 0);
        let mut children = node.children();
        let Some(child) = children.find(|child| {
            let is_sought = left < before + child.span();
            if !is_sought {
                passed += 1;
                before += child.span();
            }
            is_sought
        }) else {
            return;
        };
        let (passed, elements) = (count(passed, "child"), count(before, "element"));
        let (this, down) = (name(node), name(child));
        let _ = writeln!(lines, "  {this}: past {passed} with {elements}, down into {down}");
        let _ = write!(sum, "{before} + ");
        left -= before;
        node = child;
    }
    let Some((member, score)) = node.elements().nth(left) else { return };
    let (element, passed, leaf) = (element(member, score), count(left, "element"), name(node));
    let _ = writeln!(
        out,
        "The path to {element}, of rank {rank}:\n\
         {lines}  {leaf}: past {passed}, so the rank is {sum}{left} = {rank}\n\
         A search by score and member descends into the last child that begins at or before them, one by rank\n\
         into the child whose span contains it. The spans passed add up to the rank."
    );
}

fn leaves_below(node: Node<'_>) -> usize {
    match node.level() {
        0 => 1,
        1 => node.children().len(),
        _ => node.children().map(leaves_below).sum(),
    }
}

/// Returns the first leaf below a node, or the node itself if it is a leaf.
fn first_leaf(mut node: Node<'_>) -> Node<'_> {
    while let Some(child) = node.children().next() {
        node = child;
    }
    node
}

/// Returns the name of a node.
fn name(node: Node<'_>) -> String {
    let kind = if node.level() == 0 { "leaf" } else { "block" };
    format!("{kind} {}", node.id())
}

/// The state of drawing a tree from top to bottom.
struct Tree<'a> {
    /// The indices of the leaves that are omitted.
    hidden: Range<usize>,
    /// The maximum number of elements to draw before the last one of a leaf.
    max_elements: usize,
    /// The index of the next leaf.
    leaf: usize,
    /// The rank of the next element.
    rank: usize,
    out: &'a mut String,
}

impl Tree<'_> {
    /// Draws a node and its descendants. Its own line is prefixed with `before` and `branch`, the
    /// others with `before` and `trunk`.
    fn draw(&mut self, node: Node<'_>, before: &str, branch: &str, trunk: &str) {
        let ranks = match node.span() {
            0 => "empty".to_owned(),
            1 => format!("rank {}", self.rank),
            span => format!("ranks {}-{}", self.rank, self.rank + span - 1),
        };
        let first = match first_leaf(node).elements().next() {
            Some((member, score)) if node.level() > 0 => {
                format!(", from {}", element(member, score))
            }
            // The elements of a leaf are drawn below it.
            _ => String::new(),
        };
        let size = match node.level() {
            0 => format!("{} of {} elements", node.span(), node.capacity()),
            level => {
                let children = count(node.children().len(), "child");
                format!("level {level}, {children}, span {}", node.span())
            }
        };
        let _ = writeln!(self.out, "{before}{branch}{}: {size}, {ranks}{first}", name(node));
        let before = format!("{before}{trunk}");
        if node.level() == 0 {
            self.draw_elements(node, &before);
            self.leaf += 1;
            self.rank += node.span();
        } else {
            self.draw_children(node, &before);
        }
    }

    fn draw_children(&mut self, node: Node<'_>, before: &str) {
        let last = node.children().len() - 1;
        // The numbers of children, leaves and elements omitted since the last drawn child.
        let mut left_out = (0, 0, 0);
        for (index, child) in node.children().enumerate() {
            let leaves = leaves_below(child);
            let is_hidden = self.hidden.start <= self.leaf && self.leaf + leaves <= self.hidden.end;
            if is_hidden {
                left_out = (left_out.0 + 1, left_out.1 + leaves, left_out.2 + child.span());
                self.leaf += leaves;
                self.rank += child.span();
            }
            if left_out.0 > 0 && (!is_hidden || index == last) {
                let (children, leaves, elements) = std::mem::take(&mut left_out);
                let blocks = match child.level() {
                    0 => String::new(),
                    _ => count(children, "block") + ", ",
                };
                let (leaves, elements) = (count(leaves, "leaf"), count(elements, "element"));
                let _ = writeln!(self.out, "{before}┆  not shown: {blocks}{leaves}, {elements}");
            }
            match is_hidden {
                true => {}
                false if index == last => self.draw(child, before, "└─ ", "   "),
                false => self.draw(child, before, "├─ ", "│  "),
            }
        }
    }

    /// Draws the first elements of a leaf and the last one.
    fn draw_elements(&mut self, leaf: Node<'_>, before: &str) {
        let mut texts: Vec<_> =
            leaf.elements().map(|(member, score)| element(member, score)).collect();
        let more = texts.len().saturating_sub(self.max_elements.saturating_add(1));
        if more > 0 {
            let omitted = self.max_elements..self.max_elements + more;
            texts.splice(omitted, [format!("… {more} more …")]);
        }
        for line in texts.chunks(ELEMENTS_OF_A_LINE) {
            let _ = writeln!(self.out, "{before}  {}", line.join(" "));
        }
    }
}
