//! Any bytes as a run: reading never panics, and what is read renders or says why not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nvcre_core::diagnostic::has_errors;
use nvcre_core::engine::{Engine, Options};
use nvcre_core::yaml::to_yaml;
use nvcre_fuzz::assert_reads_back;

fuzz_target!(|bytes: &[u8]| {
    let engine = Engine::new();
    let strict = engine.read_run(bytes, "run.yaml", false);
    let lenient = engine.read_run(bytes, "run.yaml", true);
    let declared =
        Options { platform: Some("aws".into()), gpu_arch: Some("gb300".into()), ..Options::default() };
    for input in [&strict, &lenient] {
        for options in [&declared, &Options::default()] {
            let rendering = engine.render(input, None, options);
            if rendering.is_printable() {
                assert_reads_back(&rendering.workflow_value());
            }
        }
    }
    if has_errors(&strict.diagnostics) {
        return;
    }
    // A run that was read is written and read again.
    let value = serde_json::to_value(&strict.run).expect("a run is JSON");
    let again = engine.read_run(to_yaml(&value).as_bytes(), "again.yaml", false);
    assert!(!has_errors(&again.diagnostics), "{:?}\n{}", again.diagnostics, to_yaml(&value));
    assert_eq!(strict.run, again.run);
});
