//! The search path of an element, from the top block to a leaf.

use std::fmt::Write as _;

use super::skip_list::{Node, name};
use super::text::{Picture, count, element};

/// Draws the search path of an element in a list that has an index.
pub(super) fn draw(root: Node<'_>, out: &mut Picture) {
    // An element from the middle, so that the path passes some spans.
    let rank = root.span() * 2 / 3;
    let (mut lines, mut sum) = (Vec::new(), String::new());
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
        let down = name(child);
        lines.push(format!("  {}: past {passed} with {elements}, down into {down}", name(node)));
        let _ = write!(sum, "{before} + ");
        left -= before;
        node = child;
    }
    let Some((member, score)) = node.elements().nth(left) else { return };
    let passed = count(left, "element");
    lines.push(format!("  {}: past {passed}, so the rank is {sum}{left} = {rank}", name(node)));

    out.line(&format!("The way to {}, or to rank {rank}:", element(member, score)));
    for line in lines {
        out.line(&line);
    }
    out.wrapped(
        "",
        "",
        "By score and member it goes down into the last child that begins before or at them, by rank into \
         the one whose span reaches it. The spans passed on the way add up to the rank.",
    );
}
