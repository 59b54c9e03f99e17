//! Tests the shell: the program with scripts, and at a terminal.

mod arguments;
mod help;
mod pictures;
mod redis_cli;
#[path = "../reply/mod.rs"]
mod reply;
mod running;
mod scripts;
#[path = "../serving/mod.rs"]
mod serving;
#[cfg(target_os = "linux")]
mod terminal;
