//! What the kubelet and a shell make of a text after it was rendered.
//!
//! The kubelet replaces `$(NAME)` in values of variables by variables that stand before it, and in commands and
//! arguments by any variable of the container; `$$` is a dollar sign, and a name that nobody set stays as it is. Bash
//! then acts on `$`, backquotes and escapes inside the words of a wrapped command (02 §9).

use super::model::Later;
use std::collections::BTreeMap;

/// Variables of a container: their final text, or why it is known only in the pod.
pub(super) type Known = BTreeMap<String, Result<String, String>>;

/// The variables of a container after the kubelet's expansion, from its list in order: name, and the value or where
/// it is taken from.
pub(super) fn variables(list: &[(String, Result<String, String>)]) -> Known {
    let mut known = Known::new();
    for (name, value) in list {
        let value = match value {
            Ok(text) => match kubelet(text, &known) {
                Later::Nothing => Ok(text.clone()),
                Later::Becomes { text, .. } => Ok(text),
                Later::OnlyThere { because } => Err(because),
            },
            Err(because) => Err(because.clone()),
        };
        known.insert(name.clone(), value);
    }
    known
}

/// What the kubelet makes of a text.
pub(super) fn kubelet(text: &str, known: &Known) -> Later {
    let mut out = String::with_capacity(text.len());
    let mut names: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let after = tail.get(1..).unwrap_or_default();
        if let Some(after) = after.strip_prefix('$') {
            out.push('$');
            rest = after;
            names.push("$$");
            continue;
        }
        match after.strip_prefix('(').and_then(|inner| inner.split_once(')')) {
            Some((name, after)) => {
                match known.get(name) {
                    Some(Ok(value)) => {
                        out.push_str(value);
                        names.push(name);
                    }
                    Some(Err(because)) => {
                        return Later::OnlyThere { because: format!("the kubelet puts in {name}; {because}") };
                    }
                    None if is_of_a_service(name) => {
                        let because =
                            format!("the kubelet puts in {name}, which it makes for services of the namespace");
                        return Later::OnlyThere { because };
                    }
                    None => {
                        out.push_str("$(");
                        out.push_str(name);
                        out.push(')');
                    }
                }
                rest = after;
            }
            None => {
                out.push('$');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    if out == text {
        return Later::Nothing;
    }
    names.dedup();
    Later::Becomes { text: out, because: format!("the kubelet puts in {}", names.join(", ")) }
}

/// Variables that the kubelet adds for services; their values are known in the cluster only.
fn is_of_a_service(name: &str) -> bool {
    name.ends_with("_SERVICE_HOST") || name.contains("_SERVICE_PORT") || name.contains("_PORT_")
}

/// True when a line of shell names a variable.
pub(super) fn mentions(line: &str, variable: &str) -> bool {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == variable)
}

/// What bash makes of a word of a wrapped command, after the kubelet. `lines` run before it and may set variables.
pub(super) fn shell(word: &str, lines: &[String], known: &Known) -> Later {
    let first = kubelet(word, known);
    let text = match &first {
        Later::Becomes { text, .. } => text.as_str(),
        Later::OnlyThere { .. } => return first,
        Later::Nothing => word,
    };
    if text.contains('`') || text.contains("$(") {
        return Later::OnlyThere { because: "bash runs the command in it, and puts in what that prints".into() };
    }
    if text.chars().any(char::is_control) {
        return Later::OnlyThere {
            because: "a control character is escaped as Go does it, which bash reads in its own way".into(),
        };
    }
    let mut out = String::with_capacity(text.len());
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let after = tail.get(1..).unwrap_or_default();
        let braced = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let name_end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(after.len());
        let (name, next) = match braced {
            Some((name, next)) => (name, next),
            None => after.split_at(name_end),
        };
        let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !plain {
            if braced.is_some() || after.starts_with(|c: char| c.is_ascii_digit() || "@*#?-$!_".contains(c)) {
                return Later::OnlyThere { because: format!("bash expands ${after}") };
            }
            out.push('$');
            rest = after;
            continue;
        }
        match known.get(name) {
            _ if lines.iter().any(|line| mentions(line, name)) => {
                return Later::OnlyThere {
                    because: format!("bash puts in {name}, which a line before the command names"),
                };
            }
            Some(Ok(value)) => out.push_str(value),
            Some(Err(because)) => {
                return Later::OnlyThere { because: format!("bash puts in {name}; {because}") };
            }
            None => {
                let because = format!("bash puts in {name}, which the image or the cluster may set");
                return Later::OnlyThere { because };
            }
        }
        names.push(name.to_owned());
        rest = next;
    }
    out.push_str(rest);
    match first {
        Later::Nothing if out == word => Later::Nothing,
        Later::Becomes { because, .. } if names.is_empty() => Later::Becomes { text: out, because },
        Later::Becomes { because, .. } => {
            Later::Becomes { text: out, because: format!("{because}, and bash {}", names.join(", ")) }
        }
        _ => Later::Becomes { text: out, because: format!("bash puts in {}", names.join(", ")) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Known {
        let text = |name: &str, value: &str| (name.to_owned(), Ok(value.to_owned()));
        variables(&[
            text("A", "1"),
            text("B", "$(A)$(LATER)$$(A)"),
            text("LATER", "x"),
            ("NODE".to_owned(), Err("it is the name of the node".to_owned())),
            text("C", "on-$(NODE)"),
        ])
    }

    #[test]
    fn the_kubelet_expands_what_stands_before() {
        let known = known();
        assert_eq!(known["B"], Ok("1$(LATER)$(A)".to_owned()));
        assert!(known["C"].as_ref().unwrap_err().contains("NODE"));
        let becomes = |text: &str| match kubelet(text, &known) {
            Later::Nothing => text.to_owned(),
            Later::Becomes { text, .. } => text,
            Later::OnlyThere { because } => format!("? {because}"),
        };
        for (text, want) in [
            ("$(A)-$(LATER)", "1-x"),
            ("$(NOBODY)", "$(NOBODY)"),
            ("$A ${A}", "$A ${A}"),
            ("$$(A)", "$(A)"),
            ("100$", "100$"),
            ("$(A", "$(A"),
        ] {
            assert_eq!(becomes(text), want, "{text}");
        }
        assert!(becomes("$(NODE)").starts_with("? the kubelet puts in NODE"));
        assert!(becomes("$(KUBERNETES_SERVICE_HOST)").starts_with("? "));
    }

    #[test]
    fn bash_expands_the_words_of_a_wrapped_command() {
        let known = known();
        let lines = ["unset LATER".to_owned()];
        let shown = |text: &str| match shell(text, &lines, &known) {
            Later::Nothing => text.to_owned(),
            Later::Becomes { text, .. } => text,
            Later::OnlyThere { because } => format!("? {because}"),
        };
        assert_eq!(shown("a=$A/${A}"), "a=1/1");
        assert_eq!(shown("$(A)$A"), "11");
        assert_eq!(shown("5$ and $ more"), "5$ and $ more");
        assert_eq!(shown("$LATER"), "? bash puts in LATER, which a line before the command names");
        assert_eq!(shown("`id`"), "? bash runs the command in it, and puts in what that prints");
        assert_eq!(shown("$HOME"), "? bash puts in HOME, which the image or the cluster may set");
        assert_eq!(shown("${A:-x}"), "? bash expands ${A:-x}");
    }
}
