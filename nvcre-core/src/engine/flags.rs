//! What a caller's flags change in a run before it is rendered (06 §4.1, §5.3, §5.5).

use crate::api::{NodeSelectorRequirement, WorkloadOrchestration, WorkloadRun};
use crate::diagnostic::{Code, Diagnostic};
use crate::fleet::AUTO_TOPOLOGY_KEY;

/// Flags that edit a run; empty ones change nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFlags {
    /// `--name`: name of the run.
    pub name: String,
    /// `--namespace`: namespace of everything.
    pub namespace: String,
    /// `--node-list`: node names, separated by commas; nothing is trimmed.
    pub node_list: String,
    /// `--topology-domain`: value of the domain label.
    pub topology_domain: String,
    /// `--topology-key`: the domain label; empty takes the platform's own.
    pub topology_key: String,
    /// `--test-scale`.
    pub test_scale: String,
}

fn is_unpinned(run: &WorkloadRun) -> bool {
    run.spec.orchestration.as_ref().is_some_and(|o| o.placement == "Unpinned")
}

/// Edits a run as the flags say, in the order of 06 §4.1. A flag that cannot apply changes nothing and is a finding.
pub fn apply_flags(run: &mut WorkloadRun, flags: &RunFlags) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    if !flags.name.is_empty() {
        run.metadata.name.clone_from(&flags.name);
    }
    if !flags.namespace.is_empty() {
        run.metadata.namespace.clone_from(&flags.namespace);
    }
    if !flags.node_list.is_empty() {
        node_list(run, &flags.node_list, &mut out);
    }
    if !flags.topology_domain.is_empty() {
        if is_unpinned(run) {
            let message = format!(
                "--topology-domain makes the job as large as the domain, but under Unpinned the size is exactly numNodes = {}",
                run.spec.num_nodes
            );
            out.push(
                Diagnostic::at(Code::FlagConflict, "spec.orchestration.placement", message)
                    .with_help("name the domain's label in spec.target.matchExpressions instead"),
            );
        } else {
            let key = if flags.topology_key.is_empty() { AUTO_TOPOLOGY_KEY } else { &flags.topology_key };
            run.spec.target.get_or_insert_default().match_expressions.push(NodeSelectorRequirement {
                key: key.to_owned(),
                operator: "In".into(),
                values: vec![flags.topology_domain.clone()],
            });
        }
    } else if !flags.topology_key.is_empty() {
        let message = "--topology-key says which label --topology-domain means; alone it does nothing";
        out.push(Diagnostic::new(Code::FlagConflict, message).with_help("add --topology-domain"));
    }
    if !flags.test_scale.is_empty() {
        run.spec
            .orchestration
            .get_or_insert_with(WorkloadOrchestration::default)
            .test_scale
            .clone_from(&flags.test_scale);
    }
    out
}

fn node_list(run: &mut WorkloadRun, list: &str, out: &mut Vec<Diagnostic>) {
    let names: Vec<String> = list.split(',').map(str::to_owned).collect();
    let count = i32::try_from(names.len()).unwrap_or(i32::MAX);
    let wanted = run.spec.num_nodes;
    if is_unpinned(run) && count < wanted {
        let message = format!(
            "--node-list names {}, but the one job of this Unpinned run needs numNodes = {wanted}",
            nodes(count)
        );
        out.push(
            Diagnostic::at(Code::FlagConflict, "spec.numNodes", message)
                .with_help(format!("list at least {wanted} nodes, or lower spec.numNodes")),
        );
        return;
    }
    run.spec.target.get_or_insert_default().node_names = names;
    if count < wanted {
        lower(run, count, "--node-list", out);
    }
}

/// `1 node`, `2 nodes`.
fn nodes(count: i32) -> String {
    if count == 1 { "1 node".to_owned() } else { format!("{count} nodes") }
}

fn lower(run: &mut WorkloadRun, size: i32, flag: &str, out: &mut Vec<Diagnostic>) {
    let message = format!("{flag} leaves {}: groups of {size} instead of {}", nodes(size), run.spec.num_nodes);
    out.push(
        Diagnostic::at(Code::SizeLowered, "spec.numNodes", message)
            .with_help("name more nodes, or set spec.numNodes to the size you want"),
    );
    run.spec.num_nodes = size;
}

/// The second adjustment, once nodes are known (06 §5.5): `--node-list` lowers the size to what was found,
/// `--topology-domain` makes it the whole domain. Nothing changes under Unpinned.
pub fn adjust_size(run: &mut WorkloadRun, flags: &RunFlags, found: usize) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let found = i32::try_from(found).unwrap_or(i32::MAX);
    if is_unpinned(run) || found == 0 {
        return out;
    }
    if !flags.node_list.is_empty() && run.spec.num_nodes > found {
        lower(run, found, "--node-list", &mut out);
    }
    if !flags.topology_domain.is_empty() {
        run.spec.num_nodes = found;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(num_nodes: i32, placement: &str) -> WorkloadRun {
        let mut run = WorkloadRun::default();
        run.spec.num_nodes = num_nodes;
        run.spec.orchestration = Some(WorkloadOrchestration { placement: placement.into(), ..Default::default() });
        run
    }

    #[test]
    fn the_table_of_06_4_1() {
        for (num_nodes, placement, list, size, findings) in [
            (4, "", "n1,n2", 2, vec![Code::SizeLowered]),
            (2, "Pinned", "n1,n2,n3", 2, vec![]),
            (4, "Unpinned", "n1,n2", 4, vec![Code::FlagConflict]),
            (2, "Unpinned", "n1,n2,n3", 2, vec![]),
        ] {
            let mut run = run(num_nodes, placement);
            let flags = RunFlags { node_list: list.into(), ..RunFlags::default() };
            let found: Vec<Code> = apply_flags(&mut run, &flags).iter().map(|d| d.code).collect();
            assert_eq!((run.spec.num_nodes, &found), (size, &findings), "{num_nodes} {placement} {list}");
            let names = run.spec.target.map(|t| t.node_names.join(",")).unwrap_or_default();
            assert_eq!(names, if findings == [Code::FlagConflict] { "" } else { list });
        }
    }

    #[test]
    fn a_domain_is_selected_by_an_expression() {
        let flags = RunFlags { topology_domain: "rack-a".into(), ..RunFlags::default() };
        let mut pinned = run(4, "");
        assert_eq!(apply_flags(&mut pinned, &flags), []);
        assert_eq!(pinned.spec.target.as_ref().unwrap().match_expressions[0].key, "__auto__");
        assert_eq!(pinned.spec.num_nodes, 4);
        assert_eq!(adjust_size(&mut pinned, &flags, 7), []);
        assert_eq!(pinned.spec.num_nodes, 7);
        let mut unpinned = run(4, "Unpinned");
        assert_eq!(apply_flags(&mut unpinned, &flags)[0].code, Code::FlagConflict);
        assert_eq!(unpinned.spec.target, None);
    }

    #[test]
    fn items_of_a_node_list_are_taken_as_they_are() {
        let mut run = run(3, "");
        let flags = RunFlags { node_list: "a,, b".into(), ..RunFlags::default() };
        assert_eq!(apply_flags(&mut run, &flags), []);
        assert_eq!(run.spec.target.unwrap().node_names, ["a", "", " b"]);
    }
}
