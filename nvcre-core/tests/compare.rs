//! Differences of renderings: what is said, that it is all, and that the order of nodes makes none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr)]
#![allow(clippy::print_stdout, clippy::disallowed_methods, missing_docs)]

mod support;

use nvcre_core::compare::{
    Content, Difference, RenderedFiles, RenderedSide, What, apply, read_side, rendered_files, renderings,
};
use nvcre_core::engine::{Delivery, Engine, Options};
use nvcre_core::fleet::Inventory;
use nvcre_core::yaml;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};
use support::{basic, exec, labelled, nodes, run_text, torch, with};

/// One side: a spec, nodes and options.
struct Given<'g> {
    spec: Value,
    nodes: Option<&'g Inventory>,
    options: Options,
}

fn on<'g>(spec: &Value, nodes: &'g Inventory) -> Given<'g> {
    Given { spec: spec.clone(), nodes: Some(nodes), options: Options::default() }
}

/// The difference, and what each side prints.
fn compare(delivery: Delivery, a: &Given<'_>, b: &Given<'_>) -> (Difference, [Vec<Value>; 2]) {
    let engine = Engine::new();
    let read = |side: &Given<'_>| engine.read_run(run_text(&side.spec).as_bytes(), "run.yaml", false);
    let runs = [read(a), read(b)];
    let [old, new] = [engine.render(&runs[0], a.nodes, &a.options), engine.render(&runs[1], b.nodes, &b.options)];
    let jobs = [&old, &new].map(|r| r.inventory.map(|_| r.jobs(delivery)));
    let printed = |side: usize| -> Vec<Value> {
        let Some(prepared) = jobs[side].as_ref().and_then(|j| j.prepared.as_ref()) else {
            return vec![[&old, &new][side].workflow_value()];
        };
        let jobs = prepared.jobs().flat_map(|job| prepared.manifests(job));
        prepared.shared(yaml::to_yaml).into_iter().chain(jobs).map(|m| m.value).collect()
    };
    let difference = renderings(
        &RenderedSide { file: "a.yaml", rendering: &old, jobs: jobs[0].as_ref() },
        &RenderedSide { file: "b.yaml", rendering: &new, jobs: jobs[1].as_ref() },
    );
    (difference, [printed(0), printed(1)])
}

fn difference(a: &Given<'_>, b: &Given<'_>) -> Difference {
    compare(Delivery::Trainer, a, b).0
}

fn said(difference: &Difference) -> Vec<&str> {
    difference.meanings.iter().map(|m| m.text.as_str()).collect()
}

fn without(inventory: &Inventory, names: &[&str]) -> Inventory {
    let mut out = inventory.clone();
    out.nodes.retain(|node| !names.contains(&inventory.text(node.name)));
    out
}

fn cordoned(inventory: &Inventory, names: &[&str]) -> Inventory {
    let mut out = inventory.clone();
    out.nodes.iter_mut().for_each(|node| node.unschedulable = names.contains(&inventory.text(node.name)));
    out
}

#[test]
fn nothing_differs_from_itself() {
    let all = nodes("aws", "gb300", 16);
    for spec in [basic(), torch(), exec()] {
        for delivery in [Delivery::Trainer, Delivery::Controller] {
            let (found, _) = compare(delivery, &on(&spec, &all), &on(&spec, &all));
            assert!(found.is_empty(), "{found:#?}");
        }
    }
}

