//! Any bytes as a catalogue; one without errors renders.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nvcre_core::catalogue::Catalogue;
use nvcre_core::diagnostic::has_errors;
use nvcre_core::engine::{Engine, Options};

const RUN: &[u8] = include_bytes!("../../fixtures/page-basic-aws-gb300/run.yaml");

fuzz_target!(|bytes: &[u8]| {
    let read = Catalogue::read(bytes, "catalogue.yaml");
    if has_errors(&read.diagnostics) {
        return;
    }
    let platform = read.value.platforms.first().map(|p| p.name.clone());
    let gpu_arch = read.value.architectures.first().map(|a| a.name.clone());
    let engine = Engine::with_catalogue(read.value);
    let input = engine.read_run(RUN, "run.yaml", false);
    let options = Options { platform, gpu_arch, ..Options::default() };
    let nodes = engine.assume_nodes(&input, &options, 4).value;
    nvcre_fuzz::properties::render(&engine, &input, Some(&nodes), &options);
});
