//! The base Workflow of a run: everything before overrides are applied (02 §1.1 steps 3–16).

use super::mpirun::mpirun_words;
use super::runtime::{RuntimeInput, training_runtime};
use super::size::Sizes;
use super::train_job::complete_patches;
use super::{gang, merged_env};
use crate::api::*;
use crate::catalogue::{Catalogue, Framework};
use crate::check::GoDuration;
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::overrides::{self, Word};
use crate::trace::{Change, Origin, Recorder, Subject};
use serde_json::json;

/// Unhealthy when cordoned: the health check of every job unless the target addresses cordoned nodes (02 §7).
pub const CORDON_CHECK: &str = "node.spec.unschedulable == true";
/// Limit per job when the run gives none (00 D11).
pub const DEFAULT_TIMEOUT: GoDuration = GoDuration::hours(24);

/// The words before mpirun: the limit that the launcher of an MPI run puts on itself, in seconds (02 §7.3).
pub const LAUNCHER_LIMIT: [&str; 2] = ["timeout", "3600"];

/// What a base Workflow is made from.
#[derive(Debug, Clone)]
pub struct BuildInput<'a> {
    /// The run.
    pub run: &'a WorkloadRun,
    /// Platform facts.
    pub catalogue: &'a Catalogue,
    /// Edition of the catalogue.
    pub edition: &'a str,
    /// How the workload is started.
    pub framework: Framework,
    /// Resolved numbers.
    pub sizes: Sizes,
    /// GPU architecture, whose row of the hardware table gave what the run does not say.
    pub architecture: &'a str,
    /// Platform of that row.
    pub platform: &'a str,
    /// Words of mpirun that platforms, overrides and the run itself add, in their final order ([`overrides::mpi_args`]).
    pub mpi_words: &'a [Word<'a>],
    /// Lines that run before the command, in their final order (02 §9).
    pub pre_command: &'a [Word<'a>],
}

/// A base Workflow, with what was wrong.
#[derive(Debug, Clone, Default)]
pub struct Built {
    /// The spec, without overrides.
    pub spec: WorkflowSpec,
    /// Findings of label composition.
    pub findings: Vec<Diagnostic>,
}

/// The orchestration of a run (02 §7.6, 00 D3, D4, D39).
///
/// An intra-rack run is strict and keyed by `nvidia.com/gpu.clique` until a platform entry brings another key; a
/// topology that the run names itself comes as it is, and `strictDomain` beside `testScale` wins.
pub fn orchestration(spec: &WorkloadRunSpec) -> OrchestrationSpec {
    let run = spec.orchestration.clone().unwrap_or_default();
    // An empty key asks for plain groups, whatever the platform says (00 D29).
    let mut topology = run.topology.filter(|t| t.topology_key.as_deref() != Some(""));
    if run.test_scale == "intra-rack" {
        let own = topology.unwrap_or_default();
        topology = Some(TopologySpec {
            topology_key: Some(own.topology_key.unwrap_or_else(|| GPU_CLIQUE_KEY.into())),
            strict_domain: Some(own.strict_domain.unwrap_or(true)),
        });
    }
    OrchestrationSpec {
        target: spec.target.clone(),
        topology,
        diagnose: None,
        execution: ExecutionSpec {
            max_concurrent: run.max_concurrent.unwrap_or(0).into(),
            timeout_per_job: Some(GoDuration::parse(&run.timeout_per_job).unwrap_or(DEFAULT_TIMEOUT)),
            retry_failed_groups: 0,
        },
        iterations: run.repeat_count.unwrap_or(1).into(),
        placement: run.placement,
    }
}

/// Builds the base Workflow.
pub fn build<R: Recorder>(input: &BuildInput<'_>, recorder: &mut R) -> Built {
    let (run, spec) = (input.run, &input.run.spec);
    let name = run.metadata.name.as_str();
    let base = input.catalogue.base_env(input.edition, input.sizes.enable_mnnvl);
    let env = merged_env(base, &spec.env, recorder);
    let gang = gang::resolve(spec.gang_scheduler.as_ref());
    let config_map = config_map_name(run);
    let runtime = training_runtime(&RuntimeInput {
        run: name,
        spec,
        framework: input.framework,
        env: &env,
        gpus_per_node: input.sizes.gpus_per_node,
        nodes_per_job: input.sizes.nodes_per_job,
        gang: gang.as_ref(),
        config_map: config_map.as_deref(),
    });
    let mut dependencies = vec![runtime];
    dependencies.extend(inline_config_map(run));
    dependencies.extend(checkpoint_claim(run));

    let path = FieldPath::parse("spec.workloadMetadata.labels");
    let user_labels = spec.workload_metadata.as_ref().map(|m| m.labels.clone()).unwrap_or_default();
    let (labels, findings) = gang::compose_labels(&user_labels, gang.as_ref(), &path);
    let (command, args) = trainer_command(input, &env, recorder);
    let mut train_job = TrainJobSpec {
        runtime_ref: RuntimeRef {
            name: format!("{name}-runtime"),
            kind: Some("TrainingRuntime".into()),
            api_group: None,
        },
        trainer: Some(Trainer {
            image: Some(spec.image.clone()),
            command,
            args,
            num_nodes: Some(input.sizes.nodes_per_job),
            num_proc_per_node: Some(input.sizes.gpus_per_node),
            ..Trainer::default()
        }),
        ..TrainJobSpec::default()
    };
    complete_patches(&mut train_job, input.framework == Framework::Mpi, &spec.image_pull_secrets);
    let job = JobSpec {
        workload: WorkloadSpec { train_job: Some(train_job) },
        workload_metadata: (!labels.is_empty()).then_some(WorkloadMetadata { labels }),
        node_health_monitor: Some(NodeHealthMonitor { cel: Some(CelHealthCheck { expression: CORDON_CHECK.into() }) }),
        checkpoint: spec
            .checkpoint
            .as_ref()
            .map(|c| CheckpointConfig { pvc_name: claim_name(name), max_restarts: Some(c.max_restarts.unwrap_or(0)) }),
        goodput_measurement: spec.goodput_measurement.clone(),
        bandwidth_measurement: spec.bandwidth_measurement.clone(),
        ..JobSpec::default()
    };
    let validation = (!spec.thresholds.is_empty()).then(|| ValidationSpec {
        performance: Some(PerformanceValidationSpec {
            enabled: true,
            thresholds: Some(ThresholdSpec { thresholds: spec.thresholds.clone() }),
            ..PerformanceValidationSpec::default()
        }),
    });
    let spec = WorkflowSpec {
        namespace: String::new(),
        job_template: JobTemplate { metadata: ObjectMeta::default(), spec: job },
        orchestration: orchestration(spec),
        dependencies,
        overrides: Vec::new(),
        validation,
        gang_scheduler: gang,
    };
    Built { spec, findings }
}