#[test]
fn it_says_first_what_it_means() {
    let all = nodes("onprem", "h100", 16);
    let run = with(basic(), json!({"env": [{"name": "NCCL_NET_PLUGIN", "value": "own"}]}));
    let base = on(&run, &all);
    let env = |list: Value| with(basic(), json!({ "env": list }));
    let mpi = |words: Value| {
        let mut spec = run.clone();
        spec["framework"]["mpi"]["mpiArgs"] = words;
        spec
    };
    let cases: Vec<(Value, &[&str])> = vec![
        (
            env(json!([{"name": "NCCL_NET_PLUGIN", "value": "none"}])),
            &["NCCL_NET_PLUGIN is now none on all ranks (was own)"],
        ),
        (basic(), &["NCCL_NET_PLUGIN is no longer set on the ranks (was own)"]),
        (
            with(run.clone(), json!({"numNodes": 8})),
            &[
                "jobs are of 8 nodes instead of 4",
                "there are 2 groups instead of 4",
                "2 groups are gone",
                "2 groups gain 4 nodes each",
                "8 nodes move to another group",
            ],
        ),
        (
            with(run.clone(), json!({"orchestration": {"timeoutPerJob": "1h"}})),
            &["a job is stopped after 1h0m0s instead of 24h0m0s"],
        ),
        (
            with(run.clone(), json!({"orchestration": {"maxConcurrent": 2}})),
            &["2 groups run at a time, not all at once"],
        ),
        (
            with(run.clone(), json!({"image": "registry.example/other:2"})),
            &["the image is registry.example/other:2 (was nvcr.io/nvidia/pytorch:26.01-py3)"],
        ),
        (mpi(json!(["--mca", "pml", "ucx"])), &["mpirun also gets --mca pml ucx"]),
        (
            mpi(json!(["-x", "NCCL_NET_PLUGIN=last"])),
            &[
                "NCCL_NET_PLUGIN is now last on all ranks (was own)",
                "a new notice NV357: NCCL_NET_PLUGIN is \"own\" in spec.env and \"last\" here: the ranks see this one, and the containers the other",
            ],
        ),
        (
            with(run.clone(), json!({"overrides": [{"when": {}, "preCommand": ["ulimit -l unlimited"]}]})),
            &["the run's override spec.overrides[0] now applies", "before the command now runs: ulimit -l unlimited"],
        ),
    ];
    for (spec, wanted) in cases {
        let found = difference(&base, &on(&spec, &all));
        assert_eq!(said(&found), wanted, "{spec}");
        assert!(!found.run.is_empty());
    }
}

#[test]
fn nodes_and_groups_are_told() {
    let all = nodes("onprem", "h100", 16);
    let twos = with(basic(), json!({"numNodes": 2}));
    // The end of the list leaves: nothing shifts.
    let found = difference(&on(&twos, &all), &on(&twos, &cordoned(&all, &["node-15", "node-16"])));
    assert_eq!(
        said(&found),
        [
            "14 nodes take part instead of 16",
            "there are 7 groups instead of 8",
            "2 nodes no longer take part: cordoned",
            "1 group is gone",
            "a new warning NV115: 2 nodes of the target left out as cordoned: node-15, node-16",
        ]
    );
    assert_eq!(found.left[0].reason, "is cordoned (spec.unschedulable: true)");
    assert_eq!((found.groups.len(), found.moves.len()), (1, 0));
    // The other way round.
    let found = difference(&on(&twos, &without(&all, &["node-01"])), &on(&twos, &without(&all, &["node-16"])));
    assert_eq!(said(&found)[0], "1 node no longer takes part: not among the nodes of B");
    assert_eq!(said(&found)[1], "1 node now takes part: not among the nodes of A");
    // One of the middle leaves: every group behind it shifts by one.
    let found = difference(&on(&twos, &all), &on(&twos, &without(&all, &["node-08", "node-09"])));
    let told: Vec<String> = found
        .groups
        .iter()
        .map(|g| format!("{:?} {:?} -{:?} +{:?}", g.a.as_deref(), g.b.as_deref(), g.lost, g.gained))
        .collect();
    assert_eq!(
        told,
        [
            r#"Some("group-3") Some("group-3") -["node-08"] +["node-10"]"#,
            r#"Some("group-4") None -["node-09", "node-10"] +[]"#,
            r#"Some("group-5") Some("group-4") -[] +[]"#,
            r#"Some("group-6") Some("group-5") -[] +[]"#,
            r#"Some("group-7") Some("group-6") -[] +[]"#,
        ]
    );
    assert_eq!(found.moves.len(), 1);
    assert_eq!(
        (found.moves[0].from.as_slice(), found.moves[0].to.as_slice()),
        (&["group-4".into()][..], &["group-3".into()][..])
    );
    // A group of what is left over borrows.
    let found = difference(&on(&basic(), &all), &on(&basic(), &without(&all, &["node-16"])));
    assert!(said(&found).contains(&"1 node now runs in more groups than before"), "{:?}", said(&found));
    assert!(said(&found).iter().any(|text| text.starts_with("a new notice NV255: ")));
}

