//! References of variables to variables: only `$(NAME)` of one that is defined before is ever expanded.

use super::{Input, Variable};
use crate::api::Value;
use crate::catalogue::Framework;
use crate::check::TRAINER_ENV;
use crate::diagnostic::{Code, Diagnostic};

/// How a reference is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `$(NAME)`, which the kubelet expands.
    Kubelet,
    /// `$NAME` or `${NAME}`, which only a shell expands.
    Shell,
}

/// References in a value: names in capital letters, as variables of an environment have them. `$$` stands for a dollar.
fn references(value: &str) -> Vec<(Form, &str)> {
    let mut out = Vec::new();
    let mut rest = value;
    while let Some(at) = rest.find('$') {
        rest = rest.get(at + 1..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix('$') {
            rest = after;
            continue;
        }
        let (form, inner, close) = match rest.chars().next() {
            Some('(') => (Form::Kubelet, rest.get(1..).unwrap_or_default(), Some(')')),
            Some('{') => (Form::Shell, rest.get(1..).unwrap_or_default(), Some('}')),
            _ => (Form::Shell, rest, None),
        };
        let end = inner.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'));
        let name = inner.get(..end.unwrap_or(inner.len())).unwrap_or_default();
        let after = inner.get(name.len()..).unwrap_or_default();
        let closed = close.is_none_or(|c| after.starts_with(c) || form == Form::Shell && after.starts_with(':'));
        if name.len() > 1 && name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') && closed {
            out.push((form, name));
        }
    }
    out
}

pub(super) fn lint(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let known = Known::of(input);
    for variable in input.own_env() {
        let references = references(variable.value);
        if let Some((form, _)) = references.iter().find(|(_, name)| *name == variable.name) {
            out.push(own(&variable, *form));
            continue;
        }
        if variable.name == "LD_LIBRARY_PATH" && !variable.value.is_empty() {
            let message = "LD_LIBRARY_PATH takes the place of the one of the image, and nothing can add to it here: libraries that the image finds by it are lost";
            let help = "make sure that the list is whole, or extend it in a script that starts the program";
            out.push(Diagnostic::at(Code::LibraryPathReplaced, &variable.path, message).with_help(help));
        }
        // With MPI, where a shell may read the value after all, another finding speaks of it.
        let shell = references.iter().find(|(form, _)| *form == Form::Shell);
        if let Some((_, name)) = shell.filter(|_| input.framework != Framework::Mpi) {
            let message = format!(
                "{} refers to {name} as a shell does, and no shell reads it: the program gets the dollar and the name",
                variable.name
            );
            let help = format!("write $({name}), which Kubernetes expands when {name} is defined before it");
            out.push(Diagnostic::at(Code::EnvShellSyntax, &variable.path, message).with_help(help));
        }
        for (_, name) in references.iter().filter(|(form, _)| *form == Form::Kubelet) {
            let Some(why) = known.missing(name, &variable) else { continue };
            let message = format!("{} refers to $({name}), and {why}: the text stays as it is", variable.name);
            let help = format!("define {name} in spec.env before {}", variable.name);
            out.push(Diagnostic::at(Code::EnvUndefined, &variable.path, message).with_help(help));
        }
    }
}

fn own(variable: &Variable<'_>, form: Form) -> Diagnostic {
    let name = variable.name;
    let why = match form {
        Form::Kubelet => "Kubernetes does not know what the image sets",
        Form::Shell => "no shell reads the value",
    };
    let message = format!(
        "{name} refers to its own value in the image, and {why}: the program gets {:?} word by word",
        variable.value
    );
    let help = format!("write the whole value, or extend {name} in a script that starts the program");
    Diagnostic::at(Code::EnvSelfReference, &variable.path, message).with_help(help)
}

/// Names that are defined in the container when a value is read.
struct Known<'a> {
    /// In the order of the run.
    own: Vec<&'a str>,
    /// By defaults, entries and overrides.
    others: Vec<&'a str>,
    /// A source that brings names nobody can list.
    open: bool,
}

impl<'a> Known<'a> {
    fn of(input: &Input<'a>) -> Self {
        let own: Vec<&str> = input.run.spec.env.iter().map(|v| v.name.as_str()).collect();
        let mut known = Self { others: Vec::new(), open: false, own };
        let containers = input.containers();
        for (_, container) in &containers {
            known.open |= container.get("envFrom").is_some();
            let list = container.get("env").and_then(Value::as_array);
            known.others.extend(list.into_iter().flatten().filter_map(|v| v.get("name")?.as_str()));
        }
        let train_job = input.spec.job_template.spec.workload.train_job.as_ref();
        let env = train_job.and_then(|t| t.trainer.as_ref()).map(|t| t.env.as_slice()).unwrap_or_default();
        known.others.extend(env.iter().map(|v| v.name.as_str()));
        known.others.retain(|name| !known.own.contains(name));
        known
    }

    /// Why a name is not there when the value of a variable is read.
    fn missing(&self, name: &str, variable: &Variable<'_>) -> Option<&'static str> {
        let service = ["_SERVICE_HOST", "_SERVICE_PORT", "_PORT"].iter().any(|end| name.ends_with(end));
        let by_others = TRAINER_ENV.contains(&name)
            || name.starts_with("PET_")
            || name.starts_with("OMPI_")
            || matches!(name, "JOB_COMPLETION_INDEX" | "HOSTNAME");
        if self.open || service || by_others || self.others.contains(&name) {
            return None;
        }
        let place = |name: &str| self.own.iter().position(|own| *own == name);
        match (place(name), place(variable.name)) {
            (None, _) => Some("no variable of the container has this name"),
            (Some(theirs), Some(own)) if theirs > own => Some("it is defined after it"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_told_from_other_dollars() {
        use Form::{Kubelet, Shell};
        for (value, found) in [
            ("$(A_B)/x", &[(Kubelet, "A_B")][..]),
            ("$HOME/x:${LD_LIBRARY_PATH}", &[(Shell, "HOME"), (Shell, "LD_LIBRARY_PATH")]),
            ("${PATH:-/bin}", &[(Shell, "PATH")]),
            ("$$(A_B) $$HOME", &[]),
            ("5$ $1 $a ^[0-9]+$ $(date) ${json}", &[]),
            ("$(A_B", &[]),
            ("cost $X", &[]),
            ("", &[]),
        ] {
            assert_eq!(references(value), found, "{value}");
        }
    }
}
