//! An example of every code: `fixtures/findings/` raises them, and `docs/findings.md` is made of them.
//!
//! `UPDATE=1 cargo test -p nvcre-core --test findings` rewrites the page; without it the page is compared.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]
#![allow(clippy::print_stderr, missing_docs)]

mod scenarios;

use nvcre_core::api::{OverrideSpec, Value};
use nvcre_core::catalogue::Catalogue;
use nvcre_core::compare::{self, Content};
use nvcre_core::diagnostic::{Area, Code, Diagnostic, FieldPath, Severity, Span};
use nvcre_core::engine::{Delivery, Engine, Options};
use nvcre_core::fleet::{InventoryReader, read_inventory};
use nvcre_core::overrides::{Known, check_overrides};
use nvcre_core::snapshot::{self, Listed, Listing, discover};
use nvcre_core::yaml::Read;
use scenarios::{Scenario, flaws, root, roots};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{self, Read as _};
use std::path::Path;

/// Codes without an example, and why.
const WITHOUT: [(Code, &str); 1] =
    [(Code::ExpressionUnsupported, "only builds of the library without the feature `cel` raise it")];

/// A code, and what raises it.
struct Example {
    name: String,
    findings: Vec<Diagnostic>,
    /// Texts of the files by their names in findings.
    texts: BTreeMap<String, String>,
    /// Flags, or what a program did.
    given: String,
}

fn code_of(name: &str) -> Code {
    Code::parse(name.split('-').next().unwrap()).unwrap_or_else(|| panic!("{name} is not named after a code"))
}

/// The folders of `fixtures/findings/`.
fn folders() -> Vec<Example> {
    let folder = root().join("fixtures/findings");
    let mut folders: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    folders.iter().map(|folder| example(folder)).collect()
}

fn example(folder: &Path) -> Example {
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for file in roots::list(folder).0.iter().filter(|(_, listed)| **listed == Listed::File).map(|(file, _)| file) {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let name = file.rsplit('/').next().unwrap().to_owned();
        texts.insert(name, String::from_utf8_lossy(&bytes).into_owned());
    }
    let mut findings = match std::fs::read(folder.join("catalogue.yaml")) {
        Ok(bytes) => Catalogue::read(&bytes, "catalogue.yaml").diagnostics,
        Err(_) if texts.contains_key("a.yaml") => compared(&texts),
        Err(_) if folder.join("root").is_dir() => roots::findings(&folder.join("root")),
        Err(_) => Scenario::read(folder.to_owned()).render().diagnostics,
    };
    for finding in &mut findings {
        let short = |file: &str| file.rsplit('/').next().unwrap().to_owned();
        finding.file = finding.file.as_deref().map(short);
        finding.related.iter_mut().for_each(|r| r.file = r.file.as_deref().map(short));
        // What a message says of files, it says of these.
        finding.message = finding.message.replace(&format!("findings/{name}/"), "");
    }
    let scenario: Value = texts.get("scenario.yaml").map_or(Value::Null, |text| serde_yaml::from_str(text).unwrap());
    let mut given = Vec::new();
    // The usual flags say nothing about the example.
    let usual = json!({ "platform": "onprem", "gpuArch": "h100" });
    let flags = scenario["flags"].as_object().filter(|_| scenario["flags"] != usual);
    for (key, value) in flags.into_iter().flatten() {
        let flag: String = key
            .chars()
            .flat_map(|c| match c {
                c if c.is_uppercase() => vec!['-', c.to_ascii_lowercase()],
                c => vec![c],
            })
            .collect();
        match value {
            Value::Bool(_) => given.push(format!("--{flag}")),
            Value::String(text) => given.push(format!("--{flag} {text}")),
            other => given.push(format!("--{flag} {other}")),
        }
    }
    let given = if given.is_empty() { String::new() } else { format!("With `{}`.", given.join(" ")) };
    Example { name, findings, texts, given }
}

