//! Entries, variables and tolerations.

use super::Checker;
use crate::catalogue::expand::{Part, parts};
use crate::catalogue::{Condition, Entry, Guard, Input, Object, Variable, Variables, WorkerPatch};
use crate::check::TRAINER_ENV;
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use serde::Serialize;
use serde_json::Value;

/// Resources of Kubernetes itself, which have no domain.
const NATIVE: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

impl<'a> Checker<'a> {
    pub(super) fn effects(&mut self) {
        let catalogue = self.catalogue;
        let root = FieldPath::root();
        self.unique(&root.key("environments"), "name", catalogue.environments.iter().map(|e| e.name.as_str()));
        self.unique(&root.key("tolerations"), "name", catalogue.tolerations.iter().map(|t| t.name.as_str()));
        self.unique(&root.key("entries"), "id", catalogue.entries.iter().map(|e| e.id.as_str()));
        self.unique(&root.key("entries"), "name", catalogue.entries.iter().map(|e| e.name.as_str()));
        self.base(&root.key("baseEnvironment"));
        for (at, environment) in catalogue.environments.iter().enumerate() {
            let path = root.key("environments").index(at);
            self.kebab(path.key("name"), &environment.name);
            self.list(&path.key("variables"), &environment.variables);
            self.placeholders(&path, environment);
            let names = |v: &Variables| matches!(v, Variables::Named(name) if *name == environment.name);
            let uses = |e: &Entry| names(&e.env) || names(&e.trainer_env) || e.worker.iter().any(|w| names(&w.env));
            if !catalogue.entries.iter().any(uses) {
                self.unused(path, format!("no entry uses the environment {:?}", environment.name));
            }
        }
        self.tolerations(&root.key("tolerations"));
        for (at, entry) in catalogue.entries.iter().enumerate() {
            self.entry(&root.key("entries").index(at), entry);
        }
        for (at, advice) in catalogue.advice.iter().enumerate() {
            let path = root.key("advice").index(at);
            self.when(&path.key("when"), &advice.when);
            self.editions(&path.key("editions"), &advice.editions);
        }
    }

    fn unused(&mut self, path: FieldPath, found: String) {
        self.add(Diagnostic::at(Code::CatalogueUnused, path, found).with_help("use it, or remove it"));
    }

    /// The base variables are made before anything but multi-node NVLink is known.
    fn base(&mut self, path: &FieldPath) {
        let list = &self.catalogue.base_environment;
        self.list(path, list);
        self.placeholders(path, list);
        for (at, variable) in list.iter().enumerate() {
            let path = path.index(at);
            let known = [Input::Mnnvl];
            for input in Input::ALL.into_iter().filter(|i| !known.contains(i)) {
                if crate::catalogue::expand::mentions(&variable.value, input) {
                    let found = format!("${{{}}} is not known to the base variables; only ${{mnnvl}} is", input.name());
                    let finding = Diagnostic::at(Code::CataloguePlaceholder, path.key("value"), found);
                    self.add(finding.with_help("put the variable into an environment of an entry"));
                }
            }
            let Condition { nodes, gpus, nics, nic_resource, .. } = &variable.condition;
            if nodes.is_some() || gpus.is_some() || nics.is_some() || nic_resource.is_some() {
                self.value(
                    path.key("if"),
                    "the base variables can depend on editions and mnnvl only",
                    "remove the other conditions, or put the variable into an entry",
                );
            }
        }
    }

    fn tolerations(&mut self, list: &FieldPath) {
        let catalogue = self.catalogue;
        for (at, toleration) in catalogue.tolerations.iter().enumerate() {
            let path = list.index(at);
            self.kebab(path.key("name"), &toleration.name);
            if !toleration.key.is_empty() {
                self.label_key(path.key("key"), "taint key", &toleration.key);
            }
            for (field, value, known) in [
                ("operator", &toleration.operator, &["Exists", "Equal"][..]),
                ("effect", &toleration.effect, &["NoSchedule", "PreferNoSchedule", "NoExecute"][..]),
            ] {
                if !value.is_empty() && !known.contains(&value.as_str()) {
                    let known = known.join(", ");
                    self.value(
                        path.key(field),
                        format!("{value:?} is no {field}; one of {known} is wanted, or nothing"),
                        "write one of these, or leave it out to match all",
                    );
                }
            }
            let uses = |p: &WorkerPatch| p.tolerations.contains(&toleration.name);
            if !catalogue.entries.iter().any(|e| e.worker.iter().any(uses)) {
                self.unused(path, format!("no entry uses the toleration {:?}", toleration.name));
            }
        }
    }

