//! Draws how a sorted set is stored, for the command SHOW. A listpack is drawn as a table of its
//! bytes. A skip list is drawn as a tree of blocks and leaves, followed by statistics of the dict
//! and the memory.

use std::fmt::Write as _;
use std::ops::Range;

use zset_core::layout::Node as NodeOf;
use zset_core::redis::listpack::{RawEntry, Value as Entry};
use zset_core::{ByteString, Listpack, ListpackLimits, Score, SortedSet};

use super::display::write_escaping;
use crate::keyspace::{Keyspace, Value};
use crate::replies::CommandError;
use crate::requests::parse_integer;

/// Draws the value of a key, given the arguments of SHOW: `key [LIMIT count]`. The limit is the
/// number of leaves, or of members of a listpack, to draw: half of them from the start, half from
/// the end.
pub(super) fn show(arguments: &[Vec<u8>], keyspace: &Keyspace) -> Result<String, CommandError> {
    let (key, limit) = match arguments {
        [] => return Err(CommandError::wrong_arity("show")),
        [key] => (key, None),
        [key, option, count] if option.eq_ignore_ascii_case(b"limit") => {
            let count = parse_integer(count).ok_or(CommandError::NOT_AN_INTEGER)?;
            let limit = usize::try_from(count);
            (key, Some(limit.map_err(|_| CommandError::err("LIMIT can't be negative"))?))
        }
        _ => return Err(CommandError::SYNTAX),
    };
    let name = quoted(key);
    match keyspace.value(key) {
        None => Err(CommandError::err("no such key")),
        Some(Value::String(string)) => {
            let bytes = count(string.len(), "byte");
            Ok(format!("{name} is a string of {bytes}: {}\n", quoted(string)))
        }
        Some(Value::Set(set)) => {
            let members = count(set.len(), "member");
            Ok(format!("{name} is a plain set of {members}\n"))
        }
        Some(Value::SortedSet(set)) => {
            let members = count(set.len(), "member");
            let mut out = format!("{name} is a {} of {members}\n\n", set.encoding());
            if let Some(list) = set.as_listpack() {
                draw_listpack(list, set.limits(), limit, &mut out);
            }
            if let Some(sorted) = set.as_sorted_set() {
                draw_skip_list(sorted, set.allocation_size(), limit, &mut out);
            }
            Ok(out)
        }
    }
}

// Formatting of strings, for both kinds of drawings.

/// The maximum length of a member, in characters.
const MEMBER: usize = 23;

/// Returns bytes in quotes, as they could be typed; a long string is truncated with `…`.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::new();
    // A character has at most four bytes, so these bytes include the first that is not shown.
    write_escaping(&bytes[..bytes.len().min(4 * (MEMBER + 1))], "\"\\", &mut text);
    match text.char_indices().nth(MEMBER) {
        None => format!("\"{text}\""),
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
    }
}

fn element(member: &[u8], score: Score) -> String {
    format!("({score}, {})", quoted(member))
}

/// Returns a count with its noun: `1 leaf`, `2 leaves`.
fn count(number: usize, thing: &str) -> String {
    match (number, thing) {
        (1, _) => format!("1 {thing}"),
        (_, "leaf") => format!("{number} leaves"),
        (_, "child") => format!("{number} children"),
        (_, "entry") => format!("{number} entries"),
        _ => format!("{number} {thing}s"),
    }
}

/// Returns `part` in percent of `whole`; 100 only if they are equal.
fn percent(part: usize, whole: usize) -> usize {
    let rounded = (100 * part + whole / 2).checked_div(whole).unwrap_or(0);
    if part < whole { rounded.min(99) } else { rounded }
}

/// The default number of members to draw.
const MEMBERS: usize = 24;

/// The maximum number of bytes shown in a cell.
const HEX_BYTES: usize = 6;

const COLUMNS: usize = 7;

const HEADINGS: [&str; COLUMNS] = ["offset", "", "bytes", "bits", "written as", "value", "back"];