/// Findings of a comparison of `a.yaml` with `b.yaml` or `b.json`.
fn compared(texts: &BTreeMap<String, String>) -> Vec<Diagnostic> {
    let sides: Vec<(&str, Read<Content>)> = texts
        .iter()
        .map(|(name, text)| (name.as_str(), compare::read_side(name, &[(name.as_str(), text.as_bytes())])))
        .collect();
    let [(a, old), (b, new)] = sides.as_slice() else { panic!("two sides are wanted: {:?}", texts.keys()) };
    let mut out: Vec<Diagnostic> = old.diagnostics.iter().chain(&new.diagnostics).cloned().collect();
    out.extend(compare::check_sides((a, &old.value), (b, &new.value)));
    if let (Content::Rendered(old), Content::Rendered(new)) = (&old.value, &new.value) {
        out.extend(compare::rendered_files(old, new).diagnostics);
    }
    out
}

/// What no file shows: faults of a reader, of a program that changes the result, and files too large to keep here.
fn made() -> Vec<Example> {
    const RUN: &str = "apiVersion: nvcre.nvidia.com/v1alpha1\nkind: WorkloadRun\nmetadata: {name: sweep}\nspec:\n  \
        image: registry.example/nccl:1\n  framework: {mpi: {binary: /opt/ar, mpirunPath: /usr/bin/mpirun}}\n  numNodes: 2\n";
    const NODES: &str = "[{metadata: {name: gpu-1, labels: {nvidia.com/gpu.present: \"true\", nvidia.com/gpu.product: H100}}}, \
        {metadata: {name: gpu-2, labels: {nvidia.com/gpu.present: \"true\", nvidia.com/gpu.product: H100}}}]";
    let example = |name: &str, given: &str, findings| Example {
        name: name.into(),
        findings,
        texts: BTreeMap::new(),
        given: given.into(),
    };

    /// Breaks off, as a pipe does whose other end fails.
    struct Broken;
    impl io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::new(io::ErrorKind::ConnectionReset, "connection reset by peer"))
        }
    }
    let mut reader = InventoryReader::new();
    reader.read("nodes.yaml", "kind: List\nitems:\n".as_bytes().chain(Broken));
    let unreadable = reader.finish().diagnostics;

    let engine = Engine::new();
    let inventory = read_inventory(NODES).value;
    let input = engine.read_run(RUN.as_bytes(), "run.yaml", false);
    let mut rendering = engine.render(&input, Some(&inventory), &Options::default());
    let again = rendering.workflow.spec.dependencies[0].clone();
    rendering.workflow.spec.dependencies.push(again);
    let dependency = rendering.jobs(Delivery::Trainer).diagnostics;

    let pieces = json!({ "when": {}, "dependencies": ["topology"] });
    let pieces: Vec<OverrideSpec> = vec![serde_json::from_value(pieces).unwrap()];
    let shape = check_overrides(&pieces, &FieldPath::parse("spec.overrides"), &Known::default());

    let long = "x".repeat(500_000);
    let run = format!("{RUN}  config: {{inline: {{table.csv: {long}}}}}\n");
    let input = engine.read_run(run.as_bytes(), "run.yaml", false);
    let record = engine.render(&input, Some(&inventory), &Options::default()).jobs(Delivery::Trainer).diagnostics;

    let found_in = |entries: &[(&str, Listed)]| {
        let listing = entries.iter().map(|(path, listed)| ((*path).to_owned(), listed.clone()));
        discover(&Listing(listing.collect()), &[]).1
    };
    let twice = found_in(&[("Smoke/run.yaml", Listed::File), ("smoke/run.yaml", Listed::File)]);
    let none = found_in(&[("README.yaml", Listed::File)]);
    let link = found_in(&[("aws/run.yaml", Listed::File), ("aws/all", Listed::Loop)]);
    let denied = vec![snapshot::unreadable("aws/run.yaml", "permission denied")];
    vec![
        example("NV310", "Folders `Smoke` and `smoke`.", twice),
        example("NV311", "A root without a `run.yaml`.", none),
        example("NV312", "A link `aws/all` to the folder that `aws` is in.", link),
        example("NV313", "A run that its reader may not read.", denied),
        example("NV013", "The connection breaks off while the inventory is read.", unreadable),
        example("NV162", "A program hands over an override whose dependency is a text.", shape),
        example("NV262", "A program adds a dependency a second time to the Workflow that it was given.", dependency),
        example("NV276", "A run with 500,000 bytes in `spec.config.inline`.", record),
    ]
}

fn examples() -> Vec<Example> {
    let mut out = folders();
    out.extend(made());
    out.sort_by_key(|e| code_of(&e.name));
    out
}

