//! Rendering a run for every combination. The run is read once; everything else is a rendering like any other.

use super::marks::marks;
use super::model::{
    Combination, Differences, MATRIX_FORMAT, Matrix, MatrixEntry, Plain, Sizes, VariableDifference, Variant,
};
use crate::catalogue::{Catalogue, Framework};
use crate::compare::{ChangeKind, Meaning, RenderedSide, What, is_told, renderings};
use crate::diagnostic::{Diagnostic, FieldPath};
use crate::engine::{Engine, Options, Rendering, RunFlags, RunInput};
use crate::explain::{Explainer, Variable};
use crate::fleet::{UNKNOWN_ARCHITECTURE, parse_architecture_flag};
use serde_json::Value;

/// Which combinations are rendered, and how.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MatrixOptions {
    /// Only these platforms; all when empty.
    pub platforms: Vec<String>,
    /// Only these GPU architectures, `unknown` among them; all when empty.
    pub gpu_archs: Vec<String>,
    /// Only these editions; the catalogue's default when empty.
    pub editions: Vec<String>,
    /// Flags that edit the run.
    pub flags: RunFlags,
}

/// Reads a GPU architecture to filter by: one of the catalogue, a product of one, or `unknown`.
///
/// # Errors
/// As [`parse_architecture_flag`].
pub fn parse_matrix_architecture(text: &str, catalogue: &Catalogue) -> Result<String, Box<Diagnostic>> {
    if text == UNKNOWN_ARCHITECTURE {
        return Ok(text.to_owned());
    }
    parse_architecture_flag(text, catalogue).map(Option::unwrap_or_default)
}

/// Renders a run for every platform and GPU of the catalogue, and tells what differs from the plain run. Platforms and
/// editions that the catalogue does not know give no combination. With an error of the run itself nothing is rendered.
pub fn matrix(engine: &Engine, run: &RunInput, options: &MatrixOptions) -> Matrix {
    let flags = &options.flags;
    let itself = Options { flags: flags.clone(), ..Options::default() };
    let mut out =
        Matrix { format: MATRIX_FORMAT.into(), findings: engine.check(run, None, &itself), ..Matrix::default() };
    out.run = if flags.name.is_empty() { run.run.metadata.name.clone() } else { flags.name.clone() };
    if !out.is_printable() {
        return out;
    }
    let catalogue = engine.catalogue();
    let wanted = |list: &[String], name: &str| list.is_empty() || list.iter().any(|item| item == name);
    let unasked = [catalogue.default_edition().to_owned()];
    let editions = if options.editions.is_empty() { &unasked[..] } else { &options.editions };
    for edition in catalogue.editions.iter().map(|e| &e.name).filter(|name| editions.contains(name)) {
        let base = Base::of(engine, run, edition, flags, &out.findings);
        for platform in catalogue.platforms.iter().map(|p| &p.name).filter(|name| wanted(&options.platforms, name)) {
            let known = catalogue.architectures.iter().map(|a| Some(&a.name));
            for gpu_arch in known.chain([None]) {
                let asked = Options {
                    platform: Some(platform.clone()),
                    gpu_arch: gpu_arch.cloned(),
                    edition: Some(edition.clone()),
                    only_healthy: false,
                    flags: flags.clone(),
                };
                if !gpu_arch.is_none_or(|name| wanted(&options.gpu_archs, name)) {
                    continue;
                }
                let Some((architecture, variant)) = base.combination(engine, run, &asked) else { continue };
                if gpu_arch.is_none() && !wanted(&options.gpu_archs, &architecture) {
                    continue;
                }
                let place = out.variants.iter().position(|known| *known == variant).unwrap_or_else(|| {
                    out.variants.push(variant);
                    out.variants.len() - 1
                });
                out.combinations.push(Combination {
                    edition: edition.clone(),
                    platform: platform.clone(),
                    marks: marks(catalogue, edition, platform, &architecture),
                    gpu_architecture: architecture,
                    variant: place,
                });
            }
        }
        out.plain.push(base.plain);
    }
    let rendered: Vec<&Differences> = out.variants.iter().filter(|v| v.rendered).map(|v| &v.differences).collect();
    if let [first, rest @ ..] = rendered.as_slice()
        && !rest.is_empty()
    {
        out.common = rest.iter().fold((*first).clone(), |common, next| common.and(next));
    }
    out
}

fn sizes(rendering: &Rendering<'_>) -> Sizes {
    let sizes = &rendering.facts.sizes;
    let trainer =
        rendering.workflow.spec.job_template.spec.workload.train_job.as_ref().and_then(|t| t.trainer.as_ref());
    Sizes {
        nodes_per_job: trainer.and_then(|t| t.num_nodes).unwrap_or(sizes.nodes_per_job),
        gpus_per_node: sizes.gpus_per_node,
        mlnx_per_node: sizes.mlnx_per_node,
        enable_mnnvl: sizes.enable_mnnvl,
    }
}

/// What combinations of one edition are compared with.
struct Base<'r> {
    plain: Plain,
    rendering: Rendering<'r>,
    environment: Vec<Variable>,
}