    fn entry(&mut self, path: &FieldPath, entry: &'a Entry) {
        self.kebab(path.key("name"), &entry.name);
        self.editions(&path.key("editions"), &entry.editions);
        self.when(&path.key("when"), &entry.when);
        for (edition, when) in &entry.when_by_edition {
            let path = path.key("whenByEdition").key(edition.as_str());
            self.edition(path.clone(), edition);
            self.when(&path, when);
        }
        // The same words for people may hold braces.
        let texts = Entry { title: String::new(), note: String::new(), source: String::new(), ..entry.clone() };
        self.placeholders(path, &texts);
        let env = self.variables(&path.key("env"), &entry.env);
        let trainer = self.variables(&path.key("trainerEnv"), &entry.trainer_env);
        let both = if entry.framework == Guard::Mpi { trainer.to_vec() } else { [trainer, env].concat() };
        let field = if entry.trainer_env.is_empty() { "env" } else { "trainerEnv" };
        if !env.is_empty() && !trainer.is_empty() {
            self.list(path, &both);
        }
        for variable in both.iter().filter(|v| TRAINER_ENV.contains(&v.name.as_str())) {
            let found =
                format!("{} would stand in trainer.env, where Trainer refuses it: it sets it itself", variable.name);
            let finding = Diagnostic::at(Code::CatalogueReservedVariable, path.key(field), found);
            self.add(finding.with_help("leave it out, or limit the entry to `framework: mpi`"));
        }
        if !entry.topology_key.is_empty() {
            self.label_key(path.key("topologyKey"), "label key", &entry.topology_key);
        }
        for (at, object) in entry.objects.iter().enumerate() {
            self.object(&path.key("objects").index(at), object);
        }
        for (at, patch) in entry.worker.iter().enumerate() {
            self.worker(&path.key("worker").index(at), patch);
        }
        if let Some(patch) = &entry.job_template_patch {
            for mut finding in crate::overrides::json_patch_problems(patch, &path.key("jobTemplatePatch")) {
                finding.code = Code::CatalogueJobTemplatePatch;
                self.add(finding);
            }
        }
        self.job_template(path, entry);
        self.mpi_words(&path.key("mpiArgs"), entry);
        let Entry { pre_command, mpi_args, objects, worker, job_template, job_template_patch, .. } = entry;
        if pre_command.is_empty()
            && mpi_args.is_empty()
            && env.is_empty()
            && trainer.is_empty()
            && entry.topology_key.is_empty()
            && objects.is_empty()
            && worker.is_empty()
            && job_template.is_none()
            && job_template_patch.is_none()
        {
            self.unused(path.clone(), format!("the entry {} ({}) has no effect", entry.id, entry.name));
        }
        if !mpi_args.is_empty() && entry.framework == Guard::NonMpi {
            self.unused(path.key("mpiArgs"), "mpiArgs have no effect in an entry that MPI runs do not have".into());
        }
    }

    fn object(&mut self, path: &FieldPath, object: &Object) {
        self.editions(&path.key("if").key("editions"), &object.condition.editions);
        self.fields(path, object);
        let body = &object.body;
        let name = body.get("metadata").and_then(|m| m.get("name"));
        for (field, value) in
            [("apiVersion", body.get("apiVersion")), ("kind", body.get("kind")), ("metadata.name", name)]
        {
            if value.and_then(Value::as_str).is_none_or(str::is_empty) {
                let found = format!("the object has no {field}");
                self.add(
                    Diagnostic::at(Code::CatalogueObject, path.clone(), found).with_help(format!("add `{field}`")),
                );
            }
        }
    }

