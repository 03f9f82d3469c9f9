//! A matrix for people: as text with colours, and as Markdown for pull requests.

pub mod markdown;
pub mod text;

use crate::difference::{Line, fields};
use nvcre_core::compare::{ChangeKind, Meaning, What};
use nvcre_core::diagnostic::Severity;
use nvcre_core::matrix::{Combination, Differences, Mark, Matrix, Sizes, Variant};
use nvcre_core::trace::Origin;
use serde_json::Value;

/// Combinations of one edition and platform that give the same.
pub struct Row<'m> {
    edition: &'m str,
    platform: &'m str,
    platform_mark: &'static str,
    gpus: Vec<String>,
    variant: usize,
    content: &'m Variant,
}

/// What combinations give, each once, for people: editions whose plain runs differ may bring the same to them.
pub fn variants(matrix: &Matrix) -> Vec<&Variant> {
    let mut out: Vec<&Variant> = Vec::new();
    for variant in &matrix.variants {
        if !out.iter().any(|known| alike(known, variant)) {
            out.push(variant);
        }
    }
    out
}

fn alike(a: &Variant, b: &Variant) -> bool {
    (a.rendered, a.sizes, &a.differences) == (b.rendered, b.sizes, &b.differences)
}

/// The rows of the table, in the order of the catalogue.
pub fn rows(matrix: &Matrix) -> Vec<Row<'_>> {
    let shown = variants(matrix);
    let mut out: Vec<Row<'_>> = Vec::new();
    for combination in &matrix.combinations {
        let Some(content) = matrix.variant(combination) else { continue };
        let variant = shown.iter().position(|known| alike(known, content)).unwrap_or_default();
        let same = |row: &&mut Row<'_>| {
            row.edition == combination.edition && row.platform == combination.platform && row.variant == variant
        };
        match out.iter_mut().find(same) {
            Some(row) => row.gpus.push(gpu(combination)),
            None => out.push(Row {
                edition: &combination.edition,
                platform: &combination.platform,
                platform_mark: if combination.marks.contains(&Mark::PlatformGeneric) { "*" } else { "" },
                gpus: vec![gpu(combination)],
                variant,
                content,
            }),
        }
    }
    out
}

/// The GPU with a question mark where something is not known.
fn gpu(combination: &Combination) -> String {
    let unknown = combination.marks.iter().any(|mark| matches!(mark, Mark::PairUnknown | Mark::GpuUnknown));
    format!("{}{}", combination.gpu_architecture, if unknown { "?" } else { "" })
}

/// What the marks of the table mean, those that are there.
pub fn legend(matrix: &Matrix) -> Vec<&'static str> {
    let has = |mark: Mark| matrix.combinations.iter().any(|c| c.marks.contains(&mark));
    let mut out = Vec::new();
    if has(Mark::PairUnknown) {
        out.push("?  the catalogue knows nothing about this platform with this GPU: what applies is general");
    }
    if has(Mark::GpuUnknown) {
        out.push("unknown?  a GPU that the catalogue does not know: entries with a GPU condition do not apply, numbers are the fallback");
    }
    if has(Mark::PlatformGeneric) {
        out.push("*  nodes that show no known platform are taken for this one");
    }
    out
}

/// Title of what combinations have in common.
pub fn in_common(matrix: &Matrix) -> &'static str {
    match matrix.variants.iter().all(|variant| variant.rendered) {
        true => "In all combinations",
        false => "In all combinations that can be rendered",
    }
}

/// `4 GPUs, 8 NICs a node, MNNVL on, 2 nodes a job`.
pub fn sizes(sizes: &Sizes) -> String {
    let count = |n: i32, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
    format!(
        "{} and {} a node, MNNVL {}, {} a job",
        count(sizes.gpus_per_node, "GPU"),
        count(sizes.mlnx_per_node, "NIC"),
        on(sizes.enable_mnnvl),
        count(sizes.nodes_per_job, "node")
    )
}

fn on(flag: bool) -> &'static str {
    if flag { "on" } else { "off" }
}

/// Which combinations give one of [`variants`]: `aws a100, h100; gcp l40`.
pub fn members(matrix: &Matrix, rows: &[Row<'_>], variant: usize) -> String {
    let several = matrix.plain.len() > 1;
    let rows = rows.iter().filter(|row| row.variant == variant);
    let name = |row: &Row<'_>| {
        let edition = if several { format!("{} ", row.edition) } else { String::new() };
        format!("{edition}{} {}", row.platform, row.gpus.join(", ").replace('?', ""))
    };
    rows.map(name).collect::<Vec<_>>().join("; ")
}