#[test]
fn another_gpu_says_what_applies() {
    let (h100, gb300) = (nodes("aws", "h100", 16), nodes("aws", "gb300", 16));
    let found = difference(&on(&basic(), &h100), &on(&basic(), &gb300));
    let said = said(&found);
    assert_eq!(
        said[..2],
        ["the GPU is gb300 instead of h100", "the GPU products are NVIDIA-GB300 instead of NVIDIA-H100-80GB-HBM3"]
    );
    for wanted in [
        "multi-node NVLink is on now",
        "platform entry E11 aws-h100-efa applies no more",
        "platform entry E7 aws-gb300-mpi-transport now applies",
        "NCCL_MNNVL_ENABLE is now 1 on all ranks (was 0)",
        "mpirun also gets --mca pml ob1",
        "a pod of node asks for 4 nvidia.com/gpu instead of 8",
        "every job also gets ComputeDomain my-workload-compute-domain-*",
    ] {
        assert!(said.contains(&wanted), "{wanted}: {said:#?}");
    }
    assert!(found.meanings.iter().any(|m| matches!(m.what, What::Finding { added: false, .. })));
}

fn files(objects: &[Value], json: bool) -> RenderedFiles {
    let text: String = match json {
        true => objects.iter().map(|o| yaml::to_json_pretty(o) + "\n").collect(),
        false => yaml::to_yaml_documents(objects),
    };
    let read = read_side("out", &[("out", text.as_bytes())]);
    assert_eq!(read.diagnostics, []);
    match read.value {
        Content::Rendered(files) => files,
        other => panic!("{other:?}"),
    }
}

/// Names that are too long are cut and end in a hash; all jobs are alike all the same.
#[test]
fn files_with_cut_names_are_compared() {
    let (all, fewer) = (nodes("aws", "gb300", 50), nodes("aws", "gb300", 49));
    let twos = with(basic(), json!({"numNodes": 2}));
    for name in ["nccl-all-reduce-fleet-sweep", "nccl-all-reduce-fleet-sweep-nightly"] {
        for delivery in [Delivery::Trainer, Delivery::Controller] {
            let named = |nodes| {
                let mut given = on(&twos, nodes);
                given.options.flags.name = name.to_owned();
                given
            };
            let (found, [a, b]) = compare(delivery, &named(&all), &named(&fewer));
            assert_eq!((found.a.groups, found.objects.len(), found.groups.len()), (Some(25), 0, 1), "{found:#?}");
            let told = rendered_files(&files(&a, false), &files(&b, true)).value;
            assert_eq!(told.objects, [], "{name} {delivery:?}");
            assert_eq!(told.groups, found.groups);
        }
    }
}

/// A run with its nodes, in a few words.
#[derive(Debug, Clone)]
struct Made {
    platform: (&'static str, &'static str),
    spec: Value,
    /// The rack of each node of twelve; those that are left out have none.
    racks: Vec<Option<usize>>,
    edition: Option<&'static str>,
}

const RACKS: [&str; 3] = ["rack-a", "rack-b", "rack-c"];

impl Made {
    fn inventory(&self) -> Inventory {
        let labels: Vec<[(&str, &str); 2]> = self
            .racks
            .iter()
            .map(|r| RACKS[r.unwrap_or(0)])
            .map(|rack| [("example.org/rack", rack), ("nvidia.com/gpu.clique", rack)])
            .collect();
        let labels: Vec<&[(&str, &str)]> = labels.iter().map(|l| &l[..]).collect();
        let mut out = labelled(self.platform.0, self.platform.1, &labels);
        let kept: Vec<bool> = self.racks.iter().map(Option::is_some).collect();
        let mut kept = kept.iter();
        out.nodes.retain(|_| *kept.next().unwrap());
        out
    }

    fn given<'g>(&self, inventory: &'g Inventory) -> Given<'g> {
        let options = Options { edition: self.edition.map(str::to_owned), ..Options::default() };
        Given { spec: self.spec.clone(), nodes: Some(inventory), options }
    }
}

