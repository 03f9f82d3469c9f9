//! What is known before anything is built: platform, architecture, numbers, NIC resource.

use super::{Engine, Options};
use crate::api::{TargetSpec, WorkloadRun};
use crate::catalogue::{Catalogue, Framework, Inputs};
use crate::diagnostic::{Code, Diagnostic};
use crate::fleet::{self, DiscoverOptions, Fleet, Inventory, UNKNOWN_ARCHITECTURE};
use crate::trace::{Change, Origin, Recorder, Subject};
use crate::workflow::Sizes;
use serde_json::json;

/// What was resolved for a rendering.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// Edition of the catalogue.
    pub edition: String,
    /// Platform; empty when neither nodes nor caller tell it.
    pub platform: String,
    /// GPU architecture; `unknown` when nobody tells it.
    pub architecture: String,
    /// How the workload is started.
    pub framework: Framework,
    /// Resolved numbers.
    pub sizes: Sizes,
    /// NIC resource; empty when none is requested by name.
    pub nic_resource: String,
    /// Distinct values of the base topology label over the nodes that take part.
    pub domain_count: i64,
    /// A platform is known, so overrides are resolved.
    pub resolved: bool,
}

impl Facts {
    /// What the run gives to catalogue entries.
    pub(super) fn inputs<'a>(&'a self, run: &'a WorkloadRun) -> Inputs<'a> {
        let own = run.spec.orchestration.as_ref().and_then(|o| o.topology.as_ref());
        let base = crate::workflow::orchestration(&run.spec).topology;
        Inputs {
            run: &run.metadata.name,
            nodes: self.sizes.nodes_per_job,
            gpus: self.sizes.gpus_per_node,
            nics: self.sizes.mlnx_per_node,
            nic_resource: &self.nic_resource,
            mnnvl: self.sizes.enable_mnnvl,
            framework: self.framework,
            strict_domain: base.is_some_and(|t| t.strict_domain == Some(true)),
            own_topology_key: own.is_some_and(|t| t.topology_key.is_some()),
        }
    }
}

/// Torch, else MPI, else exec (02 §3).
pub(super) fn framework(run: &WorkloadRun) -> Framework {
    let f = &run.spec.framework;
    match (&f.torch, &f.mpi) {
        (Some(_), _) => Framework::Torch,
        (None, Some(_)) => Framework::Mpi,
        (None, None) => Framework::Exec,
    }
}

/// Reads an edition given by hand, as `--edition`. Empty is "not given".
///
/// # Errors
/// [`Code::UnknownEdition`] when the catalogue has no such edition; names the value and the known ones.
pub fn parse_edition_flag<'a>(text: &'a str, catalogue: &Catalogue) -> Result<Option<&'a str>, Box<Diagnostic>> {
    if text.is_empty() {
        return Ok(None);
    }
    if catalogue.edition(text).is_some() {
        return Ok(Some(text));
    }
    let known: Vec<&str> = catalogue.editions.iter().map(|e| e.name.as_str()).collect();
    let message = format!("{text:?} is no edition of the catalogue; known are {}", known.join(", "));
    let help = format!("leave --edition out for {}", catalogue.default_edition());
    Err(Box::new(Diagnostic::new(Code::UnknownEdition, message).with_help(help)))
}

impl Engine {
    /// The edition that is asked for, or the default with a finding.
    pub(super) fn edition(&self, options: &Options, findings: &mut Vec<Diagnostic>) -> String {
        let name = options.edition.as_deref().unwrap_or("");
        let edition = parse_edition_flag(name, &self.catalogue).map_err(|e| findings.push(*e)).ok().flatten();
        edition.unwrap_or_else(|| self.catalogue.default_edition()).to_owned()
    }

