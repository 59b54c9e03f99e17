//! Notes which compiler built the benchmarks, since a table of figures must name it.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = env::var_os("RUSTC")
        .and_then(|rustc| Command::new(rustc).arg("--version").output().ok())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_else(|| "an unknown rustc".into());
    println!("cargo::rustc-env=ZSET_BENCH_RUSTC={}", version.trim());
}
