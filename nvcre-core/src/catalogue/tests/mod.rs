//! The built-in catalogue against the tables of 05: who matches what (§4), in what order.

mod effects;
mod facts;

use super::model::may_match;
use super::{Catalogue, Entry, Framework, Inputs};
use crate::api::OverrideSpec;
use crate::catalogue::Framework::{Exec, Mpi, Torch};
use crate::overrides::Parts;
use serde_json::json;

const EDITIONS: [&str; 2] = ["documented", "latest"];

fn inputs(framework: Framework) -> Inputs<'static> {
    Inputs { run: "r", nodes: 4, gpus: 4, nics: 4, mnnvl: true, framework, ..Inputs::default() }
}

/// True for the entries of 05; others may be added.
fn specified(entry: &Entry) -> bool {
    entry.source.starts_with("05 ")
}

/// Numbers of the entries that match.
fn matching(edition: &str, platform: &str, architecture: &str, framework: Framework) -> String {
    let entries = Catalogue::builtin().entries(edition, framework);
    let ids = entries.filter(|e| may_match(e.when(), platform, architecture)).map(|e| e.entry.id.as_str());
    ids.collect::<Vec<_>>().join(" ")
}

fn render(edition: &str, id: &str, inputs: &Inputs<'_>) -> OverrideSpec {
    let catalogue = Catalogue::builtin();
    catalogue.entries(edition, inputs.framework).find(|e| e.entry.id == id).unwrap().render(inputs)
}

#[test]
fn matrix() {
    // Platform, GPUs, every framework, MPI, torch and exec (05 §4); "other" stands for a GPU without entries.
    let rows = [
        ("aws", "h100", "E11", "E12", "E12"),
        ("aws", "gb200", "E1 E2 E8", "E9", "E9"),
        ("aws", "gb300", "E1 E2 E5 E10", "E6 E7", ""),
        ("aws", "h200 a100 l40 l40s b200 b300 rtxpro6000 unknown", "", "", ""),
        ("gcp", "h100", "E13", "", ""),
        ("gcp", "gb200 gb300", "E1 E3 E14", "", ""),
        ("gcp", "rtxpro6000", "E23", "", ""),
        ("gcp", "h200 a100 b200 b300 unknown", "", "", ""),
        ("azure", "gb200 gb300", "E1 E4 E15", "", ""),
        ("azure", "h100 a100 b200 unknown", "E15", "", ""),
        ("togetherai", "gb200 gb300", "E1 E16", "", "E17"),
        ("togetherai", "h100 b200 unknown", "E16", "", "E17"),
        ("mistral", "gb300", "E1 E18", "", "E19"),
        ("mistral", "gb200", "E1", "", ""),
        ("mistral", "h100 b200 unknown", "", "", ""),
        ("onprem", "gb200 gb300", "E1 E20", "", "E21"),
        ("onprem", "b200 b300", "E22", "", ""),
        ("onprem", "h100 unknown", "", "", ""),
        ("nscale", "gb300", "E1 E24 E25", "", ""),
        ("nscale", "b200", "E24 E25", "", ""),
        ("nscale", "gb200", "E1", "", ""),
        ("nscale", "h100 b300 unknown", "", "", ""),
        ("oci", "gb200 gb300", "E1", "", ""),
        ("oci", "h100 l40s unknown", "", "", ""),
        ("forge", "gb200 gb300", "E1", "", ""),
        ("forge", "h100 unknown", "", "", ""),
        ("", "gb200 gb300", "E1", "", ""),
        ("", "h100", "", "", ""),
    ];
    let join = |a: &str, b: &str| {
        let mut ids: Vec<u32> =
            a.split(' ').chain(b.split(' ')).filter_map(|id| id.strip_prefix('E')?.parse().ok()).collect();
        ids.sort_unstable();
        ids.iter().map(|n| format!("E{n}")).collect::<Vec<_>>().join(" ")
    };
    for (platform, architectures, all, mpi, other) in rows {
        for architecture in architectures.split(' ') {
            for (framework, more) in [(Mpi, mpi), (Torch, other), (Exec, other)] {
                let place = format!("{platform} {architecture} {framework:?}");
                assert_eq!(matching("latest", platform, architecture, framework), join(all, more), "latest {place}");
                // V1 = A and V1b = A (05 §5): the cleanup on all of AWS, no EFA variables.
                let documented = match (platform, framework) {
                    ("aws", Mpi) => join(&join(all, more), "E5 E6"),
                    ("aws", _) => join(&join(all, more), "E5"),
                    _ => join(all, more),
                };
                let mut documented: Vec<&str> = documented.split(' ').filter(|e| !["E9", "E12"].contains(e)).collect();
                documented.dedup();
                assert_eq!(matching("documented", platform, architecture, framework), documented.join(" "), "{place}");
            }
        }
    }
}

#[test]
fn order_and_number_of_the_specification_s_entries() {
    let catalogue = Catalogue::builtin();
    let ids: Vec<String> = catalogue.entries.iter().filter(|e| specified(e)).map(|e| e.id.clone()).collect();
    assert_eq!(ids, (1..=25).map(|n| format!("E{n}")).collect::<Vec<_>>());
    let count = |edition, framework| catalogue.entries(edition, framework).filter(|e| specified(e.entry)).count();
    assert_eq!((count("latest", Mpi), count("latest", Torch), count("latest", Exec)), (22, 23, 23));
    assert_eq!((count("documented", Mpi), count("documented", Torch)), (20, 21));
}

#[test]
fn snapshots() {
    // The whole catalogue as a reviewer sees it: by edition and framework, for one typical run.
    for edition in EDITIONS {
        for (name, framework) in [("mpi", Mpi), ("torch", Torch)] {
            let run = Inputs { run: "my-run", nic_resource: "rdma/ib", ..inputs(framework) };
            let entries = Catalogue::builtin().entries(edition, framework).map(|e| {
                let rendered = serde_yaml::to_string(&json!(e.render(&run))).unwrap();
                format!("# {} {}: {}\n{rendered}", e.entry.id, e.entry.name, e.entry.title)
            });
            insta::assert_snapshot!(format!("{edition}-{name}"), entries.collect::<Vec<_>>().join("\n"));
        }
    }
}

#[test]
fn parts_are_told_without_rendering() {
    let mut different = std::collections::BTreeSet::new();
    for edition in EDITIONS {
        for framework in [Mpi, Torch, Exec] {
            for bits in 0u8..64 {
                let on = |bit: u8| bits & (1 << bit) != 0;
                let run = Inputs {
                    nodes: if on(0) { 1 } else { 4 },
                    gpus: if on(1) { 8 } else { 1 },
                    nics: if on(2) { 0 } else { 4 },
                    nic_resource: if on(3) { "rdma/ib" } else { "" },
                    mnnvl: on(4),
                    own_topology_key: on(5),
                    ..inputs(framework)
                };
                for entry in Catalogue::builtin().entries(edition, framework) {
                    let parts = entry.parts(&run);
                    assert_eq!(parts, Parts::of(&entry.render(&run)), "{} {run:?}", entry.entry.name);
                    different.insert(parts.summary());
                }
            }
        }
    }
    assert!(different.len() > 6, "{different:?}");
}
