//! Writes the memory layout of the emulated machine.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let target = env::var("TARGET").expect("cargo sets it");
    let is_measuring = env::var_os("CARGO_FEATURE_MEASURE").is_some();
    // Sizes are in kilobytes. The heap is a part of the RAM.
    let (flash, ram_start, ram, heap) = match target.as_str() {
        // The machine is mps2-an386, which also runs code for smaller processors.
        target if is_measuring || target == "thumbv7em-none-eabi" => {
            (4096, "0x21000000", 16384, 8192)
        }
        "thumbv7m-none-eabi" => (256, "0x20000000", 64, 48), // lm3s6965evb
        "thumbv6m-none-eabi" => (256, "0x20000000", 16, 8),  // microbit
        other => panic!("no machine for {other}"),
    };
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let flash = format!("FLASH : ORIGIN = 0x00000000, LENGTH = {flash}K");
    let layout =
        format!("MEMORY {{\n  {flash}\n  RAM : ORIGIN = {ram_start}, LENGTH = {ram}K\n}}\n");
    fs::write(folder.join("memory.x"), layout).expect("the folder is writable");
    println!("cargo::rustc-env=ZSET_HEAP_BYTES={}", heap << 10);
    println!("cargo::rustc-link-search={}", folder.display());
    println!("cargo::rerun-if-changed=build.rs");
}