/// Name of the ConfigMap mounted at `/config`: the reference, else that of the inline files; none when the run gives
/// neither (02 §5.1, 00 D42).
fn config_map_name(run: &WorkloadRun) -> Option<String> {
    let config = run.spec.config.as_ref()?;
    match &config.config_map_ref {
        Some(reference) => Some(reference.name.clone()),
        None => has_inline(config).then(|| format!("{}-config", run.metadata.name)),
    }
}

fn has_inline(config: &WorkloadConfig) -> bool {
    config.inline.as_ref().is_some_and(|files| !files.is_empty())
}

fn inline_config_map(run: &WorkloadRun) -> Option<Value> {
    let config = run.spec.config.as_ref().filter(|c| has_inline(c))?;
    Some(json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": format!("{}-config", run.metadata.name), "labels": { "app": run.metadata.name } },
        "data": config.inline,
    }))
}

/// Name of the claim that a run with a checkpoint makes (02 §5.3).
pub(crate) fn claim_name(run: &str) -> String {
    format!("{run}-checkpoint-pvc")
}

fn checkpoint_claim(run: &WorkloadRun) -> Option<Value> {
    let checkpoint = run.spec.checkpoint.as_ref()?;
    let mut claim = json!({
        "accessModes": ["ReadWriteMany"],
        "resources": { "requests": { "storage": checkpoint.storage_size } },
    });
    if let (Some(class), Some(claim)) = (&checkpoint.storage_class_name, claim.as_object_mut()) {
        claim.insert("storageClassName".into(), json!(class));
    }
    Some(json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": { "name": claim_name(&run.metadata.name), "labels": { "app": run.metadata.name } },
        "spec": claim,
    }))
}

/// Command and arguments of the trainer (02 §7.1–7.3), wrapped when lines run before it (02 §9).
fn trainer_command<R: Recorder>(
    input: &BuildInput<'_>,
    env: &[EnvVar],
    recorder: &mut R,
) -> (Vec<String>, Vec<String>) {
    let framework = &input.run.spec.framework;
    let (command, args) = match input.framework {
        Framework::Torch => {
            let torch = framework.torch.clone().unwrap_or_default();
            let module = torch.module.filter(|m| !m.is_empty()).map(|m| vec!["-m".to_owned(), m]);
            let mut args = module.unwrap_or_else(|| torch.script.into_iter().collect());
            args.extend(torch.args);
            (vec!["torchrun".to_owned()], args)
        }
        Framework::Exec => {
            let exec = framework.exec.clone().unwrap_or_default();
            (exec.command, exec.args)
        }
        Framework::Mpi => {
            let mpi = framework.mpi.clone().unwrap_or_default();
            let user: Vec<&str> = input.run.spec.env.iter().map(|v| v.name.as_str()).collect();
            let origin = |name: &str| match user.iter().rposition(|u| *u == name) {
                Some(index) => Origin::Run { path: FieldPath::parse("spec.env").index(index) },
                None => Origin::Default { source: "02 §8.1".into() },
            };
            let gpus_origin = match input.run.spec.gpus_per_node {
                Some(_) => Origin::Run { path: "spec.gpusPerNode".into() },
                None => Origin::Hardware {
                    architecture: input.architecture.to_owned(),
                    platform: input.platform.to_owned(),
                },
            };
            let gpus = (input.sizes.gpus_per_node, gpus_origin);
            let args = mpirun_words(&mpi, gpus, env, input.mpi_words, origin, recorder);
            (LAUNCHER_LIMIT.map(str::to_owned).into_iter().chain([mpi.mpirun_path]).collect(), args)
        }
    };
    if input.pre_command.is_empty() {
        return (command, args);
    }
    if R::ON {
        for (index, line) in input.pre_command.iter().enumerate() {
            let subject = Subject::PreCommand { index };
            recorder.record(|| Change { subject, origin: line.origin(), old: None, new: Some(json!(line.text)) });
        }
    }
    let lines: Vec<&str> = input.pre_command.iter().map(|line| line.text.as_ref()).collect();
    overrides::wrap_command(&lines, command, args)
}
