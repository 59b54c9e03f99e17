//! The shell as people run it: the program itself, with scripts and at a terminal.

mod arguments;
mod golden;
#[path = "../patient/mod.rs"]
mod patient;
mod pictures;
mod redis_cli;
mod running;
mod scripts;
#[cfg(target_os = "linux")]
mod terminal;
