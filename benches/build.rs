//! Records the versions of the compiler and of the sorted-set crates, which are printed with all
//! results.

use std::process::Command;
use std::{env, fs};

/// The crates whose versions are recorded. std's collections have the version of the compiler.
const CRATES: [&str; 5] = ["zset-core", "indexset", "wabi_tree", "skiplist", "priority-queue"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../Cargo.lock");
    let version = env::var_os("RUSTC")
        .and_then(|rustc| Command::new(rustc).arg("--version").output().ok())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_else(|| "an unknown rustc".into());
    println!("cargo::rustc-env=ZSET_BENCH_RUSTC={}", version.trim());

    let lock = fs::read_to_string("../Cargo.lock").unwrap_or_default();
    let versions = CRATES.map(|name| format!("{name} {}", version_of(name, &lock)));
    println!("cargo::rustc-env=ZSET_BENCH_VERSIONS={}", versions.join(", "));
}

/// Returns the version of a crate in a lock file.
fn version_of<'a>(name: &str, lock: &'a str) -> &'a str {
    let (_, entry) =
        lock.split_once(&format!("name = \"{name}\"\nversion = \"")).unwrap_or_default();
    entry.split('"').next().filter(|version| !version.is_empty()).unwrap_or("of unknown version")
}
