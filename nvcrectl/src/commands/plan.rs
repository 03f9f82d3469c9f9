//! `workloadrun plan`.

use super::{Loaded, Outcome, finish};
use crate::cli::{PlanArgs, TableFormat};
use crate::output::{print, print_json, width};
use crate::scheduling;
use crate::table::{GAP, Table, common_domain, list, ranges};
use anyhow::Result;
use nvcre_core::diagnostic::has_errors;
use nvcre_core::engine::{Delivery, Plan};

/// Plans; with an error finding nothing is printed.
pub fn run(args: &PlanArgs) -> Result<Outcome> {
    let mut loaded = Loaded::with_pods(std::slice::from_ref(&args.file), &args.input, &args.pods)?;
    let mut findings = std::mem::take(&mut loaded.findings);
    if loaded.broken {
        return Ok(finish(findings, args.findings, &loaded.texts));
    }
    let run = loaded.read_run(&args.file, args.input.lenient)?;
    loaded.nodes(&run, &mut findings);
    let rendering = loaded.render(&run);
    let jobs = rendering.jobs(Delivery::Trainer);
    findings.extend(rendering.diagnostics.iter().chain(&jobs.diagnostics).cloned());
    let fine = !has_errors(&findings);
    let outcome = finish(findings, args.findings, &loaded.texts);
    if fine {
        let plan = rendering.plan(jobs.prepared.as_ref());
        match args.output {
            TableFormat::Table => print(&table(&plan, width()))?,
            TableFormat::Json => print_json(&serde_json::to_value(&plan)?)?,
        }
    }
    Ok(outcome)
}

/// The plan for people: what runs, the groups, who runs twice, who stays out.
fn table(plan: &Plan, width: Option<usize>) -> String {
    let names = Names::of(plan, width);
    let mut out = facts(plan, &names);
    out.push('\n');
    out.push_str(&groups(plan, &names));
    out.push_str(&scheduling::of_plan(plan, width));
    if !plan.nodes_run_twice.is_empty() {
        let rows = plan.nodes_run_twice.iter().map(|(node, groups)| (node.as_str(), groups.join(", ")));
        out.push('\n');
        out.push_str(&names.alike(["RUN TWICE", "IN GROUPS"], rows));
    }
    if !plan.excluded.is_empty() {
        let rows = plan.excluded.iter().map(|e| (e.node.as_str(), e.reason.clone()));
        out.push('\n');
        out.push_str(&names.alike(["STAY OUT", "WHY"], rows));
    }
    out
}

fn facts(plan: &Plan, names: &Names<'_>) -> String {
    let products =
        if plan.gpu_products.is_empty() { String::new() } else { format!(" ({})", plan.gpu_products.join(", ")) };
    let mut facts = vec![
        ("run", plan.run.clone()),
        ("platform", plan.platform.clone()),
        ("GPU", format!("{}{products}, {} per node", plan.gpu_architecture, plan.gpus_per_node)),
        ("placement", plan.placement.clone()),
        ("nodes", format!("{} take part, {} stay out", plan.total_nodes, plan.excluded.len())),
        ("groups", format!("{} of {}", plan.total_groups, sizes(plan))),
        ("limits", limits(plan)),
    ];
    if let Some(key) = plan.topology_key.as_ref().filter(|k| !k.is_empty()) {
        let strict = if plan.strict_domain { ", one group per domain" } else { "" };
        facts.push(("topology", format!("{key}{strict}")));
    }
    if !plan.nic_resource_name.is_empty() {
        facts.push(("NICs", format!("{} × {}", plan.mlnx_per_node, plan.nic_resource_name)));
    }
    if !names.domain.is_empty() {
        facts.push(("names", format!("shown without {}", names.domain)));
    }
    facts.iter().fold(String::new(), |out, (name, value)| out + &format!("{name:<10} {value}\n"))
}

/// Sizes of the groups, as they are.
fn sizes(plan: &Plan) -> String {
    let sizes = || plan.groups.iter().map(|g| g.nodes.len()).filter(|n| *n > 0);
    let (least, most) = (sizes().min(), sizes().max());
    match least.zip(most) {
        Some((least, most)) if least != most => format!("{least} to {most} nodes"),
        Some((1, _)) => "1 node".to_owned(),
        Some((n, _)) => format!("{n} nodes"),
        None if plan.nodes_per_job == 1 => "1 node".to_owned(),
        None => format!("{} nodes", plan.nodes_per_job),
    }
}

