//! Writes the memory layout: the first memories of the machine `mps2-an386`, which runs code for
//! any Cortex-M up to the M4.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let layout = "MEMORY {\n  FLASH : ORIGIN = 0x00000000, LENGTH = 4M\n  RAM : ORIGIN = 0x20000000, LENGTH = 4M\n}\n";
    fs::write(folder.join("memory.x"), layout).expect("the folder is writable");
    println!("cargo::rustc-link-search={}", folder.display());
    println!("cargo::rerun-if-changed=build.rs");
}