    fn worker(&mut self, path: &FieldPath, patch: &'a WorkerPatch) {
        self.editions(&path.key("if").key("editions"), &patch.condition.editions);
        self.variables(&path.key("env"), &patch.env);
        self.pod_parts(path, patch);
        let names: Vec<&str> = self.catalogue.tolerations.iter().map(|t| t.name.as_str()).collect();
        for (at, name) in patch.tolerations.iter().enumerate() {
            self.known("toleration", path.key("tolerations").index(at), name, &names);
        }
        for (field, map) in [("jobAnnotations", &patch.job_annotations), ("podAnnotations", &patch.pod_annotations)] {
            for key in map.keys() {
                self.label_key(path.key(field).key(key.as_str()), "annotation key", key);
            }
        }
        for (resource, count) in &patch.resources {
            let path = path.key("resources").key(resource.as_str());
            let native = NATIVE.contains(&resource.as_str()) || resource.starts_with("hugepages-");
            if !resource.contains("${") && !native && !crate::check::is_extended_resource(resource) {
                let found = format!("{resource:?} is no resource name; a domain, a slash and a name are wanted");
                let finding = Diagnostic::at(Code::CatalogueResource, path.clone(), found);
                self.add(
                    finding
                        .at_key()
                        .with_help("write a name such as rdma/ib, or cpu, memory, ephemeral-storage, hugepages-2Mi"),
                );
            }
            match count {
                Value::Null => {}
                Value::String(text) if text.contains("${") => {}
                Value::String(text) => self.quantity(path, resource, text),
                Value::Number(number) => self.quantity(path, resource, &number.to_string()),
                other => self.quantity(path, resource, &other.to_string()),
            }
        }
    }

    /// The variables of a list, which is checked on the way.
    fn variables(&mut self, path: &FieldPath, variables: &'a Variables) -> &'a [Variable] {
        match variables {
            Variables::Inline(list) => {
                self.list(path, list);
                list
            }
            Variables::Named(name) => {
                let environments = &self.catalogue.environments;
                let names: Vec<&str> = environments.iter().map(|e| e.name.as_str()).collect();
                self.known("environment", path.clone(), name, &names);
                environments.iter().find(|e| e.name == *name).map_or(&[], |e| &e.variables)
            }
        }
    }

    /// No name twice, unless the conditions exclude each other (05 §6.6).
    fn list(&mut self, path: &FieldPath, list: &[Variable]) {
        for (at, variable) in list.iter().enumerate() {
            let field = path.index(at).key("name");
            self.editions(&path.index(at).key("if").key("editions"), &variable.condition.editions);
            let name = variable.name.as_str();
            let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if !starts || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')) {
                let found = format!("{name:?} is no name of a variable: letters, digits, '_', '.' and '-' are wanted");
                let finding = Diagnostic::at(Code::CatalogueVariable, field.clone(), found);
                self.add(finding.with_help("write a name such as NCCL_DEBUG"));
            }
            let same = |other: &&Variable| other.name == name && !other.condition.excludes(&variable.condition);
            if let Some(first) = list.iter().take(at).position(|other| same(&other)) {
                let found = format!("the variable {name} stands twice in the list; Kubernetes refuses that");
                let finding = Diagnostic::at(Code::CatalogueVariable, field, found)
                    .with_help("remove one, or give both an `if` so that they exclude each other");
                self.add(finding.with_related(path.index(first).key("name"), "the first one"));
            }
        }
    }

    /// Every placeholder is known, and a number stands alone.
    fn placeholders(&mut self, path: &FieldPath, part: &impl Serialize) {
        let Ok(value) = serde_json::to_value(part) else { return };
        self.walk(path, &value);
    }

    fn walk(&mut self, path: &FieldPath, value: &Value) {
        match value {
            Value::String(text) => self.text(path, text),
            Value::Array(items) => items.iter().enumerate().for_each(|(at, v)| self.walk(&path.index(at), v)),
            Value::Object(map) => {
                for (key, value) in map {
                    let path = path.key(key.as_str());
                    self.text(&path, key);
                    self.walk(&path, value);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, path: &FieldPath, text: &str) {
        let count = parts(text).count();
        for part in parts(text) {
            let found = match part {
                Part::Unknown(name) => format!("${{{name}}} is no placeholder"),
                Part::Number(input) if count > 1 => {
                    format!("${{{}:number}} stands in a longer text, which can only be a text", input.name())
                }
                _ => continue,
            };
            let names: Vec<String> = Input::ALL.iter().map(|i| format!("${{{}}}", i.name())).collect();
            let help = format!(
                "known are {}; with `:number` a count alone becomes a number; write $${{ for ${{ itself",
                names.join(", ")
            );
            self.add(Diagnostic::at(Code::CataloguePlaceholder, path.clone(), found).with_help(help));
        }
    }
}