/// What differs, in parts with a title. With a `width` for their lines long values are cut.
pub fn parts(differences: &Differences, width: Option<usize>) -> Vec<(&'static str, Vec<Line>)> {
    let plain = |text: String| Line { mark: None, depth: 0, text };
    let meanings = |list: &[Meaning]| list.iter().map(|meaning| plain(meaning.text.clone())).collect::<Vec<_>>();
    let entries = differences.entries.iter().map(|entry| {
        let nothing = if entry.no_op { " (nothing to change here)" } else { "" };
        let title = if entry.title.is_empty() { String::new() } else { format!(": {}", entry.title) };
        plain(format!("{}{title}{nothing}", origin(&entry.origin)))
    });
    let variables = differences.environment.iter().map(|variable| {
        let pair = |value: &Option<Value>| value.as_ref().map(shown).unwrap_or_default();
        let by = variable.origin.as_ref().map(short).filter(|by| !by.is_empty());
        let by = by.map(|by| format!("  ({by})")).unwrap_or_default();
        let text = match variable.change {
            ChangeKind::Removed => format!("{} is not set (was {})", variable.name, pair(&variable.old)),
            ChangeKind::Added => format!("{}={}{by}", variable.name, pair(&variable.new)),
            _ => format!("{}={} (was {}){by}", variable.name, pair(&variable.new), pair(&variable.old)),
        };
        Line { mark: Some(variable.change), depth: 0, text }
    });
    let fields = fields::lines(&differences.fields, width);
    let findings = differences.findings.iter().map(|finding| {
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Notice => "notice",
        };
        plain(format!("{severity}[{}]: {}", finding.code, finding.message))
    });
    let all = [
        ("entries", entries.collect()),
        ("values", meanings(&differences.values)),
        ("environment", variables.collect::<Vec<_>>()),
        ("containers", meanings(&differences.containers)),
        ("command", meanings(&differences.arguments)),
        ("resources", meanings(&differences.resources)),
        ("objects", meanings(&differences.objects)),
        ("other fields", fields),
        ("findings", findings.collect()),
    ];
    all.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Entry { id, name } => format!("{id} {name}"),
        other => short(other),
    }
}

/// Who set something, in a word.
fn short(origin: &Origin) -> String {
    match origin {
        Origin::Entry { id, .. } => id.clone(),
        Origin::Override { index } => format!("spec.overrides[{index}]"),
        Origin::Run { path } => path.to_string(),
        _ => String::new(),
    }
}

/// Entries of a row: `E1 E2 E5`.
fn entries(differences: &Differences) -> Vec<String> {
    differences.entries.iter().map(|entry| short(&entry.origin)).collect()
}

/// Resources that pods ask for beside GPUs or no longer: `rdma/ib 1`, `no nvidia.com/gpu`.
fn resources(differences: &Differences) -> Vec<String> {
    let one = |meaning: &Meaning| match &meaning.what {
        What::Resource { name, new: Some(new), .. } => Some(format!("{name} {new}")),
        What::Resource { name, new: None, .. } => Some(format!("no {name}")),
        _ => None,
    };
    differences.resources.iter().filter_map(one).collect()
}

/// Kinds of the objects that are made.
fn objects(differences: &Differences) -> Vec<String> {
    let one = |meaning: &Meaning| match &meaning.what {
        What::Object { object, added: true, .. } => Some(object.clone()),
        What::Object { object, added: false, .. } => Some(format!("no {object}")),
        _ => None,
    };
    let mut out: Vec<(String, usize)> = Vec::new();
    for object in differences.objects.iter().filter_map(one) {
        match out.iter_mut().find(|(known, _)| *known == object) {
            Some((_, count)) => *count += 1,
            None => out.push((object, 1)),
        }
    }
    out.into_iter().map(|(object, count)| if count > 1 { format!("{count} {object}") } else { object }).collect()
}

/// Codes of findings, each once.
fn codes(differences: &Differences) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for finding in &differences.findings {
        let code = finding.code.to_string();
        if !out.contains(&code) {
            out.push(code);
        }
    }
    out
}

/// `+8 ~1 -2`.
fn counted(changes: impl Iterator<Item = ChangeKind>) -> String {
    let mut counts = [('+', 0), ('~', 0), ('-', 0)];
    for change in changes {
        let place = match change {
            ChangeKind::Added => 0,
            ChangeKind::Removed => 2,
            ChangeKind::Changed | ChangeKind::Moved => 1,
        };
        if let Some((_, count)) = counts.get_mut(place) {
            *count += 1;
        }
    }
    let parts: Vec<String> = counts.iter().filter(|(_, n)| *n > 0).map(|(sign, n)| format!("{sign}{n}")).collect();
    parts.join(" ")
}

fn environment(differences: &Differences) -> String {
    counted(differences.environment.iter().map(|variable| variable.change))
}

fn arguments(differences: &Differences) -> String {
    counted(differences.arguments.iter().map(|meaning| match &meaning.what {
        What::Argument { change, .. } => *change,
        What::Line { added: true, .. } => ChangeKind::Added,
        _ => ChangeKind::Removed,
    }))
}
