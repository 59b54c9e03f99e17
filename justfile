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

# Change a crate in COUNT ways drawn with SEED, and see which changes no test notices; CONTRIBUTING.md has results
mutants CRATE="zset-std" SEED="1" COUNT="100":
    #!/usr/bin/env bash
    set -euo pipefail
    export PROPTEST_CASES=${PROPTEST_CASES:-32} jobs=${JOBS:-2}
    # Half of the changes are of the code under all others: `core`.
    case {{ CRATE }} in
        zset-core) files='zset-core/src/**' core=src/inner/ first='--lib --test=model --test=zset' ;;
        zset-std) files='zset-std/src/limit/**' core='limit/(registry|funnel|sliding_window)' first='--lib --test=limits' ;;
    esac
    list=$(cargo mutants --list --package {{ CRATE }} --file "$files")
    draw() {
        shuf -n $(({{ COUNT }} / 2)) --random-source <(openssl enc -aes-256-ctr -pass pass:{{ SEED }} -nosalt \
            < /dev/zero 2> /dev/null)
    }
    # As regular expressions: the names have brackets.
    mapfile -t drawn < <({ grep -E "$core" <<< "$list" | draw; grep -vE "$core" <<< "$list" | draw; } |
        sed 's/[][().*+?|^${}\\]/\\&/g; s/.*/--re=^&$/')
    run=(cargo mutants --package {{ CRATE }} --file "$files" "${drawn[@]}" --baseline skip --timeout 300 --jobs "$jobs" --output target)
    rm -rf target/mutants.out*
    # The unit tests and the largest of the others notice most; the rest run for what these miss.
    "${run[@]}" $(printf -- "--cargo-arg=%s " $first) || true
    "${run[@]}" --iterate

# The documentation, in the browser
doc:
    cargo doc --workspace --no-deps --all-features --open
