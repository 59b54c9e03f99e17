//! A drawing of a skip list's blocks and leaves as a tree, with figures about the dict and the memory.

use std::ops::Range;

use unicode_width::UnicodeWidthStr as _;
use zset_core::layout::Node as NodeOf;
use zset_core::{ByteString, Score, SortedSet};

use super::text::{Picture, count, element, percent};
use super::way;

/// The default number of leaves to draw.
const LEAVES: usize = 6;

/// The width of a figure's title, in columns.
const TITLE: usize = 8;

/// The maximum number of lines for the elements of a leaf, unless it is the only leaf.
const LINES: usize = 2;

pub(super) type Node<'a> = NodeOf<'a, ByteString, Score>;

/// Draws the skip list and the dict of a set that uses `bytes` bytes.
pub(super) fn draw(
    set: &SortedSet<ByteString, Score>,
    bytes: usize,
    limit: Option<usize>,
    out: &mut Picture,
) {
    let root = set.as_skip_list().root();
    let leaves = leaves_below(root);
    let shown = limit.unwrap_or(LEAVES).min(leaves);
    let hidden = shown.div_ceil(2)..leaves - shown / 2;
    let max_lines = if root.level() == 0 { usize::MAX } else { LINES };
    let mut tree = Tree { hidden, max_lines, leaf: 0, rank: 0, out };
    tree.draw(root, "", "", "");
    out.line("");
    if root.level() > 0 {
        way::draw(root, out);
        out.line("");
    }
    push_totals(set, bytes, leaves, out);
}

/// Draws the figures of the whole set.
fn push_totals(set: &SortedSet<ByteString, Score>, bytes: usize, leaves: usize, out: &mut Picture) {
    let list = set.as_skip_list();
    let (root, dict) = (list.root(), set.dict_layout());
    let height = match root.level() {
        0 => "no index above the only leaf".to_owned(),
        levels => format!("{} of index above {}", count(levels, "level"), count(leaves, "leaf")),
    };
    let fill = percent(root.span(), leaves * first_leaf(root).capacity());
    let next = " ".repeat(TITLE);
    out.wrapped("", &next, &format!("height  {height}; the leaves are {fill} % full"));
    let directory = match dict.directory {
        0 => String::new(),
        entries => format!(", found by a directory of {}", count(entries, "entry")),
    };
    let load = percent(dict.len, dict.buckets);
    out.wrapped(
        "",
        &next,
        &format!(
            "dict    {} with {}, {load} % full{directory}",
            count(dict.tables, "hash table"),
            count(dict.buckets, "place"),
        ),
    );
    out.wrapped(
        &next,
        &next,
        "a member's hash leads to its leaf and its place there, so to its score",
    );
    let lists = list.allocation_size();
    let rest = bytes - lists - dict.allocation_size;
    let each = bytes / root.span().max(1);
    out.wrapped(
        "",
        &next,
        &format!(
            "bytes   {bytes}, {each} a member: list {lists}, dict {}, long members and the rest {rest}",
            dict.allocation_size,
        ),
    );
}

pub(super) fn leaves_below(node: Node<'_>) -> usize {
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
pub(super) fn name(node: Node<'_>) -> String {
    let kind = if node.level() == 0 { "leaf" } else { "block" };
    format!("{kind} {}", node.id())
}

/// The state of drawing a tree from top to bottom.
struct Tree<'a> {
    /// The indices of the leaves that are omitted.
    hidden: Range<usize>,
    /// The maximum number of lines for the elements of a leaf.
    max_lines: usize,
    /// The index of the next leaf.
    leaf: usize,
    /// The rank of the next element.
    rank: usize,
    out: &'a mut Picture,
}

impl Tree<'_> {
    /// Draws a node and its descendants. Its own line is prefixed with `before` and `branch`, the others
    /// with `before` and `trunk`.
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
        let line = format!("{}: {size}, {ranks}{first}", name(node));
        let (branch, before) = (format!("{before}{branch}"), format!("{before}{trunk}"));
        // The trunk continues beside wrapped lines, which are indented more than the children.
        let children = if node.level() > 0 { "│  " } else { "  " };
        self.out.wrapped(&branch, &format!("{before}{children}"), &line);
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
                let line = format!("not shown: {blocks}{leaves}, {elements}");
                let before = format!("{before}┆  ");
                self.out.wrapped(&before, &before, &line);
            }
            match is_hidden {
                true => {}
                false if index == last => self.draw(child, before, "└─ ", "   "),
                false => self.draw(child, before, "├─ ", "│  "),
            }
        }
    }

    /// Draws as many elements of a leaf as fit.
    fn draw_elements(&mut self, leaf: Node<'_>, before: &str) {
        let before = format!("{before}  ");
        let width = self.out.width() - before.width();
        let texts: Vec<_> = leaf.elements().map(|(member, score)| element(member, score)).collect();
        for line in lines_of(&texts, width, self.max_lines) {
            self.out.wrapped(&before, &before, &line);
        }
    }
}

/// Arranges texts in at most `max` lines. If they do not fit, the last line ends with the number of
/// omitted texts and the last text.
fn lines_of(texts: &[String], width: usize, max: usize) -> Vec<String> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    while start < texts.len() && lines.len() < max {
        let mut end = start + 1;
        let mut columns = texts[start].width();
        while let Some(text) = texts.get(end) {
            columns += 1 + text.width();
            if columns > width {
                break;
            }
            end += 1;
        }
        lines.push(start..end);
        start = end;
    }
    let mut joined: Vec<_> = lines.iter().map(|line| texts[line.clone()].join(" ")).collect();
    if let ([.., last], Some(line)) = (texts, lines.pop())
        && line.end < texts.len()
    {
        joined.pop();
        let ends = (line.start + 1..line.end).rev().chain([line.start]);
        let cut = |end: usize| {
            let more = texts.len() - 1 - end;
            let line = texts[line.start..end].join(" ");
            format!("{line} … {more} more … {last}").trim_start().to_owned()
        };
        let fitting = ends.map(cut).find(|line| line.width() <= width);
        joined.push(fitting.unwrap_or_else(|| cut(line.start)));
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hold_what_has_room_and_tell_what_is_left_out() {
        let texts: Vec<_> = (10..30).map(|number| number.to_string()).collect();
        let all = lines_of(&texts, 29, 2);
        assert_eq!(all, [texts[..10].join(" "), texts[10..].join(" ")]);
        assert_eq!(lines_of(&texts, 28, 2)[1], "19 20 21 22 23 … 5 more … 29");
        assert_eq!(lines_of(&texts, 28, 3).len(), 3);
        assert_eq!(lines_of(&texts, 15, 1), ["… 19 more … 29"]);
        assert!(lines_of(&[], 10, 2).is_empty());
    }
}
