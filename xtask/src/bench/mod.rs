//! `cargo xtask bench [--quick] [--write]`: the targets of speed and memory, each as a ratio within one run, medians of
//! runs that take turns. `--quick` leaves 100,000 nodes out; `--write` puts the table into docs/speed.md and README.md.
//! Nothing fails when a target is missed: a busy machine must not break a build.

mod inventory;
mod measure;
mod table;

use anyhow::{Context, Result, bail};
use inventory::Template;
use measure::{Run, median, peak, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use table::Row;

const RUN: &str = "fixtures/page-basic-aws-gb300/run.yaml";
/// The table stands in these pages, between two lines.
const PAGES: [&str; 2] = ["docs/speed.md", "README.md"];
const MARKS: [&str; 2] = ["<!-- cargo xtask bench --write -->\n", "<!-- end -->\n"];
const MB: f64 = 1e6;

/// Builds, measures and prints.
pub fn main(quick: bool, write: bool) -> Result<()> {
    tell("building");
    let program = build()?;
    let mut rows = Vec::new();
    tell("one run in the library");
    let targets = [
        ("one run, 16 nodes, text to all manifests as text", "text to text / print them with serde-saphyr", Some(3.0)),
        ("the same beside our own, faster printer", "text to text / print the values", Some(3.0)),
        ("a trace, when somebody asks for it", "render with a trace / render", None),
        ("the run explained beside all manifests as text", "text to text, explained / text to text", Some(1.3)),
    ];
    library("rendering", &targets, &mut rows)?;
    tell("differences in the library");
    let targets = [
        ("difference of two fleets of 10,000 nodes", "render both and compare / render both", Some(3.0)),
        ("the same when nothing differs, without rendering", "compare equal ones / render both", None),
    ];
    library("comparing", &targets, &mut rows)?;
    tell("snapshots in the library");
    let targets = [("`snapshot check` of 100 scenarios", "check / render", Some(1.2))];
    library("snapshots", &targets, &mut rows)?;
    tell("inventories in the library");
    let targets = [
        ("inventory of 10,000 nodes in YAML", "YAML, inventory / YAML, events only", Some(1.5)),
        ("inventory of 10,000 nodes in JSON", "JSON, inventory / JSON, skipped by serde_json", Some(2.0)),
    ];
    library("reading", &targets, &mut rows)?;
    cold(&program, &mut rows)?;
    fleets(&program, quick, &mut rows)?;
    let table = format!("{}\n\n{}", table::machine(), table::markdown(&rows));
    print(&table);
    for path in PAGES.into_iter().filter(|_| write) {
        let page = fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
        let [begin, end] = MARKS;
        let (head, rest) = page.split_once(begin).with_context(|| format!("{path} has no line {begin}"))?;
        let (_, tail) = rest.split_once(end).with_context(|| format!("{path} has no line {end}"))?;
        fs::write(path, format!("{head}{begin}{table}{end}{tail}"))?;
    }
    Ok(())
}

#[expect(clippy::print_stderr, reason = "a developer's command tells what it does")]
fn tell(text: &str) {
    eprintln!("{text}");
}

#[expect(clippy::print_stdout, reason = "the result of a developer's command")]
fn print(text: &str) {
    println!("{text}");
}

/// The released command line.
fn build() -> Result<String> {
    cargo(&["build", "--release", "--package", "nvcrectl"])?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    Ok(target.join("release/nvcrectl").to_string_lossy().into_owned())
}

fn cargo(args: &[&str]) -> Result<String> {
    let output = Command::new("cargo").args(args).stderr(std::process::Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("cargo {} failed", args.join(" "));
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Ratios that a benchmark of `nvcre-core` prints as lines `above / below: ratio`.
fn library(bench: &str, targets: &[(&str, &str, Option<f64>)], rows: &mut Vec<Row>) -> Result<()> {
    let text = cargo(&["bench", "--package", "nvcre-core", "--bench", bench])?;
    for (what, name, most) in targets {
        let line = text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(": "));
        let value = line.and_then(|l| l.split(' ').next()?.parse().ok());
        let value = value.with_context(|| format!("the benchmark {bench} prints no line {name:?}"))?;
        rows.push(Row { what: (*what).into(), measured: (*name).into(), value, most: *most, unit: " ×" });
    }
    Ok(())
}

/// A cold render beside `kubectl kustomize`.
fn cold(program: &str, rows: &mut Vec<Row>) -> Result<()> {
    let kubectl = std::env::var("KUBECTL").unwrap_or_else(|_| "kubectl".into());
    let folder = Scratch::new("kustomize")?;
    fs::write(folder.0.join("runtime.yaml"), RUNTIME)?;
    fs::write(folder.0.join("kustomization.yaml"), KUSTOMIZATION)?;
    let path = folder.0.to_string_lossy();
    let theirs = ["kustomize", &path];
    let ours = ["workloadrun", "render", "--platform", "aws", "--gpu-arch", "gb300", RUN];
    run(program, &ours)?;
    if run(&kubectl, &theirs).is_err() {
        tell("no kubectl that works (set KUBECTL): nothing to compare a cold render with");
        return Ok(());
    }
    tell("cold renders");
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..31 {
        a.push(run(program, &ours)?);
        b.push(run(&kubectl, &theirs)?);
    }
    let (time, their_time) = (median(&a), median(&b));
    let (memory, their_memory) = (peak(&a) as f64, peak(&b) as f64);
    rows.push(Row {
        what: "cold `render` of the basic example beside `kubectl kustomize`, wall time".into(),
        measured: format!("{:.1} ms / {:.1} ms", time * 1e3, their_time * 1e3),
        value: time / their_time,
        most: Some(1.0 / 20.0),
        unit: " ×",
    });
    rows.push(Row {
        what: "the same, peak memory".into(),
        measured: format!("{:.1} MB / {:.1} MB", memory / MB, their_memory / MB),
        value: memory / their_memory,
        most: Some(1.0 / 5.0),
        unit: " ×",
    });
    Ok(())
}

/// Whole fleets, to a pipe and into a folder.
fn fleets(program: &str, quick: bool, rows: &mut Vec<Row>) -> Result<()> {
    let scratch = Scratch::new("fleets")?;
    let template = Template::read()?;
    let sizes: &[usize] = if quick { &[1_000, 10_000] } else { &[1_000, 10_000, 100_000] };
    let files: Vec<PathBuf> = sizes.iter().map(|n| scratch.0.join(format!("nodes-{n}.yaml"))).collect();
    for (file, nodes) in files.iter().zip(sizes) {
        template.write(file, *nodes)?;
    }
    let out = scratch.0.join("out");
    for (what, folder) in [("to a pipe", None), ("`--out DIR`", Some(out.as_path()))] {
        let mut runs: Vec<Vec<Run>> = vec![Vec::new(); sizes.len()];
        for round in 0..3 {
            for ((file, nodes), runs) in files.iter().zip(sizes).zip(&mut runs) {
                tell(&format!("{nodes} nodes {what}, round {}", round + 1));
                // As many nodes in every size, as far as patience goes.
                for _ in 0..(20_000 / nodes).clamp(1, 5) {
                    runs.push(fleet(program, file, folder)?);
                }
            }
        }
        let Some((first, last)) = runs.first().zip(runs.last()) else { continue };
        let costs: Vec<f64> = runs.iter().zip(sizes).map(|(r, n)| median(r) / *n as f64).collect();
        let told = |f: &dyn Fn(usize) -> String| (0..sizes.len()).map(f).collect::<Vec<_>>().join(" · ");
        let cost = |at: usize| costs.get(at).map_or(0.0, |c| c * 1e6);
        rows.push(Row {
            what: format!("groups of 4 {what}, cost per node, {} nodes", told(&|at| thousands(sizes, at))),
            measured: told(&|at| format!("{:.0} µs", cost(at))),
            value: median(last) / median(first) * size(sizes, 0) / size(sizes, sizes.len() - 1),
            most: Some(1.3),
            unit: " ×",
        });
        let nodes = size(sizes, sizes.len() - 1);
        rows.push(Row {
            what: format!("the same, peak memory of {} nodes", thousands(sizes, sizes.len() - 1)),
            measured: told(&|at| runs.get(at).map_or(String::new(), |r| format!("{:.0} MB", peak(r) as f64 / MB))),
            value: peak(last) as f64 / MB,
            most: Some(100.0 + nodes * 1024.0 / MB),
            unit: " MB",
        });
    }
    Ok(())
}

fn size(sizes: &[usize], at: usize) -> f64 {
    sizes.get(at).map_or(1.0, |n| *n as f64)
}

fn thousands(sizes: &[usize], at: usize) -> String {
    format!("{},000", size(sizes, at) / 1e3)
}

fn fleet(program: &str, nodes: &Path, folder: Option<&Path>) -> Result<Run> {
    let nodes = nodes.to_string_lossy();
    let mut args = vec!["workloadrun", "render", RUN, "--nodes", &nodes, "--show", "manifests"];
    let folder = folder.map(|f| f.to_string_lossy().into_owned());
    if let Some(folder) = &folder {
        args.extend(["--out", folder]);
    }
    let out = run(program, &args)?;
    match &folder {
        Some(folder) => fs::remove_dir_all(folder)?,
        None if out.printed == 0 => bail!("nothing was printed"),
        None => {}
    }
    Ok(out)
}

/// A folder for a while.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Result<Self> {
        let path = std::env::temp_dir().join(format!("nvcre-bench-{}-{name}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const RUNTIME: &str = "apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: runtime
spec:
  mlPolicy:
    numNodes: 1
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: registry.example/train:1
";

const KUSTOMIZATION: &str = "resources:
- runtime.yaml
patches:
- patch: |
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainingRuntime
    metadata:
      name: runtime
    spec:
      mlPolicy:
        numNodes: 4
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_pages_hold_the_same_table() {
        let table = |path: &str| {
            let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap();
            let [begin, end] = MARKS;
            let (_, rest) = page.split_once(begin).unwrap();
            rest.split_once(end).unwrap().0.to_owned()
        };
        let [first, second] = PAGES.map(table);
        assert_eq!(first, second);
    }
}
