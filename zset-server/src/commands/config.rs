//! CONFIG.

use std::collections::BTreeMap;

use crate::command::{Context, Handlers, Replied, Stats};
use crate::config::Parameter;
use crate::error::CommandError;
use crate::glob;

pub(super) const HANDLERS: Handlers =
    &[("config|get", get), ("config|resetstat", reset_stat), ("config|set", set)];

fn get(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    // Maps the lowercase name to the requested name and the value.
    let mut found = BTreeMap::new();
    for pattern in &arguments[2..] {
        let is_name = !pattern.iter().any(|byte| b"[*?".contains(byte));
        for parameter in Parameter::all() {
            for name in parameter.names() {
                if glob::matches(&pattern.to_ascii_lowercase(), name.as_bytes()) {
                    let shown = if is_name { pattern } else { name.as_bytes() };
                    found.entry(name).or_insert((shown, parameter));
                }
            }
        }
    }
    context.replies.map(found.len());
    for (shown, parameter) in found.into_values() {
        context.replies.bulk(shown);
        context.replies.bulk(&context.state.config.get(parameter));
    }
    Ok(())
}

fn set(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (pairs, []) = arguments[2..].as_chunks::<2>() else { return Err(CommandError::SYNTAX) };
    let failed = |name: &[u8], why: &str| {
        let before = "CONFIG SET failed (possibly related to argument '";
        CommandError::quoting(before, name, &format!("') - {why}"))
    };
    let mut changes: Vec<(&[u8], &Parameter, &[u8])> = Vec::with_capacity(pairs.len());
    for &[name, value] in pairs {
        let parameter = Parameter::find(name).ok_or_else(|| {
            let before = "Unknown option or number of arguments for CONFIG SET - '";
            CommandError::quoting(before, name, "'")
        })?;
        if changes.iter().any(|(before, ..)| before.eq_ignore_ascii_case(name)) {
            return Err(failed(name, "duplicate parameter"));
        }
        changes.push((name, parameter, value));
    }
    // Apply all changes to a copy first, so that an error leaves the configuration unchanged.
    let mut config = context.state.config.clone();
    for (name, parameter, value) in changes {
        // The error names the parameter in lowercase, as the table does.
        let failed = |why: String| failed(&name.to_ascii_lowercase(), &why);
        config.set(parameter, value).map_err(failed)?;
    }
    context.state.config = config;
    context.ok()
}

fn reset_stat(context: &mut Context<'_>, _: &[&[u8]]) -> Replied {
    context.state.stats = Stats::default();
    context.state.keyspace.expired = 0;
    context.ok()
}
