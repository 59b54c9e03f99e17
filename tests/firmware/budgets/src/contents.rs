//! Which code is linked, and its size.

use crate::Result;
use crate::baseline::Row;
use crate::image::{Image, is_allocator, is_soft_float};
use crate::programs::Programs;

/// How many modules and functions of a program to list.
const LISTED: usize = 15;

/// The name of the measured size.
const FLASH: &str = "flash";

/// Returns by how much each program is larger than the one without the crate.
pub(crate) fn sizes(programs: &Programs) -> Result<Vec<Row>> {
    let sizes = programs.minimal.iter().map(|minimal| {
        let size = Image::read(&minimal.program)?.flash;
        let baseline = Image::read(&minimal.baseline)?.flash;
        Ok(Row::new(minimal.subject, FLASH, size.saturating_sub(baseline)))
    });
    sizes.collect()
}

/// Lists the linked code, and returns the parts that are not permitted, one sentence each.
pub(crate) fn check(programs: &Programs) -> Result<Vec<String>> {
    let mut failures = Vec::new();
    let mut forbid = |subject: &str, what: &str, names: &[&str]| {
        if !names.is_empty() {
            failures.push(format!("{subject} links {what}: {}", names.join(", ")));
        }
    };
    for minimal in &programs.minimal {
        let image = Image::read(&minimal.program)?;
        list(minimal.subject, &image);
        if minimal.has_integer_scores {
            forbid(minimal.subject, "floating-point arithmetic", &image.names(is_soft_float));
        }
        if !minimal.has_heap {
            forbid(minimal.subject, "an allocator", &image.names(is_allocator));
        }
        let messages: Vec<_> =
            image.texts.iter().filter(|text| is_message(text)).map(String::as_str).collect();
        forbid(minimal.subject, "messages of panics", &messages);
    }
    let image = Image::read(&programs.no_allocator)?;
    forbid("no_allocator", "an allocator", &image.names(is_allocator));
    Ok(failures)
}

/// Returns whether a string belongs to a panic: the path of a source file, or a panic message.
fn is_message(text: &str) -> bool {
    ["src/", ".rs", "called `", "panicked", "out of bounds", "out of range", "there is", "zset"]
        .iter()
        .any(|part| text.contains(part))
}

/// Prints the largest modules and functions, and all strings.
fn list(subject: &str, image: &Image) {
    println!("{subject}: {} bytes", image.flash);
    let panics = image.names(|name| name.contains("panic") || name.contains("_fail"));
    println!("  for panics: {}", panics.join(", "));
    println!("  text: {:?}", image.texts);
    let print = |title: &str, sizes: &[(String, u64)]| {
        println!("  {title}:");
        sizes.iter().take(LISTED).for_each(|(name, size)| println!("    {size:6} {name}"));
    };
    print("modules", &image.modules());
    let mut symbols = image.symbols.clone();
    symbols.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    print("functions and constants", &symbols);
}