impl<'r> Base<'r> {
    /// Renders the plain run. Its findings are those of the run itself: nobody renders it for itself.
    fn of(engine: &Engine, run: &'r RunInput, edition: &str, flags: &RunFlags, findings: &[Diagnostic]) -> Self {
        let engine = engine.without_entries();
        let options = Options { edition: Some(edition.to_owned()), flags: flags.clone(), ..Options::default() };
        let (mut rendering, trace) = engine.render_traced(run, None, &options);
        rendering.diagnostics = findings.to_vec();
        let environment = Explainer::new(&engine, &rendering, &trace, None).environment();
        let plain =
            Plain { edition: edition.to_owned(), sizes: sizes(&rendering), workflow: rendering.workflow_value() };
        Self { plain, rendering, environment }
    }

    /// A combination and its GPU; `None` when no GPU is given and the run's own target names one that has its own row.
    fn combination(&self, engine: &Engine, run: &RunInput, options: &Options) -> Option<(String, Variant)> {
        let (rendering, trace) = engine.render_traced(run, None, options);
        let architecture = rendering.facts.architecture.clone();
        if options.gpu_arch.is_none() && engine.catalogue().architecture(&architecture).is_some() {
            return None;
        }
        let side = |rendering| RenderedSide { file: "", rendering, jobs: None };
        let difference = renderings(&side(&self.rendering), &side(&rendering));
        let mut out = Variant { rendered: rendering.is_printable(), sizes: sizes(&rendering), ..Variant::default() };
        out.differences.findings = difference.findings.added;
        if !out.rendered {
            return Some((architecture, out));
        }
        let explainer = Explainer::new(engine, &rendering, &trace, None);
        out.differences.entries = self.entries(&explainer);
        let seen = explainer.environment();
        out.differences.environment = variables(&self.environment, &seen);
        let mpi = rendering.facts.framework == Framework::Mpi;
        for meaning in difference.meanings {
            out.differences.add(meaning, if mpi { &[] } else { &seen });
        }
        let annotations = FieldPath::parse("metadata.annotations");
        out.changes = difference.objects.into_iter().flat_map(|object| object.changes).collect();
        out.changes.retain(|change| !change.path.0.starts_with(&annotations.0));
        let rest = out.changes.iter().filter(|change| !is_told(change) && !is_number(&change.path));
        out.differences.fields = rest.cloned().collect();
        Some((architecture, out))
    }

    /// What applies, but for overrides of the run that apply without any platform.
    fn entries(&self, explainer: &Explainer<'_>) -> Vec<MatrixEntry> {
        let anyway = |origin| self.rendering.overrides.iter().any(|o| o.matched && o.origin == origin);
        let lines = explainer.override_lines().into_iter().filter(|line| line.outcome.matched);
        lines
            .filter(|line| !anyway(line.outcome.origin.clone()))
            .map(|line| MatrixEntry { origin: line.outcome.origin, title: line.title, no_op: line.outcome.no_op })
            .collect()
    }
}

/// A field that repeats a number or label which `values` tells.
fn is_number(path: &FieldPath) -> bool {
    let text = path.to_string();
    ["numProcPerNode", "orchestration.topology", "orchestration.topology.topologyKey"]
        .iter()
        .any(|field| text.ends_with(field))
}

/// Variables that processes see in another way, in the order of the manifests; removed ones last.
fn variables(old: &[Variable], new: &[Variable]) -> Vec<VariableDifference> {
    let value = |list: &[Variable], name: &str| list.iter().find(|v| v.name == name).and_then(|v| v.value.clone());
    let mut out = Vec::new();
    for variable in new {
        let before = value(old, &variable.name);
        let change = match (&before, &variable.value) {
            (None, Some(_)) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Removed,
            (old, new) if old != new => ChangeKind::Changed,
            _ => continue,
        };
        let (name, new) = (variable.name.clone(), variable.value.clone());
        let origin = new.is_some().then(|| variable.link.origin.clone());
        out.push(VariableDifference { name, change, old: before, new, origin });
    }
    let gone = old.iter().filter(|v| v.value.is_some() && !new.iter().any(|n| n.name == v.name));
    out.extend(gone.map(|v| VariableDifference {
        name: v.name.clone(),
        change: ChangeKind::Removed,
        old: v.value.clone(),
        new: None,
        origin: None,
    }));
    out
}

impl Differences {
    /// Puts a meaning into its list. What processes see is told by `environment`; where they see what their container
    /// says, `seen` is that.
    fn add(&mut self, meaning: Meaning, seen: &[Variable]) {
        match &meaning.what {
            What::Fact { name, .. } if name == "platform" || name == "gpuArchitecture" => {}
            What::Fact { .. } | What::Image { .. } => self.values.push(meaning),
            What::Env { name, new, .. } => {
                let told = |v: &Variable| v.name == *name && v.value.as_ref().and_then(Value::as_str) == new.as_deref();
                let gone = new.is_none() && !seen.is_empty();
                if !gone && !seen.iter().any(told) {
                    self.containers.push(meaning);
                }
            }
            What::Argument { .. } | What::Line { .. } => self.arguments.push(meaning),
            What::Resource { .. } => self.resources.push(meaning),
            What::Object { .. } => self.objects.push(meaning),
            _ => {}
        }
    }
}
