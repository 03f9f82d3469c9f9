//! What an entry writes in Kubernetes' own words, and what is read by others: raw parts of pods, objects, the job
//! template, conditions, words of mpirun.

use super::Checker;
use crate::catalogue::expand::{expand, expand_map};
use crate::catalogue::{Entry, Framework, Inputs, Object, When, WorkerPatch};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::overrides;
use crate::schema::{self, Mode};
use serde_json::{Map, Value};

/// A run, so that placeholders have values of the right kind.
const SAMPLE: Inputs<'static> = Inputs {
    run: "run",
    nodes: 2,
    gpus: 8,
    nics: 8,
    nic_resource: "rdma/ib",
    mnnvl: true,
    strict_domain: false,
    own_topology_key: false,
    framework: Framework::Mpi,
};

impl Checker<'_> {
    /// The parts of a condition that the names of platforms and GPUs say nothing about (04 §2).
    pub(super) fn conditions(&mut self, path: &FieldPath, when: &When) {
        let mut found = Vec::new();
        overrides::check_conditions(&when.0, path, &mut found);
        self.findings.extend(found);
    }

    /// Raw parts of the worker's pod and container.
    pub(super) fn pod_parts(&mut self, path: &FieldPath, patch: &WorkerPatch) {
        let value = |map: &Map<String, Value>| Value::Object(expand_map(map, &SAMPLE));
        self.typed(path, "pod", "k8s.PodSpec", &value(&patch.pod));
        self.typed(path, "container", "k8s.Container", &value(&patch.container));
    }

    /// A field of an entry as a patch of a type. Messages name the field as it is written, whatever file it is in.
    fn typed(&mut self, path: &FieldPath, field: &str, type_name: &str, value: &Value) {
        let mut found = Vec::new();
        schema::check_value(type_name, value, &path.key(field), Mode::PATCH, &mut found);
        let above = format!("{path}.");
        for mut finding in found {
            finding.message = finding.message.replace(&above, "");
            self.add(finding);
        }
    }

    /// Fields of an object, where its kind is known.
    pub(super) fn fields(&mut self, path: &FieldPath, object: &Object) {
        let mut found = Vec::new();
        schema::check_manifest(&Value::Object(expand_map(&object.body, &SAMPLE)), Mode::STRICT, &mut found);
        for mut finding in found {
            let inner = finding.path.take().unwrap_or_default();
            self.add(finding.with_path(path.join(&inner)));
        }
    }

    /// The patch on the job template.
    pub(super) fn job_template(&mut self, path: &FieldPath, entry: &Entry) {
        let Some(patch) = &entry.job_template else { return };
        if !patch.is_object() {
            return self.value(
                path.key("jobTemplate"),
                "a patch on the job template is a mapping, and this is something else",
                "write the fields of the job template that change, beginning with `spec` or `metadata`",
            );
        }
        self.typed(path, "jobTemplate", "JobTemplate", &expand(patch, &SAMPLE));
    }

    /// An option and its value in one word reach mpirun as one argument, which it does not know.
    pub(super) fn mpi_words(&mut self, path: &FieldPath, entry: &Entry) {
        for (at, words) in entry.mpi_args.iter().enumerate() {
            // A value may begin with '-' and hold blanks, as the options of ssh do.
            let option = |word: &&String| {
                let flag = word.split_once(' ').map_or("", |(flag, _)| flag);
                flag.starts_with("--") || ["-x", "-mca", "-np", "-N"].contains(&flag)
            };
            for word in words.iter().filter(option) {
                let found = format!("{word:?} is one word, and mpirun gets it as one argument with a blank in it");
                let parts: Vec<&str> = word.split_whitespace().collect();
                let finding = Diagnostic::at(Code::CatalogueValue, path.index(at), found);
                self.add(finding.with_help(format!("write it as words of a list: [{}]", parts.join(", "))));
            }
        }
    }
}
