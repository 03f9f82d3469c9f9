//! The order of an inventory never matters, and no node is forgotten (00 principle 3, D27).

use super::*;
use proptest::prelude::*;

#[derive(Debug, Clone)]
struct Drawn {
    name: String,
    product: usize,
    provider: usize,
    pool: bool,
    present: usize,
    cordoned: bool,
    gpus: usize,
    ready: usize,
    slice: Option<(i64, usize)>,
}

const PRODUCTS: [&str; 5] = ["", "NVIDIA-H100-NVL", "NVIDIA-A100", "NVIDIA-Graphics-Device", "NVIDIA-H100-80GB-HBM3"];

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let one = (
        0usize..5,
        0usize..3,
        any::<bool>(),
        0usize..6,
        0u8..5,
        0usize..4,
        0usize..3,
        proptest::option::of((0i64..3, 1usize..5)),
    );
    proptest::collection::vec(one, 0..24).prop_map(|all| {
        let make = |(n, (product, provider, pool, present, cordoned, gpus, ready, slice))| Drawn {
            name: format!("n{n}"),
            product,
            provider,
            pool,
            present,
            cordoned: cordoned == 0,
            gpus,
            ready,
            slice,
        };
        all.into_iter().enumerate().map(make).collect()
    })
}

fn build(nodes: &[Drawn]) -> Inventory {
    let mut b = InventoryBuilder::new();
    for d in nodes {
        let mut node = b.node(&d.name).cordoned(d.cordoned);
        if d.product > 0 {
            node = node.label("nvidia.com/gpu.product", PRODUCTS[d.product]);
        }
        if d.present > 0 {
            node = node.label("nvidia.com/gpu.present", if d.present == 1 { "false" } else { "true" });
        }
        if d.pool {
            node = node.label("pool", "train").taint("t", "", "NoSchedule");
        }
        if d.gpus > 0 {
            node = node.allocatable("nvidia.com/gpu", ["", "0", "4", "8"][d.gpus]).allocatable("rdma/ib", "8");
        }
        if d.ready > 0 {
            node = node.ready(["", "True", "False"][d.ready]);
        }
        node.provider_id(["", "aws://x", "gce://x"][d.provider]);
        if let Some((generation, product)) = d.slice {
            let devices = [(Some("gpu"), Some(PRODUCTS[product]))];
            b.slice(&format!("{}-{generation}", d.name), "gpu.nvidia.com", Some(&d.name), generation, devices);
            b.slice(&format!("{}-x", d.name), "gpu.nvidia.com", Some(&d.name), 1, [(None, Some("NVIDIA A100"))]);
        }
    }
    b.build()
}

/// Everything a caller can see, as text.
fn everything(inventory: &Inventory, target: &TargetSpec, options: &DiscoverOptions<'_>) -> String {
    let catalogue = catalogue();
    let (mut fleet, mut found) = Fleet::discover(inventory, Some(target), &catalogue, options);
    let nic = fleet.nic_resource(inventory, &catalogue, None, 8);
    found.extend(fleet.apply_capacity(inventory, 8));
    found.extend(fleet.health_findings(inventory));
    found.extend(fleet.size_check(inventory, 6, "", &"spec.numNodes".into()));
    found.extend(fleet.hostname_findings(inventory));
    let (info, _) = ClusterInfo::of(inventory, &catalogue, Some("pool"), options);
    assert_eq!(fleet.nodes.len() + fleet.excluded.len(), inventory.nodes.len());
    let mut all: Vec<u32> = fleet.nodes.iter().copied().chain(fleet.excluded.iter().map(|e| e.node)).collect();
    all.sort_unstable();
    assert!(all.iter().copied().eq(0..u32::try_from(inventory.nodes.len()).unwrap()));
    let plan = fleet.plan(inventory);
    assert!(plan.exclusions.iter().all(|e| !e.reason.is_empty()));
    assert!(plan.nodes.is_sorted() && plan.exclusions.is_sorted_by_key(|e| e.node.clone()));
    format!("{}\n{found:#?}\n{nic:?}\n{info:?}", serde_json::to_string_pretty(&plan).unwrap())
}

proptest! {
    #[test]
    fn any_order_gives_the_same_fleet(
        nodes in drawn(),
        shuffled in any::<u64>(),
        only_healthy in any::<bool>(),
        select in 0u8..4,
        arch in proptest::option::of(Just("h100")),
    ) {
        let mut other = nodes.clone();
        // A permutation from one number: Fisher–Yates with a small generator.
        let mut state = shuffled | 1;
        for at in (1..other.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            other.swap(at, usize::try_from(state >> 33).unwrap() % (at + 1));
        }
        let mut target = TargetSpec::default();
        match select {
            1 => drop(target.node_selector.insert("pool".into(), "train".into())),
            2 => target.match_expressions = vec![expression("pool", "DoesNotExist", &[])],
            3 => target.taint_selectors = vec![taint("t")],
            _ => target.node_names = (0..12).map(|n| format!("n{n}")).collect(),
        }
        let options = DiscoverOptions { only_healthy, gpu_arch: arch, ..DiscoverOptions::default() };
        let (one, mut two) = (build(&nodes), build(&other));
        two.slices.reverse();
        prop_assert_eq!(everything(&one, &target, &options), everything(&two, &target, &options));
    }
}

/// Not a measurement: a run of this size must not take minutes, which a quadratic step would.
#[test]
fn a_hundred_thousand_nodes() {
    let mut b = InventoryBuilder::new();
    for n in 0..100_000 {
        let product = ["NVIDIA-H100-NVL", "NVIDIA-A100", ""][n % 3];
        let mut node = gpu_node(&mut b, &format!("node-{n:06}"), product).provider_id(&format!("aws://x/{n}"));
        node = node.label("kubernetes.io/hostname", &format!("host-{n}")).allocatable("nvidia.com/gpu", "8");
        node.label("pool", ["train", "eval"][n % 2]).cordoned(n % 10 == 0).taint(&format!("t{n}"), "", "NoSchedule");
    }
    let inventory = b.build();
    let target = TargetSpec {
        node_names: (0..100_000).map(|n| format!("node-{n:06}")).collect(),
        match_expressions: vec![expression("pool", "In", &["train", "eval"])],
        ..TargetSpec::default()
    };
    let (mut fleet, _) = discover(&inventory, Some(&target));
    assert!(fleet.apply_capacity(&inventory, 8).is_empty());
    assert!(fleet.hostname_findings(&inventory).is_empty());
    assert_eq!(fleet.nodes.len() + fleet.excluded.len(), 100_000);
    assert_eq!(fleet.plan(&inventory).exclusions.len(), fleet.excluded.len());
}
