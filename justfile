# The recipes; `just` alone lists them.
_default:
    @just --list --unsorted

# All that CI runs, or the given stages of it
check *STAGES:
    .ci/run {{ STAGES }}

# The tests of all crates
test:
    .ci/run test

# The tests against Redis and Valkey, and with existing clients
servers:
    .ci/run servers clients

# The report on sorted sets, a page: hours, or a minute with `--quick`; `just bench --help`
bench *ARGUMENTS:
    cargo run --release -p zset-bench -- report {{ ARGUMENTS }}

# Instructions and cache misses of the main operations, compared with the baseline; `--accept` makes them the baseline
instructions *ARGUMENTS:
    cargo run --release -p zset-bench -- instructions {{ ARGUMENTS }}

# Accept the current public API, with which `.ci/run public-api` compares; review the diff of docs/public-api
public-api:
    ACCEPT_PUBLIC_API=1 .ci/run public-api

# Fuzz one target of fuzz/fuzz_targets
fuzz TARGET="sorted_set_ops" SECONDS="60":
    cargo +nightly fuzz run {{ TARGET }} -- -max_total_time={{ SECONDS }} -rss_limit_mb=4096 -max_len=4096 -len_control=0

# The tests under Miri, for two kinds of machine
miri:
    .ci/run miri

# Change the code in hundreds of ways, and see which changes no test notices; hours, unless SHARD is one of many
mutants CRATE="zset-std" SHARD="0/8":
    PROPTEST_CASES=64 cargo mutants -p {{ CRATE }} --shard {{ SHARD }} --sharding round-robin

# The documentation, in the browser
doc:
    cargo doc --workspace --no-deps --all-features --open
