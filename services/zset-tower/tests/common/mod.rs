//! Parses the headers and bodies of responses, as clients do.

pub(crate) mod redis;

use sfv::{ListEntry, Parser};

/// Parses a list of strings with integer parameters, using a crate for structured fields.
pub(crate) fn parameters<const N: usize>(text: &str, names: [&str; N]) -> Vec<(String, [i64; N])> {
    let list: sfv::List = Parser::new(text).parse().unwrap();
    let entry = |entry: ListEntry| {
        let ListEntry::Item(item) = entry else { panic!("{text}") };
        let number = |name| {
            let value = item.params.iter().find(|(key, _)| key.as_str() == name);
            i64::from(value.unwrap().1.as_integer().unwrap())
        };
        (item.bare_item.as_string().unwrap().as_str().to_owned(), names.map(number))
    };
    list.into_iter().map(entry).collect()
}

/// Returns the status of a problem details object, and the violated policies.
pub(crate) fn problem(body: &str) -> (u64, Vec<String>) {
    let problem: serde_json::Value = serde_json::from_str(body).unwrap();
    let policies = problem["violated-policies"].as_array().into_iter().flatten();
    let policies: Vec<_> = policies.map(|it| it.as_str().unwrap().to_owned()).collect();
    let kind = problem["type"].as_str().unwrap();
    assert_eq!(kind.ends_with("#quota-exceeded"), !policies.is_empty(), "{body}");
    assert!(problem["title"].is_string());
    (problem["status"].as_u64().unwrap(), policies)
}
