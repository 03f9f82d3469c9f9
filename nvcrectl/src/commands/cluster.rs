//! `cluster info`.

use super::{Outcome, finish};
use crate::cli::{ClusterInfoArgs, InfoFormat};
use crate::input;
use crate::output::{print, print_json};
use crate::report::Texts;
use crate::table::Table;
use anyhow::Result;
use nvcre_core::catalogue::Catalogue;
use nvcre_core::diagnostic::has_errors;
use nvcre_core::fleet::{ClusterInfo, DiscoverOptions};
use nvcre_core::yaml;

/// Prints platform, GPUs and topology of the nodes.
pub fn info(args: &ClusterInfoArgs) -> Result<Outcome> {
    let (mut findings, mut texts) = (Vec::new(), Texts::default());
    let own = input::catalogue(args.catalogue.as_deref(), &mut findings, &mut texts)?;
    let catalogue = own.as_ref().unwrap_or_else(|| Catalogue::builtin());
    if has_errors(&findings) {
        return Ok(finish(findings, args.findings, &texts));
    }
    let inventory = input::read_inventory(&args.nodes, &mut findings)?;
    let (info, found) =
        ClusterInfo::of(&inventory, catalogue, args.topology_key.as_deref(), &DiscoverOptions::default());
    findings.extend(found);
    let fine = !has_errors(&findings);
    let outcome = finish(findings, args.findings, &texts);
    if fine {
        let value = serde_json::to_value(&info)?;
        match args.output {
            InfoFormat::Table => {
                let key = catalogue.platform(&info.platform).and_then(|p| p.topology_key.as_deref());
                print(&table(&info, key))?
            }
            InfoFormat::Json => print_json(&value)?,
            InfoFormat::Yaml => print(&yaml::to_yaml(&value))?,
        }
    }
    Ok(outcome)
}

/// `expected` is the label that names topology domains on the platform, where there is one.
fn table(info: &ClusterInfo, expected: Option<&str>) -> String {
    let ready = info.nodes.iter().filter(|n| n.ready).count();
    let mut out = String::new();
    for (name, value) in [
        ("platform", info.platform.clone()),
        ("GPU", format!("{} ({}), {} per node", info.gpu_product, info.gpu_architecture, info.gpus_per_node)),
        ("nodes", format!("{} GPU nodes, {ready} ready", info.total_nodes)),
        ("GPUs", info.total_gpus.to_string()),
    ] {
        out.push_str(&format!("{name:<10} {value}\n"));
    }
    let counts_differ = info.nodes.iter().any(|n| n.gpus != info.gpus_per_node);
    if info.gpus_per_node == 0 {
        out.push_str("\nSome nodes offer no GPUs: check the GPU operator or device plugin on them.\n");
    } else if info.gpus_per_node != info.catalog_gpus_per_node {
        let (least, board) = (info.gpus_per_node, info.catalog_gpus_per_node);
        out.push_str(&format!("\nThe catalogue expects {board} GPUs per node, the smallest node has {least}: set spec.gpusPerNode to {least}.\n"));
    }
    if counts_differ {
        out.push_str("\nThe nodes differ; a job takes the same number of GPUs on each of its nodes.\n\n");
        let mut table = Table::new(["NODE", "GPUS", "READY"]);
        for node in &info.nodes {
            let ready = if node.ready { "yes" } else { "no" };
            table.row([node.name.clone(), node.gpus.to_string(), ready.to_owned()]);
        }
        out.push_str(&table.text());
    }
    if let Some(topology) = &info.topology {
        out.push_str(&format!("\ntopology   {}\n\n", topology.key));
        let mut table = Table::new(["DOMAIN", "NODES"]);
        for rack in &topology.racks {
            let name = if rack.name.chars().count() > 24 {
                rack.name.chars().take(21).collect::<String>() + "..."
            } else {
                rack.name.clone()
            };
            table.row([name, rack.node_count.to_string()]);
        }
        out.push_str(&table.text());
    } else if let Some(key) = expected {
        out.push_str(&format!("\nNo node carries {key}, the label that names topology domains on this platform.\n"));
    }
    out
}
