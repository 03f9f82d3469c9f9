//! Placeholders: `${run}` in a text is replaced by what the run gives, `${nics:number}` alone becomes a number, and
//! `$${` stands for `${` itself.

use serde_json::{Map, Value};
use std::borrow::Cow;

/// What an entry may ask a run for (05 §1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// `${run}`: name of the run.
    Run,
    /// `${nodes}`: nodes per job.
    Nodes,
    /// `${gpus}`: GPUs per node.
    Gpus,
    /// `${nics}`: NICs per node.
    Nics,
    /// `${nicResource}`: name of the NIC resource, possibly empty.
    NicResource,
    /// `${mnnvl}`: 1 with multi-node NVLink, else 0.
    Mnnvl,
}

impl Input {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Run, Self::Nodes, Self::Gpus, Self::Nics, Self::NicResource, Self::Mnnvl];

    /// Name in a placeholder and in `if`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Nodes => "nodes",
            Self::Gpus => "gpus",
            Self::Nics => "nics",
            Self::NicResource => "nicResource",
            Self::Mnnvl => "mnnvl",
        }
    }

    /// The field of a run that sets it.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Run => "metadata.name",
            Self::Nodes => "spec.numNodes",
            Self::Gpus => "spec.gpusPerNode",
            Self::Nics => "spec.mlnxPerNode",
            Self::NicResource => "spec.nicResourceName",
            Self::Mnnvl => "spec.enableMNNVL",
        }
    }

    /// True for inputs that are numbers.
    pub const fn is_number(self) -> bool {
        !matches!(self, Self::Run | Self::NicResource)
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|input| input.name() == name)
    }
}

/// The framework of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Framework {
    /// `spec.framework.mpi`.
    Mpi,
    /// `spec.framework.torch`.
    #[default]
    Torch,
    /// `spec.framework.exec`.
    Exec,
}

/// What a run gives to the entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Inputs<'a> {
    /// Name of the run.
    pub run: &'a str,
    /// Nodes per job.
    pub nodes: i32,
    /// GPUs per node.
    pub gpus: i32,
    /// NICs per node.
    pub nics: i32,
    /// Name of the NIC resource, possibly empty.
    pub nic_resource: &'a str,
    /// Multi-node NVLink is on.
    pub mnnvl: bool,
    /// The framework.
    pub framework: Framework,
    /// The run's own topology is strict: an entry that only brings the key keeps that (00 D3, D39).
    pub strict_domain: bool,
    /// The run sets `topologyKey` itself, also to the empty text: entries bring none (00 D4, D29, D39).
    pub own_topology_key: bool,
}

impl<'a> Inputs<'a> {
    pub(super) fn number(&self, input: Input) -> i32 {
        match input {
            Input::Nodes => self.nodes,
            Input::Gpus => self.gpus,
            Input::Nics => self.nics,
            Input::Mnnvl => i32::from(self.mnnvl),
            Input::Run | Input::NicResource => 0,
        }
    }

    fn text(&self, input: Input) -> Cow<'a, str> {
        match input {
            Input::Run => self.run.into(),
            Input::NicResource => self.nic_resource.into(),
            _ => self.number(input).to_string().into(),
        }
    }
}

/// A stretch of a text with placeholders.
#[derive(Debug, PartialEq)]
pub(super) enum Part<'a> {
    Text(&'a str),
    Input(Input),
    /// Only meaningful as the whole text.
    Number(Input),
    /// The text between the braces names nothing.
    Unknown(&'a str),
}

/// The parts of a text.
pub(super) fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let at = match rest.find("${") {
            _ if rest.is_empty() => return None,
            Some(at) => at,
            None => rest.len(),
        };
        let (head, tail) = rest.split_at(at);
        if let Some(literal) = head.strip_suffix('$') {
            // `$${`: the text up to the first dollar sign, then the brace form as it is.
            if literal.is_empty() {
                rest = tail.get(2..).unwrap_or("");
                return Some(Part::Text("${"));
            }
            rest = rest.get(literal.len()..).unwrap_or("");
            return Some(Part::Text(literal));
        }
        if !head.is_empty() {
            rest = tail;
            return Some(Part::Text(head));
        }
        let body = tail.get(2..).unwrap_or("");
        let Some((name, after)) = body.split_once('}') else {
            rest = "";
            return Some(Part::Unknown(body));
        };
        rest = after;
        Some(match name.strip_suffix(":number") {
            Some(number) => match Input::parse(number).filter(|input| input.is_number()) {
                Some(input) => Part::Number(input),
                None => Part::Unknown(name),
            },
            None => Input::parse(name).map_or(Part::Unknown(name), Part::Input),
        })
    })
}

/// True when a text holds a placeholder of the input.
pub(super) fn mentions(text: &str, input: Input) -> bool {
    text.contains("${") && parts(text).any(|p| matches!(p, Part::Input(i) | Part::Number(i) if i == input))
}

/// A text with its placeholders replaced.
pub(super) fn expand_text(text: &str, inputs: &Inputs<'_>) -> String {
    if !text.contains("${") {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + inputs.run.len());
    for part in parts(text) {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Input(input) | Part::Number(input) => out.push_str(&inputs.text(input)),
            Part::Unknown(name) => out.extend(["${", name, "}"]),
        }
    }
    out
}

/// A value with the placeholders of all its texts and keys replaced.
pub(super) fn expand(value: &Value, inputs: &Inputs<'_>) -> Value {
    match value {
        Value::String(text) => {
            let mut parts = parts(text);
            match (parts.next(), parts.next()) {
                (Some(Part::Number(input)), None) => inputs.number(input).into(),
                _ => expand_text(text, inputs).into(),
            }
        }
        Value::Array(items) => items.iter().map(|v| expand(v, inputs)).collect(),
        Value::Object(map) => Value::Object(expand_map(map, inputs)),
        other => other.clone(),
    }
}

/// As [`expand`], for a mapping.
pub(super) fn expand_map(map: &Map<String, Value>, inputs: &Inputs<'_>) -> Map<String, Value> {
    map.iter().map(|(key, value)| (expand_text(key, inputs), expand(value, inputs))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_and_numbers() {
        let inputs = Inputs { run: "my-run", nics: 8, mnnvl: true, ..Inputs::default() };
        for (text, want) in [
            ("${run}-channel", json!("my-run-channel")),
            ("a ${run} b ${nics}", json!("a my-run b 8")),
            ("${nics}", json!("8")),
            ("${nics:number}", json!(8)),
            ("${mnnvl}", json!("1")),
            ("${mnnvl:number}", json!(1)),
            ("${nicResource}", json!("")),
            ("$${run}", json!("${run}")),
            ("echo $${HOME} $HOME ${run}", json!("echo ${HOME} $HOME my-run")),
            ("cost: 5$", json!("cost: 5$")),
            ("", json!("")),
        ] {
            assert_eq!(expand(&json!(text), &inputs), want, "{text}");
        }
        assert_eq!(expand(&json!({"${run}": [{"n": "${nics:number}"}]}), &inputs), json!({"my-run": [{"n": 8}]}));
    }

    #[test]
    fn unknown_placeholders_are_seen() {
        for (text, name) in [("${Run}", "Run"), ("a${nics", "nics"), ("${run:number}", "run:number")] {
            assert!(parts(text).any(|p| p == Part::Unknown(name)), "{text}");
        }
        assert!(mentions("x${gpus}", Input::Gpus) && !mentions("x$${gpus}", Input::Gpus));
    }
}