fn made() -> impl Strategy<Value = Made> {
    let platform = select(vec![("aws", "gb300"), ("aws", "h100"), ("gcp", "h100"), ("onprem", "gb300")]);
    let base = select(vec![basic(), basic(), torch(), exec()]);
    let edits = vec![
        json!({"numNodes": 2}),
        json!({"numNodes": 3}),
        json!({"env": [{"name": "NCCL_DEBUG", "value": "WARN"}, {"name": "MINE", "value": "1"}]}),
        json!({"env": [{"name": "MINE", "value": "1"}]}),
        json!({"orchestration": {"topology": {"topologyKey": "example.org/rack", "strictDomain": true}}}),
        json!({"orchestration": {"repeatCount": 2, "topology": {"topologyKey": "example.org/rack"}}}),
        json!({"orchestration": {"placement": "Unpinned"}}),
        json!({"overrides": [{"when": {}, "preCommand": ["true"]}]}),
        json!({"image": "registry.example/x:1"}),
    ];
    let racks = prop::collection::vec(prop::option::weighted(0.9, 0..3usize), 12);
    let edition = prop::option::of(Just("latest"));
    (platform, base, subsequence(edits, 0..4), racks, edition).prop_map(|(platform, base, edits, racks, edition)| {
        let mut spec = edits.into_iter().fold(base, with);
        if spec["framework"].get("mpi").is_some() && edition.is_some() {
            spec["framework"]["mpi"]["mpiArgs"] = json!(["--mca", "pml", "ucx"]);
        }
        Made { platform, spec, racks, edition }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Nothing is told that does not show, and nothing that shows is left untold; files say the same as renderings.
    #[test]
    fn what_is_told_is_what_differs(a in made(), b in made(), same_run in any::<bool>(), controller in any::<bool>()) {
        let b = if same_run { Made { spec: a.spec.clone(), platform: a.platform, ..b } } else { b };
        let (old, new) = (a.inventory(), b.inventory());
        let delivery = if controller { Delivery::Controller } else { Delivery::Trainer };
        let (found, [printed_a, printed_b]) = compare(delivery, &a.given(&old), &b.given(&new));
        // Runs with errors have no jobs.
        prop_assume!(found.a.groups.is_some() && found.b.groups.is_some());
        if found.is_empty() {
            prop_assert_eq!(&printed_a, &printed_b);
        }
        if printed_a == printed_b {
            prop_assert!(found.run.is_empty() && found.objects.is_empty() && found.groups.is_empty(), "{:#?}", found);
        }
        let (files_a, files_b) = (files(&printed_a, false), files(&printed_b, true));
        let read = rendered_files(&files_a, &files_b);
        prop_assert_eq!(read.diagnostics, []);
        let told = read.value;
        prop_assert_eq!(&told.groups, &found.groups);
        prop_assert_eq!(&told.moves, &found.moves);
        prop_assert_eq!(&told.objects, &found.objects);
        if delivery == Delivery::Trainer {
            prop_assert_eq!(&told.run, &found.run);
        }
        prop_assert!(rendered_files(&files_a, &files(&printed_a, true)).value.is_empty());
    }

    #[test]
    fn the_order_of_nodes_makes_no_difference(a in made(), order in Just((0..12usize).collect::<Vec<_>>()).prop_shuffle()) {
        let inventory = a.inventory();
        let mut shuffled = inventory.clone();
        shuffled.nodes = order.iter().filter_map(|at| inventory.nodes.get(*at).cloned()).collect();
        for delivery in [Delivery::Trainer, Delivery::Controller] {
            let (found, _) = compare(delivery, &a.given(&inventory), &a.given(&shuffled));
            prop_assert!(found.is_empty(), "{:#?}", found);
        }
    }

    /// The changes of a Workflow make one of the other.
    #[test]
    fn changes_of_workflows_are_exact(a in made(), b in made()) {
        let (old, new) = (a.inventory(), b.inventory());
        let engine = Engine::new();
        let render = |made: &Made, nodes: &Inventory| {
            let run = engine.read_run(run_text(&made.spec).as_bytes(), "run.yaml", false);
            engine.render(&run, Some(nodes), &made.given(nodes).options).workflow_value()
        };
        let (mut old, new) = (render(&a, &old), render(&b, &new));
        let changes = nvcre_core::compare::values(&old, &new);
        apply(&mut old, &changes).unwrap();
        prop_assert_eq!(old, new);
    }
}
