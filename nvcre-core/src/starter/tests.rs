//! What a first run says is true.

use super::*;
use crate::diagnostic::{Diagnostic, Severity, has_errors};
use crate::engine::{Delivery, Engine, Options};
use serde_json::json;

const FRAMEWORKS: [Framework; 3] = [Framework::Mpi, Framework::Torch, Framework::Exec];

fn text(framework: Framework) -> String {
    Starter { framework, ..Starter::default() }.text()
}

fn findings(text: &str) -> Vec<Diagnostic> {
    let engine = Engine::new();
    engine.check(&engine.read_run(text.as_bytes(), "run.yaml", false), None, &Options::default())
}

/// What is found for a platform and GPU.
fn found_on(text: &str, platform: &str, gpu: &str) -> Vec<Diagnostic> {
    let engine = Engine::new();
    let run = engine.read_run(text.as_bytes(), "run.yaml", false);
    let options = Options { platform: Some(platform.into()), gpu_arch: Some(gpu.into()), ..Options::default() };
    engine.render(&run, None, &options).diagnostics
}

/// What runs on four nodes: the plan and the objects of every job.
fn running(text: &str) -> Value {
    let engine = Engine::new();
    let run = engine.read_run(text.as_bytes(), "run.yaml", false);
    let options = Options { platform: Some("aws".into()), gpu_arch: Some("gb300".into()), ..Options::default() };
    let nodes = engine.assume_nodes(&run, &options, 4).value;
    let rendering = engine.render(&run, Some(&nodes), &options);
    let jobs = rendering.jobs(Delivery::Trainer);
    let prepared =
        jobs.prepared.as_ref().unwrap_or_else(|| panic!("{:?}{:?}", rendering.diagnostics, jobs.diagnostics));
    let objects: Vec<Value> =
        prepared.jobs().flat_map(|job| prepared.manifests(job)).map(|manifest| manifest.value).collect();
    json!({"plan": rendering.plan(Some(prepared)), "objects": objects})
}

/// A setting that is commented out: its lines, from `first` to before `last`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Lines {
    first: usize,
    last: usize,
}

/// The line without its mark, when it is a setting: `  #  queue: a` is `    queue: a`.
fn setting(line: &str) -> Option<String> {
    let at = line.find(|c| c != ' ')?;
    let rest = line.get(at..)?.strip_prefix('#')?;
    // Below a setting that is put in, lines are put in behind the mark.
    let is = rest.trim_start().starts_with(|c: char| c.is_ascii_alphabetic() || c == '-');
    (is && !rest.starts_with(' ') || is && at > 0 && rest.starts_with("  ")).then(|| " ".repeat(at) + rest)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Settings that belong together: lines without anything between them.
fn blocks(text: &str) -> Vec<Lines> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out: Vec<Lines> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if setting(line).is_none() {
            continue;
        }
        match out.last_mut().filter(|block| block.last == at) {
            Some(block) => block.last += 1,
            None => out.push(Lines { first: at, last: at + 1 }),
        }
    }
    out
}

/// Every setting of a block with what is above and below it, where it can stand alone.
fn alone(text: &str, block: Lines) -> Vec<Vec<usize>> {
    let all: Vec<String> = text.lines().map(|line| setting(line).unwrap_or_default()).collect();
    let own = block.first..block.last;
    let top = own.clone().filter(|at| indent(&all[*at]) == indent(&all[block.first])).count();
    let whole: Vec<usize> = own.clone().collect();
    // `mpiArgs` and `mpiImplementation` stand one below the other and have nothing to do with each other.
    let single = own.clone().all(|at| indent(&all[at]) == indent(&all[block.first]));
    if top > 1 && !single {
        return vec![whole];
    }
    let mut out = vec![whole];
    for at in own.clone() {
        let mut chosen = Vec::new();
        let mut depth = indent(&all[at]);
        for above in (block.first..at).rev() {
            if indent(&all[above]) < depth {
                depth = indent(&all[above]);
                chosen.push(above);
            }
        }
        // What a mapping above requires stands beside it.
        for above in chosen.clone() {
            let below = (above + 1..block.last).take_while(|below| indent(&all[*below]) > indent(&all[above]));
            chosen.extend(below.filter(|below| *below != at && all[*below].ends_with("# required")));
        }
        chosen.push(at);
        chosen.sort_unstable();
        chosen.extend((at + 1..block.last).take_while(|below| indent(&all[*below]) > indent(&all[at])));
        // A list item, a value of a mapping: what an element needs stands beside it.
        let needs = all[at].trim_start();
        let of_element = chosen.first().is_some_and(|_| {
            let list = chosen.iter().any(|line| all[*line].trim_start().starts_with("- ") && *line != at);
            list || needs.starts_with("- ")
        });
        if !of_element {
            out.push(chosen);
        }
    }
    out
}

fn uncommented(text: &str, chosen: &[usize]) -> String {
    let lines = text.lines().enumerate();
    lines.map(|(at, line)| if chosen.contains(&at) { setting(line).unwrap() } else { line.to_owned() } + "\n").collect()
}

