//! Any text as the expression of a condition.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nvcre_core::FieldPath;
use nvcre_core::api::WhenSpec;
use nvcre_core::overrides::{Context, matches};

fuzz_target!(|text: &str| {
    let when = WhenSpec { expression: text.to_owned(), ..WhenSpec::default() };
    let contexts = [
        Context::default(),
        Context { platform: "aws".into(), gpu_architecture: "gb300".into(), domain_count: i64::MAX, ..Context::default() },
    ];
    for context in contexts {
        let first = matches(&when, &context, &FieldPath::root());
        assert_eq!(first, matches(&when, &context, &FieldPath::root()));
    }
});
