use super::*;
use crate::fleet::InventoryBuilder;

fn inventory() -> Inventory {
    let mut builder = InventoryBuilder::new();
    builder.node("a").allocatable("nvidia.com/gpu", "8");
    builder.node("b").allocatable("nvidia.com/gpu", "8");
    builder.build()
}

fn read(texts: &[&str]) -> (Inventory, Vec<Diagnostic>) {
    let mut inventory = inventory();
    let mut reader = PodsReader::new();
    for (number, text) in texts.iter().enumerate() {
        reader.read(&format!("pods-{number}"), text.as_bytes());
    }
    let findings = reader.finish(&mut inventory);
    (inventory, findings)
}

/// Pods, those that leave, and GPUs taken of both nodes.
fn taken(inventory: &Inventory) -> [(u32, u32, i128); 2] {
    [0, 1].map(|node| {
        let taken = inventory.taken.get(&node).cloned().unwrap_or_default();
        (taken.pods, taken.leaving, taken.amounts.get("nvidia.com/gpu").copied().unwrap_or(0))
    })
}

fn pod(name: &str, node: &str, phase: &str, gpus: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: x}}\nspec:\n  nodeName: {node}\n  containers:\n  - name: c\n    image: i\n    resources: {{limits: {{nvidia.com/gpu: {gpus:?}, cpu: 2}}}}\nstatus: {{phase: {phase}}}\n"
    )
}

#[test]
fn pods_that_run_take_and_others_do_not() {
    let text = [
        pod("one", "a", "Running", "2"),
        pod("two", "a", "Pending", "1"),
        pod("done", "a", "Succeeded", "4"),
        pod("failed", "a", "Failed", "4"),
        pod("waits", "''", "Pending", "4"),
        pod("leaves", "b", "Running", "8")
            .replace("namespace: x", "namespace: x, deletionTimestamp: '2026-01-01T00:00:00Z'"),
        pod("elsewhere", "c", "Running", "8"),
    ]
    .join("---\n");
    let (inventory, findings) = read(&[&text]);
    assert_eq!(findings, []);
    assert_eq!(taken(&inventory), [(2, 0, 3), (1, 1, 8)]);
    assert_eq!(inventory.taken[&0].amounts["cpu"], 4000);
}

#[test]
fn forms_of_a_list() {
    let item = |name: &str| {
        format!(
            r#"{{"metadata": {{"name": "{name}"}}, "spec": {{"nodeName": "a", "containers": [{{"resources": {{"requests": {{"nvidia.com/gpu": "1"}}}}}}]}}}}"#
        )
    };
    for text in [
        format!(r#"{{"kind": "List", "items": [{}]}}"#, item("p")),
        format!(r#"{{"kind": "PodList", "items": [{}]}}"#, item("p")),
        format!("[{}]", item("p")),
        "kind: List\nitems:\n- kind: Pod\n  metadata: {name: p}\n  spec: {nodeName: a, containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]}\n".to_owned(),
        "kind: PodList\nitems: []\n---\n".to_owned() + &pod("p", "a", "Running", "1"),
    ] {
        let (inventory, findings) = read(&[&text]);
        assert_eq!((findings, taken(&inventory)[0]), (Vec::new(), (1, 0, 1)), "{text}");
    }
    // The same pod in two files counts once.
    let text = pod("p", "a", "Running", "1");
    assert_eq!(taken(&read(&[&text, &text]).0)[0], (1, 0, 1));
}

#[test]
fn wrong_files_are_told_with_their_place() {
    for (text, code, line) in [
        ("", Code::PodsEmpty, 1),
        ("kind: Node\nmetadata: {name: a}\n", Code::PodsKind, 1),
        ("kind: List\nitems:\n- kind: Node\n- kind: Node\n", Code::PodsKind, 3),
        ("hello\n", Code::PodsKind, 1),
        ("metadata: {name: a}\n", Code::PodsKind, 1),
        ("kind: Pod\nmetadata: {}\n", Code::PodFieldType, 1),
        ("kind: Pod\nmetadata:\n  name: 5\n", Code::PodFieldType, 3),
        ("kind: Pod\nmetadata: {name: p}\nspec:\n  nodeName: [a]\n", Code::PodFieldType, 4),
        ("kind: Pod\nmetadata: {name: p}\nspec:\n  containers: 3\n", Code::PodFieldType, 4),
        (
            "kind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - resources:\n      limits:\n        cpu: much\n",
            Code::PodFieldType,
            7,
        ),
        ("kind: Pod\nmetadata: {name: p\n", Code::Syntax, 2),
    ] {
        let (_, findings) = read(&[text]);
        let told: Vec<_> = findings.iter().map(|d| (d.code, d.span.map_or(0, |s| s.start.line))).collect();
        assert_eq!(told, [(code, line)], "{text}: {findings:?}");
        assert_eq!(findings[0].file.as_deref(), Some("pods-0"));
    }
    let (_, findings) = read(&[&pod("p", "elsewhere", "Running", "1")]);
    assert_eq!(findings.iter().map(|d| d.code).collect::<Vec<_>>(), [Code::PodsOfOtherNodes]);
    assert_eq!(read(&["kind: List\nitems: []\n"]).1, []);
}
