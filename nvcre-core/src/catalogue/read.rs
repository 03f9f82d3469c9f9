//! Reads a catalogue from its files.

use super::Catalogue;
use super::decode::decode;
use crate::check::nearest;
use crate::diagnostic::{Code, Diagnostic, FieldPath, Segment};
use crate::yaml::{Kind, Limits, Node, Read, Source, read_documents};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// The fields of a catalogue, as they are suggested for misspelt ones.
const FIELDS: [&str; 16] = [
    "advice",
    "architectures",
    "baseEnvironment",
    "detection",
    "editions",
    "entries",
    "environments",
    "fabrics",
    "fallback",
    "hardwareExceptions",
    "interfaces",
    "ncclVariables",
    "nicDetection",
    "platforms",
    "removedPlugins",
    "tolerations",
];

impl Catalogue {
    /// Reads and checks a catalogue of the embedder's own, in YAML or JSON. See [`Self::read_files`].
    pub fn read(bytes: &[u8], file: &str) -> Read<Self> {
        Self::read_files(&[(file, bytes)])
    }

    /// Reads and checks a catalogue that is spread over several files (name and content), each of which may hold any
    /// of the fields, in one or several documents: lists are put one after the other in the order of the files.
    ///
    /// Nothing is required of a file but its form; what is wrong stands in the findings, with file and place, and
    /// everything that could be read is in the value. A catalogue with findings of severity error should not be used.
    pub fn read_files(files: &[(&str, &[u8])]) -> Read<Self> {
        let mut reader = Reader::of(files);
        let place = |reader: &Reader, mut findings: Vec<Diagnostic>| {
            findings.iter_mut().for_each(|finding| reader.place(finding));
            findings
        };
        // Parts that could not be read would make others look wrong.
        if !crate::diagnostic::has_errors(&reader.findings) {
            let checked = reader.catalogue.check();
            let checked = place(&reader, checked);
            reader.findings.extend(checked);
        }
        crate::diagnostic::sort(&mut reader.findings);
        Read { value: reader.catalogue, diagnostics: reader.findings }
    }

    /// As [`Self::read_files`], without the checks: for files that are known to pass them.
    pub(super) fn parse_files(files: &[(&str, &[u8])]) -> Read<Self> {
        let reader = Reader::of(files);
        Read { value: reader.catalogue, diagnostics: reader.findings }
    }
}

#[derive(Default)]
struct Reader {
    catalogue: Catalogue,
    findings: Vec<Diagnostic>,
    sources: Vec<Source>,
    /// For each list, where its parts begin: index in the catalogue, index in `sources`.
    starts: BTreeMap<&'static str, Vec<(usize, usize)>>,
}

impl Reader {
    fn of(files: &[(&str, &[u8])]) -> Self {
        let mut reader = Self::default();
        for (file, bytes) in files {
            let read = read_documents(bytes, file, &Limits::RUN);
            reader.findings.extend(read.diagnostics);
            for source in read.value {
                reader.document(source);
            }
        }
        reader
    }