#[test]
fn every_code_has_an_example_that_raises_it() {
    let examples = examples();
    assert!(Code::ALL.is_sorted_by(|a, b| a.number() < b.number()), "a number twice, or out of order");
    let mut wrong = Vec::new();
    for example in &examples {
        if !example.findings.iter().any(|d| d.code == code_of(&example.name)) {
            let found: Vec<String> = example.findings.iter().map(|d| format!("{}: {}", d.code, d.message)).collect();
            wrong.push(format!("{} is not raised by its example, but {found:#?}", example.name));
        }
    }
    for code in Code::ALL {
        let found = examples.iter().filter(|e| code_of(&e.name) == *code).count();
        let wanted = usize::from(!WITHOUT.iter().any(|(without, _)| without == code));
        if found != wanted {
            wrong.push(format!("{code} {code:?} has {found} examples"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs that look alike and are meant: they must not raise the code of their folder.
fn quiet(folder: &Path) -> Vec<Example> {
    let Ok(text) = std::fs::read_to_string(folder.join("quiet.yaml")) else { return Vec::new() };
    let scenario = Scenario::read(folder.to_owned());
    let rendered = |text: &str| Example {
        name: scenario.name.clone(),
        findings: scenario.render_text(text.as_bytes()).diagnostics,
        texts: BTreeMap::new(),
        given: String::new(),
    };
    text.split("\n---\n").map(rendered).collect()
}

#[test]
fn lints_stay_quiet_where_a_run_is_meant_as_it_is() {
    let mut folders: Vec<_> =
        std::fs::read_dir(root().join("fixtures/findings")).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    let mut wrong = Vec::new();
    let mut with = BTreeMap::new();
    for folder in &folders {
        for (number, example) in quiet(folder).iter().enumerate() {
            let code = code_of(&example.name);
            with.insert(code, ());
            let loud = example.findings.iter().filter(|d| d.code == code || d.severity == Severity::Error);
            wrong.extend(loud.map(|d| format!("{}, run {number}: {} {}", example.name, d.code, d.message)));
        }
    }
    for code in Code::ALL.iter().filter(|c| c.area() == Area::Lint) {
        if !with.contains_key(code) {
            wrong.push(format!("{code} has no quiet.yaml"));
        }
        if code.basis().is_empty() {
            wrong.push(format!("{code} says nothing of what it rests on"));
        }
        if code.severity() == Severity::Error {
            wrong.push(format!("{code} is an error"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The page's own runs are meant as they are, on every platform and GPU of the catalogue.
#[test]
fn no_lint_speaks_of_the_runs_of_the_page() {
    let catalogue = Catalogue::builtin();
    let mut loud = Vec::new();
    let mut seen = 0;
    for scenario in Scenario::all().into_iter().filter(|s| s.name.starts_with("page-")) {
        let mut check = |scenario: &Scenario, on: &str| {
            let found = scenario.render().diagnostics;
            let lints = found.iter().filter(|d| d.code.area() == Area::Lint);
            loud.extend(lints.map(|d| format!("{} {on}: {} {}", scenario.name, d.code, d.message)));
            seen += 1;
        };
        check(&scenario, "as it is");
        for platform in &catalogue.platforms {
            for architecture in &catalogue.architectures {
                let mut other = Scenario::read(scenario.folder.clone());
                other.nodes.clear();
                other.options.platform = Some(platform.name.clone());
                other.options.gpu_arch = Some(architecture.name.clone());
                other.assume = Some(16);
                check(&other, &format!("on {} {}", platform.name, architecture.name));
            }
        }
    }
    assert!(loud.is_empty(), "{}", loud.join("\n"));
    assert!(seen > 14 * 90, "only {seen} renderings");
}

#[test]
fn findings_are_fit_to_be_read_aloud() {
    let flaws: Vec<String> = examples().iter().flat_map(|e| &e.findings).flat_map(flaws).collect();
    assert!(flaws.is_empty(), "{}", flaws.join("\n"));
}

#[test]
fn the_page_of_all_findings_is_current() {
    let path = root().join("docs/findings.md");
    let page = page(&examples());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == page,
        "docs/findings.md is not what the examples give: UPDATE=1 cargo test -p nvcre-core --test findings"
    );
}

const fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "notice",
    }
}

fn page(examples: &[Example]) -> String {
    let mut out = String::from(
        "# Findings\n\n\
         Everything that nvcrectl and the library have to say about a run, its nodes and catalogues. A code never changes \
         its meaning and is never used again. With an *error* nothing is printed or sent (`--lenient` turns NV005 into a \
         warning); a *warning* says that what renders is likely not what is wanted (`--deny-warnings` makes it count); a \
         *notice* explains a choice. A run accepts \
         warnings and notices with the annotation `nvcre.nvidia.com/allow` (README.md).\n\n\
         This page is made by a test from `nvcre-core/src/diagnostic/code/table.rs` and `fixtures/findings/`: \
         `UPDATE=1 cargo test -p nvcre-core --test findings`.\n\n\
         | code | severity | rule |\n|---|---|---|\n",
    );
    for code in Code::ALL {
        writeln!(
            out,
            "| [{code}](#{}) | {} | {} |",
            code.to_string().to_lowercase(),
            word(code.severity()),
            code.summary()
        )
        .unwrap();
    }
    for code in Code::ALL {
        write!(out, "\n## {code}\n\n{}\n", code.summary()).unwrap();
        if code.area() == Area::Lint {
            write!(out, "\nRests on: {}.\n", code.basis()).unwrap();
        }
        if let Some((_, why)) = WITHOUT.iter().find(|(without, _)| without == code) {
            write!(out, "\nNo example: {why}.\n").unwrap();
        }
        let Some(example) = examples.iter().find(|e| code_of(&e.name) == *code) else { continue };
        let Some(finding) = example.findings.iter().find(|d| d.code == *code) else { continue };
        if !example.given.is_empty() {
            write!(out, "\n{}\n", example.given).unwrap();
        }
        write!(out, "\n```text\n{}```\n", shown(finding, &example.texts)).unwrap();
    }
    out
}

/// A finding as a person sees it.
fn shown(d: &Diagnostic, texts: &BTreeMap<String, String>) -> String {
    let mut out = format!("{}[{}]: {}\n", word(d.severity), d.code, d.message);
    let path = d.path.as_ref().map(ToString::to_string).unwrap_or_default();
    let file = d.file.clone().unwrap_or_default();
    match d.span {
        Some(span) => {
            writeln!(out, "  --> {file}:{}:{}", span.start.line, span.start.column).unwrap();
            if let Some(text) = texts.get(&file).filter(|text| !text.contains('\u{fffd}')) {
                snippet(text, span, &path, &mut out);
            } else if !path.is_empty() {
                writeln!(out, "   = field: {path}").unwrap();
            }
        }
        None => {
            let place = [file, path].into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>().join(", ");
            writeln!(out, "  --> {place}").unwrap();
        }
    }
    for related in &d.related {
        let file = related.file.as_deref().or(d.file.as_deref()).unwrap_or_default();
        let place = match (related.span, &related.path) {
            (Some(span), _) => format!("{file}:{}:{}: ", span.start.line, span.start.column),
            (None, Some(path)) => format!("{path}: "),
            (None, None) => String::new(),
        };
        writeln!(out, "   = note: {place}{}", related.message).unwrap();
    }
    writeln!(out, "   = help: {}", d.help.as_deref().unwrap_or_default()).unwrap();
    out
}

/// The line with two before it, and a mark below.
fn snippet(text: &str, span: Span, path: &str, out: &mut String) {
    const WIDTH: usize = 100;
    let cut = |text: &str| match text.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    };
    let (line, column) = (span.start.line as usize, span.start.column as usize);
    writeln!(out, "    |").unwrap();
    for (number, content) in (1..).zip(text.lines()).filter(|(n, _)| *n + 2 >= line && *n <= line) {
        writeln!(out, "{number:>3} | {}", cut(content)).unwrap();
    }
    let end = if span.end.line == span.start.line { span.end.column as usize } else { column + 1 };
    if column <= WIDTH {
        let marks = "^".repeat(end.min(WIDTH + 1).saturating_sub(column).max(1));
        let mark = format!("    | {}{marks} {}", " ".repeat(column - 1), cut(path));
        writeln!(out, "{}", mark.trim_end()).unwrap();
    } else if !path.is_empty() {
        writeln!(out, "    = field: {}", cut(path)).unwrap();
    }
}
