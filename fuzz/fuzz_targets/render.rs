//! Made-up runs on made-up fleets, rendered in every way.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use nvcre_core::api::Value;
use nvcre_core::engine::{Engine, Options};
use nvcre_core::yaml::to_yaml;
use nvcre_fuzz::{fleet, made, properties};

#[derive(Debug)]
struct Case {
    run: Value,
    nodes: Option<Vec<Value>>,
    options: Options,
    lenient: bool,
}

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Self {
            options: fleet::options(u)?,
            nodes: if made::one_in(u, 8)? { None } else { Some(fleet::nodes(u)?) },
            lenient: u.arbitrary()?,
            run: made::run(u)?,
        })
    }
}

fuzz_target!(|case: Case| {
    let engine = Engine::new();
    let input = engine.read_run(to_yaml(&case.run).as_bytes(), "run.yaml", case.lenient);
    let Some(nodes) = &case.nodes else {
        properties::render(&engine, &input, None, &case.options);
        return;
    };
    let forward = fleet::inventory(nodes.iter());
    let result = properties::render(&engine, &input, Some(&forward), &case.options);
    // The first of two nodes of one name counts, so their order may matter.
    if forward.nodes.len() == nodes.len() {
        let backward = fleet::inventory(nodes.iter().rev());
        let other = properties::render_once(&engine, &input, Some(&backward), &case.options);
        assert_eq!(result, other, "order of nodes");
    }
});