    fn document(&mut self, source: Source) {
        let number = self.sources.len();
        let file = source.file.clone();
        let Some(root) = &source.root else { return };
        let Kind::Map(entries) = &root.kind else {
            let finding = Diagnostic::new(Code::WrongType, "a catalogue is a mapping, and this is something else")
                .with_help("write fields such as `editions`, `platforms` and `entries`")
                .with_file(file)
                .with_span(root.span);
            self.findings.push(finding);
            return;
        };
        for entry in entries {
            let (key, node) = (&*entry.key, &entry.value);
            let c = &mut self.catalogue;
            let mut part = Part { findings: &mut self.findings, starts: &mut self.starts, number, file: &file, node };
            match key {
                "editions" => part.list("editions", &mut c.editions),
                "platforms" => part.list("platforms", &mut c.platforms),
                "detection" => part.list("detection", &mut c.detection),
                "architectures" => part.list("architectures", &mut c.architectures),
                "hardwareExceptions" => part.list("hardwareExceptions", &mut c.hardware_exceptions),
                "nicDetection" => part.list("nicDetection", &mut c.nic_detection),
                "baseEnvironment" => part.list("baseEnvironment", &mut c.base_environment),
                "environments" => part.list("environments", &mut c.environments),
                "tolerations" => part.list("tolerations", &mut c.tolerations),
                "entries" => part.list("entries", &mut c.entries),
                "advice" => part.list("advice", &mut c.advice),
                "interfaces" => part.list("interfaces", &mut c.interfaces),
                "fabrics" => part.list("fabrics", &mut c.fabrics),
                "removedPlugins" => part.list("removedPlugins", &mut c.removed_plugins),
                "ncclVariables" => part.list("ncclVariables", &mut c.nccl_variables),
                "fallback" => match decode(node, &FieldPath::root().key("fallback")) {
                    Ok(fallback) => {
                        c.fallback = fallback;
                        self.starts.entry("fallback").or_default().push((0, number));
                    }
                    Err(finding) => part.add(*finding),
                },
                unknown => {
                    let found = format!("a catalogue has no field {unknown:?}; it has {}", FIELDS.join(", "));
                    let finding = Diagnostic::at(Code::UnknownField, FieldPath::root().key(unknown), found)
                        .with_span(entry.key_span);
                    part.add(match nearest(unknown, FIELDS) {
                        Some(near) => finding.with_help(format!("did you mean `{near}`?")),
                        None => finding.with_help("remove it"),
                    });
                }
            }
        }
        self.sources.push(source);
    }

    /// Gives a finding of the check its file and place: the index in a list tells the part that the element is from.
    fn place(&self, finding: &mut Diagnostic) {
        let locate = |path: &FieldPath, at_key: bool| {
            let (Segment::Key(list), rest) = path.0.split_first()? else { return None };
            let parts = self.starts.get(&**list)?;
            let (index, below) = match rest.split_first() {
                Some((Segment::Index(index), below)) => (Some(*index), below),
                _ => (None, rest),
            };
            let (start, number) = parts.iter().rev().find(|(start, _)| *start <= index.unwrap_or(0))?;
            let source = self.sources.get(*number)?;
            let mut own = vec![Segment::Key(list.clone())];
            own.extend(index.map(|index| Segment::Index(index - start)));
            own.extend(below.iter().cloned());
            let own = FieldPath(own);
            let root = source.root.as_ref()?;
            let span = if at_key { root.locate_key(&own) } else { root.locate(&own) };
            Some((own, source.file.clone(), span))
        };
        if let Some((path, file, span)) = finding.path.as_ref().and_then(|path| locate(path, finding.at_key)) {
            (finding.path, finding.file, finding.span) = (Some(path), Some(file), Some(span));
        }
        for related in &mut finding.related {
            if let Some((path, file, span)) = related.path.as_ref().and_then(|path| locate(path, false)) {
                (related.path, related.file, related.span) = (Some(path), Some(file), Some(span));
            }
        }
    }
}

/// One field of one document.
struct Part<'a> {
    findings: &'a mut Vec<Diagnostic>,
    starts: &'a mut BTreeMap<&'static str, Vec<(usize, usize)>>,
    number: usize,
    file: &'a str,
    node: &'a Node,
}

