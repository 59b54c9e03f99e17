//! Reads the image of a program.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

use crate::Result;

/// The contents of an image.
pub(crate) struct Image {
    /// The bytes in flash: code, constants, and initial values of variables.
    pub(crate) flash: u64,
    /// The names of functions and constants, with their sizes.
    pub(crate) symbols: Vec<(String, u64)>,
    /// The strings among the constants.
    pub(crate) texts: Vec<String>,
}

impl Image {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let file = object::File::parse(&*bytes)?;
        let (mut flash, mut texts) = (0, Vec::new());
        for section in file.sections() {
            match section.name()? {
                ".text" | ".data" => flash += section.size(),
                ".rodata" => {
                    flash += section.size();
                    texts = texts_in(section.data()?);
                }
                _ => {}
            }
        }
        // Several names may share an address.
        let mut symbols = BTreeMap::new();
        for symbol in file.symbols() {
            let is_in_flash = symbol.address() < 0x2000_0000;
            let is_code = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Data);
            if is_in_flash && is_code && symbol.size() > 0 {
                let name = format!("{:#}", rustc_demangle::demangle(symbol.name()?));
                symbols.insert((symbol.address(), name), symbol.size());
            }
        }
        let symbols = symbols.into_iter().map(|((_, name), size)| (name, size)).collect();
        Ok(Image { flash, symbols, texts })
    }

    /// Returns the symbols that satisfy a condition.
    pub(crate) fn names(&self, is_wanted: fn(&str) -> bool) -> Vec<&str> {
        self.symbols.iter().map(|(name, _)| name.as_str()).filter(|name| is_wanted(name)).collect()
    }

    /// Returns the sizes of the modules, the largest first.
    pub(crate) fn modules(&self) -> Vec<(String, u64)> {
        let mut sizes = BTreeMap::new();
        for (name, size) in &self.symbols {
            *sizes.entry(module(name)).or_insert(0) += size;
        }
        let mut sizes: Vec<_> = sizes.into_iter().collect();
        sizes.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
        sizes
    }
}

/// Returns the crate and the module of a symbol.
fn module(name: &str) -> String {
    let path = name.trim_start_matches('<');
    let end = path.find([' ', '<', '>']).unwrap_or(path.len());
    let parts: Vec<_> = path[..end].split("::").filter(|part| !part.is_empty()).collect();
    match parts[..] {
        [crate_name, module, _, ..] => format!("{crate_name}::{module}"),
        [crate_name, _] => crate_name.to_owned(),
        _ => name.to_owned(),
    }
}

/// Returns whether a function uses floating-point arithmetic.
pub(crate) fn is_soft_float(name: &str) -> bool {
    let is_arm = name.strip_prefix("__aeabi_").is_some_and(|operation| {
        ["f", "d", "cf", "cd"].iter().any(|start| operation.starts_with(start))
            || ["2f", "2d"].iter().any(|end| operation.ends_with(end))
    });
    let is_gcc = name.starts_with("__") && ["df", "sf"].iter().any(|kind| name.contains(kind));
    is_arm || is_gcc || name.starts_with("compiler_builtins::float::")
}

/// Returns whether a function allocates.
pub(crate) fn is_allocator(name: &str) -> bool {
    ["__rust_", "__rg_", "__rdl_", "embedded_alloc"].iter().any(|part| name.contains(part))
        || ["alloc::", "<alloc::"].iter().any(|start| name.starts_with(start))
}

/// Returns the runs of at least 6 printable characters.
fn texts_in(bytes: &[u8]) -> Vec<String> {
    bytes
        .split(|byte| !matches!(byte, b' '..=b'~'))
        .filter(|run| run.len() >= 6)
        .map(|run| String::from_utf8_lossy(run).into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_float_is_known_by_its_names() {
        let yes = [
            "__aeabi_dadd",
            "__aeabi_fcmplt",
            "__aeabi_ui2d",
            "__aeabi_d2lz",
            "__adddf3",
            "__cmpsf2",
        ];
        assert!(yes.into_iter().all(is_soft_float));
        let no = [
            "__aeabi_memcpy",
            "__aeabi_uidiv",
            "__aeabi_lmul",
            "__aeabi_ldivmod",
            "core::fmt::write",
        ];
        assert!(!no.into_iter().any(is_soft_float));
    }

    #[test]
    fn modules_have_two_parts() {
        assert_eq!(
            module("<zset_core::score::Score as core::fmt::Display>::fmt"),
            "zset_core::score"
        );
        assert_eq!(
            module("zset_core::dict::grow::<impl zset_core::dict::Dict>::make_room"),
            "zset_core::dict"
        );
        assert_eq!(module("zset_minimal::input"), "zset_minimal");
        assert_eq!(module("Reset"), "Reset");
    }

    #[test]
    fn texts_are_runs_of_printable_characters() {
        assert_eq!(texts_in(b"\0\x01src/lib.rs\0ab\0panicked"), ["src/lib.rs", "panicked"]);
    }
}