#[test]
fn it_reads_without_any_finding_and_renders_everywhere() {
    let engine = Engine::new();
    for framework in FRAMEWORKS {
        let text = text(framework);
        assert_eq!(findings(&text), [], "{framework:?}");
        assert!(!text.contains('%') && text.is_ascii(), "{framework:?}");
        for platform in &engine.catalogue().platforms {
            for gpu in engine.catalogue().architecture_names() {
                let found = found_on(&text, &platform.name, gpu);
                assert!(!has_errors(&found), "{framework:?} {} {gpu}: {found:?}", platform.name);
            }
        }
    }
}

#[test]
fn what_is_commented_out_is_valid_alone_and_all_together() {
    let engine = Engine::new();
    let mut seen = 0;
    for framework in FRAMEWORKS {
        let text = text(framework);
        let blocks = blocks(&text);
        assert!(blocks.len() >= 14, "{framework:?}: {}", blocks.len());
        let all: Vec<usize> = blocks.iter().flat_map(|b| b.first..b.last).collect();
        for chosen in blocks.iter().flat_map(|block| alone(&text, *block)).chain([all]) {
            seen += 1;
            let text = uncommented(&text, &chosen);
            let found = findings(&text);
            assert!(found.iter().all(|d| d.severity == Severity::Notice), "{framework:?}: {found:?}\n{text}");
            for platform in &engine.catalogue().platforms {
                let found = found_on(&text, &platform.name, "gb300");
                assert!(!has_errors(&found), "{framework:?} {}: {found:?}\n{text}", platform.name);
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

/// Path of the field of a setting, by its place.
fn path(text: &str, at: usize) -> String {
    let lines: Vec<String> = text.lines().map(|line| setting(line).unwrap_or_else(|| line.to_owned())).collect();
    let mut keys = Vec::new();
    let mut depth = usize::MAX;
    for line in lines[..=at].iter().rev().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
    {
        if indent(line) < depth {
            depth = indent(line);
            keys.push(line.trim().split(':').next().unwrap().to_owned());
        }
    }
    keys.reverse();
    keys.join("/")
}

/// The schema of a field of the run.
#[cfg(feature = "schema")]
fn schema_of<'s>(schema: &'s Value, path: &str) -> &'s Value {
    let mut here = schema;
    for key in path.split('/') {
        let field = &here["properties"][key];
        let reference = field["$ref"].as_str().or_else(|| field["allOf"][0]["$ref"].as_str());
        here = match reference {
            Some(target) if field.get("default").is_none() => schema.pointer(&target[1..]).unwrap(),
            _ => field,
        };
    }
    here
}

/// Every default that a comment names is that of the schema; every field with a default in the schema names it; and with
/// the default written out the same is rendered as without.
#[test]
#[cfg(feature = "schema")]
fn defaults_are_those_of_schema_and_renderer() {
    let schema: Value = serde_json::from_str(crate::schema::json_schema_workload_run()).unwrap();
    let mut seen = 0;
    for framework in FRAMEWORKS {
        let text = text(framework);
        for (at, line) in text.lines().enumerate().filter(|(_, line)| setting(line).is_some()) {
            let path = path(&text, at);
            if path.contains('-') || path.starts_with("spec/overrides") {
                continue;
            }
            let (above, key) = path.rsplit_once('/').unwrap();
            let required = schema_of(&schema, above)["required"].as_array().is_some_and(|r| r.iter().any(|r| r == key));
            assert_eq!(line.ends_with(" # required"), required, "{framework:?}: {path}");
            let told = line.split_once(" # default: ").map(|(_, value)| value);
            let known = &schema_of(&schema, &path)["default"];
            let known = if known.is_string() { known.as_str().unwrap().to_owned() } else { known.to_string() };
            assert_eq!(told.unwrap_or("null"), known, "{framework:?}: {path}");
            let Some(told) = told else { continue };
            seen += 1;
            // With what it needs, its own value replaced by the default.
            let block = blocks(&text).into_iter().find(|b| (b.first..b.last).contains(&at)).unwrap();
            let whole: Vec<usize> = (block.first..block.last).collect();
            let with = uncommented(&text, &whole);
            let (head, _) = line.split_once(": ").unwrap();
            let own = setting(line).unwrap();
            let written = setting(&format!("{head}: {told}")).unwrap();
            let explicit = with.replace(&own, &written);
            let without: String = with.lines().filter(|l| *l != own).map(|l| format!("{l}\n")).collect();
            assert_ne!(explicit, without);
            assert_eq!(running(&explicit), running(&without), "{path}");
        }
    }
    assert!(seen >= 27, "{seen}");
}

#[test]
fn names_and_images_are_written_so_that_they_are_read_back() {
    for name in ["on", "1e3", "a: b", "x # y", "\"q\"", "two\nlines", "-", ""] {
        let starter = Starter { name: name.into(), image: name.into(), ..Starter::default() };
        let run = Engine::new().read_run(starter.text().as_bytes(), "run.yaml", false);
        assert_eq!((run.run.metadata.name.as_str(), run.run.spec.image.as_str()), (name, name));
    }
    let starter = Starter { name: "sweep".into(), schema: "https://example.org/s.json".into(), ..Starter::default() };
    let first = "# yaml-language-server: $schema=https://example.org/s.json";
    assert_eq!(starter.text().lines().next(), Some(first));
    assert!(starter.text().contains(&format!("claimName: {}", claim_name("sweep"))));
    assert_eq!(json!(Starter::default().schema), json!(SCHEMA_FILE));
}
