//! `workloadrun plan`.

use super::{Loaded, Outcome, finish, print};
use crate::cli::{PlanArgs, TableFormat};
use anyhow::Result;
use nvcre_core::diagnostic::has_errors;
use nvcre_core::engine::{Delivery, Plan};
use tabled::builder::Builder;
use tabled::settings::Style;

/// Plans; with an error finding nothing is printed.
pub fn run(args: &PlanArgs) -> Result<Outcome> {
    let mut loaded = Loaded::new(std::slice::from_ref(&args.file), &args.input)?;
    let mut findings = std::mem::take(&mut loaded.findings);
    let run = loaded.read_run(&args.file, args.input.lenient)?;
    loaded.nodes(&run, &mut findings);
    let rendering = loaded.render(&run);
    let jobs = rendering.jobs(Delivery::Trainer);
    findings.extend(rendering.diagnostics.iter().chain(&jobs.diagnostics).cloned());
    let fine = !has_errors(&findings);
    let outcome = finish(findings, args.findings, &loaded.texts)?;
    if fine {
        let plan = rendering.plan(jobs.prepared.as_ref());
        match args.output {
            TableFormat::Table => print(&table(&plan))?,
            TableFormat::Json => super::print_json(&serde_json::to_value(&plan)?)?,
        };
    }
    Ok(outcome)
}

/// The plan for people: what runs, the groups, who runs twice, who stays out.
fn table(plan: &Plan) -> String {
    let mut out = String::new();
    let products =
        if plan.gpu_products.is_empty() { String::new() } else { format!(" ({})", plan.gpu_products.join(", ")) };
    let mut facts = vec![
        ("run", plan.run.clone()),
        ("platform", plan.platform.clone()),
        ("GPU", format!("{}{products}, {} per node", plan.gpu_architecture, plan.gpus_per_node)),
        ("placement", plan.placement.clone()),
        ("nodes", format!("{} take part, {} stay out", plan.total_nodes, plan.excluded.len())),
        ("groups", format!("{} of {} nodes", plan.total_groups, plan.nodes_per_job)),
        ("limits", limits(plan)),
    ];
    if let Some(key) = plan.topology_key.as_ref().filter(|k| !k.is_empty()) {
        let strict = if plan.strict_domain { ", one group per domain" } else { "" };
        facts.push(("topology", format!("{key}{strict}")));
    }
    if !plan.nic_resource_name.is_empty() {
        facts.push(("NICs", format!("{} × {}", plan.mlnx_per_node, plan.nic_resource_name)));
    }
    for (name, value) in facts {
        out.push_str(&format!("{name:<10} {value}\n"));
    }
    let has_domains = plan.groups.iter().any(|g| !g.domains.is_empty());
    let mut builder = Builder::default();
    let mut head = vec!["GROUP", "SIZE", "NODES"];
    if has_domains {
        head.push("DOMAINS");
    }
    builder.push_record(head);
    for group in &plan.groups {
        let size =
            if plan.placement == "Unpinned" { plan.nodes_per_job.to_string() } else { group.nodes.len().to_string() };
        let nodes = if group.nodes.is_empty() { "chosen by the scheduler".to_owned() } else { ranges(&group.nodes) };
        let mut row = vec![group.name.clone(), size, nodes];
        if has_domains {
            row.push(group.domains.join(", "));
        }
        builder.push_record(row);
    }
    out.push('\n');
    out.push_str(&columns(builder));
    if !plan.nodes_run_twice.is_empty() {
        let mut builder = Builder::default();
        builder.push_record(["RUNS TWICE", "IN GROUPS"]);
        for (node, groups) in &plan.nodes_run_twice {
            builder.push_record([node.clone(), groups.join(", ")]);
        }
        out.push('\n');
        out.push_str(&columns(builder));
    }
    if !plan.excluded.is_empty() {
        let mut builder = Builder::default();
        builder.push_record(["STAYS OUT", "WHY"]);
        for exclusion in &plan.excluded {
            builder.push_record([exclusion.node.as_str(), exclusion.reason.as_str()]);
        }
        out.push('\n');
        out.push_str(&columns(builder));
    }
    out
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

pub(super) fn columns(builder: Builder) -> String {
    let table = builder.build().with(Style::blank()).to_string();
    table.lines().fold(String::new(), |out, line| out + line.trim() + "\n")
}

/// Runs of names that only differ in a growing number are shortened: `gpu-01…gpu-16`.
fn ranges(names: &[String]) -> String {
    let split = |name: &str| -> Option<(String, u64, usize)> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (head, tail) = name.split_at(name.len() - digits);
        Some((head.to_owned(), tail.parse().ok()?, digits))
    };
    let mut out: Vec<String> = Vec::new();
    let mut rest = names;
    while let Some((first, tail)) = rest.split_first() {
        let mut run = 0;
        if let Some((head, number, digits)) = split(first) {
            let follows = |(step, name): (u64, &String)| {
                split(name).is_some_and(|(h, n, d)| h == head && n == number + step && d == digits)
            };
            run = (1u64..).zip(tail).take_while(|pair| follows(*pair)).count();
        }
        match tail.get(run.wrapping_sub(1)) {
            Some(last) if run >= 2 => out.push(format!("{first}…{last}")),
            _ => {
                run = 0;
                out.push(first.clone());
            }
        }
        rest = tail.get(run..).unwrap_or_default();
    }
    out.join(", ")
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn names_in_a_row_are_shortened() {
        let names = |list: &str| list.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(ranges(&names("n01 n02 n03 n04")), "n01…n04");
        assert_eq!(ranges(&names("n01 n02 n04 x")), "n01, n02, n04, x");
        assert_eq!(ranges(&names("n08 n09 n10 a b1")), "n08…n10, a, b1");
    }
}
