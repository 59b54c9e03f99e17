//! The shell: the program with scripts and at a terminal.

mod arguments;
mod golden;
mod help;
#[path = "../patient/mod.rs"]
mod patient;
mod pictures;
#[path = "../process/mod.rs"]
mod process;
mod redis_cli;
mod running;
mod scripts;
#[cfg(target_os = "linux")]
mod terminal;