    /// The nodes that take part, and what they tell; the size of the run may follow the number of nodes (06 §5.5).
    pub(super) fn discover(
        &self,
        run: &mut WorkloadRun,
        inventory: &Inventory,
        options: &Options,
        findings: &mut Vec<Diagnostic>,
    ) -> Fleet {
        let discover = discover_options(options);
        if let Some(target) = &mut run.spec.target
            && let Err(finding) = fleet::resolve_topology_key(target, inventory, &self.catalogue, &discover)
        {
            findings.push(*finding);
            // No node could match a key that is not known; that would say nothing more.
            target.match_expressions.retain(|e| e.key != fleet::AUTO_TOPOLOGY_KEY);
        }
        let (fleet, found) = Fleet::discover(inventory, run.spec.target.as_ref(), &self.catalogue, &discover);
        findings.extend(found);
        findings.extend(super::adjust_size(run, &options.flags, fleet.nodes.len()));
        fleet
    }

    /// Platform and architecture without nodes: what the caller declares, else what the target names (00 D58).
    pub(super) fn declared(
        &self,
        run: &mut WorkloadRun,
        options: &Options,
        findings: &mut Vec<Diagnostic>,
    ) -> (String, String) {
        let platform = fleet::parse_platform_flag(options.platform.as_deref().unwrap_or(""), &self.catalogue);
        let platform = platform.map_err(|e| findings.push(*e)).ok().flatten().unwrap_or("").to_owned();
        let flag = fleet::parse_architecture_flag(options.gpu_arch.as_deref().unwrap_or(""), &self.catalogue);
        let architecture = match flag {
            Ok(Some(architecture)) => Some(architecture),
            Ok(None) => run.spec.target.as_ref().and_then(fleet::architecture_of_target),
            Err(finding) => {
                findings.push(*finding);
                return (platform, UNKNOWN_ARCHITECTURE.to_owned());
            }
        };
        if self.plain {
            // Which label the domain has, and what the GPU brings, is of a platform.
            run.spec.target.iter_mut().for_each(|t| t.match_expressions.retain(|e| e.key != fleet::AUTO_TOPOLOGY_KEY));
            return (platform, UNKNOWN_ARCHITECTURE.to_owned());
        }
        if let Some(target) = run.spec.target.as_mut().filter(|t| fleet::needs_topology_key(t)) {
            findings.push(self.declared_topology_key(target, &platform, run.spec.num_nodes));
        }
        let architecture = architecture.unwrap_or_else(|| {
            findings.push(self.no_architecture(&platform, options));
            UNKNOWN_ARCHITECTURE.to_owned()
        });
        (platform, architecture)
    }

    /// The key of `--topology-domain` without nodes: that of the declared platform. How large the domain is nobody knows.
    fn declared_topology_key(&self, target: &mut TargetSpec, platform: &str, size: i32) -> Diagnostic {
        if platform.is_empty() {
            return fleet::no_inventory();
        }
        match fleet::declare_topology_key(target, &self.catalogue, platform) {
            Err(finding) => *finding,
            Ok(()) => {
                let message = format!(
                    "--topology-domain makes the job as large as its domain, which is known only with nodes; shown is numNodes = {size}"
                );
                Diagnostic::at(Code::DomainSizeUnknown, "spec.numNodes", message).with_help("give --nodes")
            }
        }
    }

    /// Says what each GPU would add, and how to name one (00 D58).
    pub(super) fn no_architecture(&self, platform: &str, options: &Options) -> Diagnostic {
        let edition = options.edition.as_deref().unwrap_or_else(|| self.catalogue.default_edition());
        let fallback = self.catalogue.fallback;
        let sizes = format!("{} GPUs, {} NICs per node", fallback.gpus_per_node, fallback.mlnx_per_node);
        let finding = |message: String| {
            Diagnostic::new(Code::NoArchitecture, message)
                .with_help("name it with --gpu-arch, or by the label nvidia.com/gpu.product in spec.target.nodeSelector, or give --nodes")
        };
        if platform.is_empty() {
            // A template keeps the conditions of its entries.
            return finding(format!("no GPU is named, so sizes are the fallback ({sizes})"));
        }
        let holds = |when, architecture| super::holds(when, platform, architecture);
        let mut added: Vec<String> = Vec::new();
        for architecture in self.catalogue.architecture_names() {
            let names: Vec<&str> = self
                .catalogue
                .entries(edition, Framework::Mpi)
                .filter(|e| holds(e.when(), architecture) && !holds(e.when(), UNKNOWN_ARCHITECTURE))
                .map(|e| e.entry.name.as_str())
                .collect();
            if !names.is_empty() {
                added.push(format!("{architecture} adds {}", names.join(", ")));
            }
        }
        let adds = if added.is_empty() { String::new() } else { format!("; {}", added.join("; ")) };
        finding(format!(
            "no GPU is named, so entries of the catalogue with a GPU condition do not apply, and sizes are the fallback ({sizes}){adds}"
        ))
    }