impl Part<'_> {
    fn add(&mut self, finding: Diagnostic) {
        self.findings.push(finding.with_file(self.file));
    }

    /// Appends the elements that can be read; the others give one finding each.
    fn list<T: DeserializeOwned>(&mut self, name: &'static str, into: &mut Vec<T>) {
        let path = FieldPath::root().key(name);
        let Kind::List(items) = &self.node.kind else {
            if !matches!(&self.node.kind, Kind::Scalar(scalar) if scalar.value.is_null()) {
                let finding =
                    Diagnostic::at(Code::WrongType, path, format!("{name} is a list, and this is something else"))
                        .with_help("write one element for each line, with a leading `- `");
                self.add(finding.with_span(self.node.span));
            }
            return;
        };
        self.starts.entry(name).or_default().push((into.len(), self.number));
        for (at, item) in items.iter().enumerate() {
            match decode(item, &path.index(at)) {
                Ok(value) => into.push(value),
                Err(finding) => self.add(*finding),
            }
        }
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    const FACTS: &str = "\
editions: [{ name: mine, title: Mine }]
platforms: [{ name: cave, title: Cave, synthetic: { providerID: 'cave://x' } }]
detection: [{ platform: cave }]
architectures: [{ name: h100, gpusPerNode: 8, mlnxPerNode: 8, product: NVIDIA-H100 }]
fallback: { gpusPerNode: 4, mlnxPerNode: 0 }
";

    /// Code, file, line, column and path of each finding.
    fn findings(read: &Read<Catalogue>) -> Vec<String> {
        let place = |d: &Diagnostic| {
            let start = d.span.unwrap().start;
            let path = d.path.as_ref().map(FieldPath::to_string).unwrap_or_default();
            format!("{} {}:{}:{} {path}", d.code, d.file.as_deref().unwrap(), start.line, start.column)
        };
        read.diagnostics.iter().map(place).collect()
    }

    #[test]
    fn all_findings_with_places() {
        let text = format!(
            "{FACTS}entries:
- id: C1
  name: one
  title: One
  wen: {{}}
- id: C2
  name: two
  title: Two
  env: [{{ name: A, value: 1 }}]
- id: C3
  name: three
  title: Three
  framework: mip
- id: C4
  title: Four
- id: C5
  name: five
  title: Five
  when: {{ platform: [cave, 7] }}
- id: C6
  name: six
  title: Six
  worker:
  - if: {{ nics: {{ above: 0 }} }}
- id: C7
  name: seven
  title: Seven
  preCommand: [\"true\"]
entry: []
advice: x
"
        );
        let read = Catalogue::read(text.as_bytes(), "c.yaml");
        assert_eq!(
            findings(&read),
            [
                "NV005 c.yaml:10:3 entries[0].wen",
                "NV004 c.yaml:14:27 entries[1].env[0].value",
                "NV004 c.yaml:18:14 entries[2].framework",
                "NV006 c.yaml:19:3 entries[3]",
                "NV004 c.yaml:24:28 entries[4].when.platform[1]",
                "NV005 c.yaml:29:19 entries[5].worker[0].if.nics.above",
                "NV005 c.yaml:34:1 entry",
                "NV004 c.yaml:35:9 advice",
            ]
        );
        assert_eq!(read.value.entries.len(), 1, "what could be read is there");
        let help = |at: usize| read.diagnostics[at].help.clone().unwrap_or_default();
        assert_eq!(help(0), "did you mean `when`?");
        assert_eq!(help(1), "put quotes around it when a text is meant");
        assert_eq!(help(3), "add `name`");
        assert_eq!(help(6), "did you mean `entries`?");
    }

    #[test]
    fn several_files_are_one_catalogue() {
        let first = "entries:\n- { id: C1, name: one, title: One, preCommand: [\"true\"] }\n";
        let second = "# more\nentries:\n- { id: C2, name: two, title: Two, preCommand: [\"true\"] }\n\
                      - { id: C3, name: one, title: Three, preCommand: [\"${x}\"] }\n";
        let files = [("facts.yaml", FACTS.as_bytes()), ("a.yaml", first.as_bytes()), ("b.yaml", second.as_bytes())];
        let read = Catalogue::read_files(&files);
        assert_eq!(read.value.entries.len(), 3);
        assert_eq!(
            findings(&read),
            ["NV140 b.yaml:4:19 entries[1].name", "NV142 b.yaml:4:51 entries[1].preCommand[0]"]
        );
        let related = &read.diagnostics[0].related[0];
        assert_eq!((related.file.as_deref(), related.span.unwrap().start.line), (Some("a.yaml"), 2));
    }

    #[test]
    fn json_and_broken_texts() {
        let json = serde_json::to_vec(Catalogue::builtin()).unwrap();
        let read = Catalogue::read(&json, "c.json");
        assert_eq!((read.diagnostics, &read.value), (vec![], Catalogue::builtin()));
        for text in ["- a", "a: [", "7"] {
            assert!(crate::diagnostic::has_errors(&Catalogue::read(text.as_bytes(), "x").diagnostics), "{text}");
        }
        let empty = Catalogue::read(b"", "empty.yaml");
        assert_eq!(empty.diagnostics.len(), 2, "{:?}", empty.diagnostics);
    }
}