fn limits(plan: &Plan) -> String {
    let concurrent = match plan.max_concurrent {
        0 => "all groups at once".to_owned(),
        1 => "one group at a time".to_owned(),
        n => format!("{n} groups at a time"),
    };
    let times = if plan.iterations == 1 { String::new() } else { format!("{} iterations, ", plan.iterations) };
    format!("{times}{concurrent}, {} per job", plan.timeout_per_job)
}

fn groups(plan: &Plan, names: &Names<'_>) -> String {
    let has_domains = plan.groups.iter().any(|g| !g.domains.is_empty());
    let longest = |cells: &mut dyn Iterator<Item = usize>, head: usize| cells.max().unwrap_or(0).max(head);
    let name = longest(&mut plan.groups.iter().map(|g| g.name.chars().count()), "GROUP".len());
    let told = scheduling::is_told(plan);
    let verdict = |group: &nvcre_core::engine::PlanGroup| told.then(|| scheduling::word(&group.scheduling).to_owned());
    let words = longest(&mut plan.groups.iter().filter_map(&verdict).map(|word| word.len()), "PLACED".len());
    let fixed = name + GAP + "SIZE".len() + GAP + if told { words + GAP } else { 0 };
    // The domains of one group take at most a third of what is left, the nodes the rest.
    let rest = names.width.map(|width| width.saturating_sub(fixed));
    let domains = |group: &nvcre_core::engine::PlanGroup| list(&group.domains, rest.map(|rest| rest / 3));
    let taken = longest(&mut plan.groups.iter().flat_map(|g| lengths(&domains(g))), "DOMAINS".len()) + GAP;
    let rest = rest.map(|rest| rest.saturating_sub(if has_domains { taken } else { 0 }));
    let head = ["GROUP", "SIZE"].into_iter().chain(told.then_some("PLACED")).chain(["NODES"]);
    let mut table = Table::new(head.chain(has_domains.then_some("DOMAINS")));
    for group in &plan.groups {
        let (size, nodes) = match group.nodes.as_slice() {
            [] => (plan.nodes_per_job.to_string(), "chosen by the scheduler".to_owned()),
            nodes => (nodes.len().to_string(), list(&names.short(nodes.iter().map(String::as_str)), rest)),
        };
        let domains = has_domains.then(|| domains(group));
        let row = [group.name.clone(), size].into_iter().chain(verdict(group)).chain([nodes]);
        table.row(row.chain(domains));
    }
    table.text()
}

fn lengths(cell: &str) -> Vec<usize> {
    cell.lines().map(|line| line.chars().count()).collect()
}

/// How names of nodes are shown.
struct Names<'a> {
    width: Option<usize>,
    /// What all of them end in, when it is left out.
    domain: &'a str,
}

impl<'a> Names<'a> {
    fn of(plan: &'a Plan, width: Option<usize>) -> Self {
        let nodes = || plan.groups.iter().flat_map(|g| &g.nodes).map(String::as_str);
        let all = nodes().chain(plan.excluded.iter().map(|e| e.node.as_str()));
        // Names of a cloud are long and mostly equal; a wide terminal, and a pipe, take them as they are.
        let longest = nodes().map(|n| n.chars().count() + 2).max().unwrap_or(0);
        let most = plan.groups.iter().map(|g| g.nodes.len()).max().unwrap_or(0);
        let domain = match width {
            Some(width) if longest.saturating_mul(most) > width / 2 => common_domain(all),
            _ => "",
        };
        Self { width, domain }
    }

    fn short<'n>(&self, names: impl Iterator<Item = &'n str>) -> Vec<String> {
        let names: Vec<String> = names.map(|n| n.strip_suffix(self.domain).unwrap_or(n).to_owned()).collect();
        ranges(&names)
    }

    /// Nodes of which the same is to be said, in one row.
    fn alike<'n>(&self, head: [&str; 2], rows: impl Iterator<Item = (&'n str, String)>) -> String {
        let mut by_text: Vec<(String, Vec<&str>)> = Vec::new();
        let mut places = std::collections::BTreeMap::new();
        for (node, text) in rows {
            let place = *places.entry(text.clone()).or_insert_with(|| {
                by_text.push((text, Vec::new()));
                by_text.len() - 1
            });
            if let Some((_, nodes)) = by_text.get_mut(place) {
                nodes.push(node);
            }
        }
        let mut table = Table::new(head);
        for (text, nodes) in by_text {
            table.row([list(&self.short(nodes.into_iter()), self.width.map(|width| width / 2)), text]);
        }
        table.text()
    }
}