    /// Everything that is resolved before building.
    pub(super) fn facts(
        &self,
        run: &WorkloadRun,
        edition: String,
        nodes: Option<(&Inventory, &Fleet)>,
        declared: Option<(String, String)>,
        findings: &mut Vec<Diagnostic>,
    ) -> Facts {
        let (platform, architecture) = match (nodes, declared) {
            (Some((_, fleet)), _) => (fleet.platform.clone(), fleet.architecture.clone()),
            (None, declared) => declared.unwrap_or_default(),
        };
        let sizes = Sizes::resolve(&run.spec, &self.catalogue, &architecture, &platform, &mut ());
        findings.extend(fleet::hardware_notice(
            &architecture,
            &platform,
            &self.catalogue,
            run.spec.gpus_per_node,
            run.spec.mlnx_per_node,
        ));
        let given = run.spec.nic_resource_name.as_deref();
        let nic_resource = match nodes {
            None => given.unwrap_or_default().to_owned(),
            Some((inventory, fleet)) => {
                let found = fleet.nic_resource(inventory, &self.catalogue, given, sizes.mlnx_per_node);
                findings.extend(found.notice().cloned());
                found.name().to_owned()
            }
        };
        let base_key = crate::workflow::orchestration(&run.spec).topology.and_then(|t| t.topology_key);
        let domain_count = match (nodes, base_key.as_deref().filter(|k| !k.is_empty())) {
            (Some((inventory, fleet)), Some(key)) => {
                i64::try_from(fleet.domain_count(inventory, key)).unwrap_or(i64::MAX)
            }
            _ => 0,
        };
        Facts {
            edition,
            resolved: nodes.is_some() || !platform.is_empty() || self.plain,
            platform,
            architecture,
            framework: framework(run),
            sizes,
            nic_resource,
            domain_count,
        }
    }
}

impl Engine {
    /// Records what was resolved before building.
    pub(super) fn record<R: Recorder>(
        &self,
        run: &WorkloadRun,
        facts: &Facts,
        (options, nodes): (&Options, bool),
        recorder: &mut R,
    ) {
        Sizes::resolve(&run.spec, &self.catalogue, &facts.architecture, &facts.platform, recorder);
        let mut value = |name: &str, new: &str, origin: Origin| {
            if !new.is_empty() {
                let subject = Subject::Value { name: name.into() };
                recorder.record(|| Change { subject, origin, old: None, new: Some(json!(new)) });
            }
        };
        let flag = |given: &Option<String>, name: &str| {
            given.as_deref().filter(|v| !v.is_empty()).map(|_| Origin::Flag { name: name.into() })
        };
        let platform = flag(&options.platform, "--platform").unwrap_or(Origin::Nodes);
        value("platform", &facts.platform, platform);
        let of_target = || match run.spec.target.as_ref().and_then(fleet::architecture_of_target) {
            _ if nodes => Origin::Nodes,
            Some(_) => Origin::Run { path: "spec.target".into() },
            None => Origin::Default { source: "00 D58".into() },
        };
        let architecture = flag(&options.gpu_arch, "--gpu-arch").unwrap_or_else(of_target);
        value("gpuArchitecture", &facts.architecture, architecture);
        let given = run.spec.nic_resource_name.is_some();
        let origin = if given { Origin::Run { path: "spec.nicResourceName".into() } } else { Origin::Nodes };
        value("nicResourceName", &facts.nic_resource, origin);
    }
}

/// The caller's options as discovery takes them.
pub(super) fn discover_options(options: &Options) -> DiscoverOptions<'_> {
    DiscoverOptions {
        platform: options.platform.as_deref(),
        gpu_arch: options.gpu_arch.as_deref(),
        only_healthy: options.only_healthy,
        target_path: None,
    }
}