/// Draws a listpack: the header, the entries, the end.
fn draw_listpack(
    list: &Listpack<Vec<u8>>,
    limits: ListpackLimits,
    members: Option<usize>,
    out: &mut String,
) {
    let bytes = list.as_bytes();
    let end = bytes.len() - 1;
    let mut rows = vec![
        HEADINGS.map(str::to_owned),
        row(0, "header", &bytes[..4], &count(bytes.len(), "byte")),
        row(4, "", &bytes[4..6], &count(list.len(), "entry")),
    ];
    let entries: Vec<_> = list.raw_entries().collect();
    let pairs = entries.len() / 2;
    let members = members.unwrap_or(MEMBERS).min(pairs);
    let (front, back) = (members.div_ceil(2), members / 2);
    for (index, entry) in entries.iter().enumerate() {
        if (front..pairs - back).contains(&(index / 2)) {
            if index == 2 * front {
                let left_out = format!("… {}", count(pairs - members, "member"));
                rows.push(row(entry.offset, &left_out, &[], "not shown"));
            }
            continue;
        }
        rows.push(entry_row(entry, if index % 2 == 0 { "member" } else { "score" }));
    }
    rows.push(row(end, "end", &bytes[end..], ""));
    push_table(&rows, out);
    let _ = writeln!(
        out,
        "\n\
         One allocation, sorted by score, then by member. A search reads entry after entry; the first bytes\n\
         of each give its length. With the back-lengths, it can also start at the end.\n\
         It becomes a skip list above {}, or with a member above {}.",
        count(limits.max_listpack_entries, "member"),
        count(limits.max_listpack_value, "byte")
    );
}

/// Appends rows in columns as wide as their longest cell. The first column, of numbers, is
/// right-aligned.
fn push_table(rows: &[[String; COLUMNS]], out: &mut String) {
    let len = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let lens: [usize; COLUMNS] = std::array::from_fn(|column| len(column).unwrap_or(0));
    for row in rows {
        let mut line = format!("{:>1$}", row[0], lens[0]);
        for (cell, len) in row.iter().zip(lens).skip(1) {
            let _ = write!(line, "  {cell:len$}");
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

fn row(offset: usize, name: &str, bytes: &[u8], meaning: &str) -> [String; COLUMNS] {
    let none = String::new;
    [offset.to_string(), name.to_owned(), hex(bytes), none(), meaning.to_owned(), none(), none()]
}

fn entry_row(entry: &RawEntry<'_>, name: &str) -> [String; COLUMNS] {
    let value = match entry.value {
        Entry::Integer(integer) => integer.to_string(),
        Entry::Bytes(text) => quoted(text),
    };
    [
        entry.offset.to_string(),
        name.to_owned(),
        hex(entry.head),
        bits(entry.head[0]),
        entry.encoding.to_string(),
        value,
        hex(entry.back_length),
    ]
}

/// Returns bytes in hexadecimal, truncated if there are many.
fn hex(bytes: &[u8]) -> String {
    let shown = bytes.len().min(HEX_BYTES);
    let digits: Vec<_> = bytes[..shown].iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ") + if shown < bytes.len() { " …" } else { "" }
}

/// Returns the bits of an entry's first byte: those of its encoding, then those of an integer or a
/// length.
fn bits(first: u8) -> String {
    let kind = match first {
        0x00..=0x7F => 1,
        0x80..=0xBF => 2,
        0xC0..=0xDF => 3,
        0xE0..=0xEF => 4,
        _ => 8,
    };
    let bits = format!("{first:08b}");
    format!("{} {}", &bits[..kind], &bits[kind..])
}

/// The default number of leaves to draw.
const LEAVES: usize = 6;

/// The number of elements of a leaf to draw before the last one, unless it is the only leaf.
const ELEMENTS: usize = 4;

const ELEMENTS_OF_A_LINE: usize = 3;

type Node<'a> = NodeOf<'a, ByteString, Score>;

/// Draws the skip list and the dict of a set that uses `bytes` bytes.
fn draw_skip_list(
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
    // Pick an element after the middle, so that the path usually passes some children.
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
    let (element, passed, leaf) = (element(member, *score), count(left, "element"), name(node));
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

/// Returns the name of a node, such as `leaf 3`.
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
                format!(", from {}", element(member, *score))
            }
            // A leaf needs no first element here, because its elements are drawn below it.
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
            leaf.elements().map(|(member, score)| element(member, *score)).collect();
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
