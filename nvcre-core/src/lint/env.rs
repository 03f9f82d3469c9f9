//! Values of variables as they are written.

use super::{Input, Variable};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn lint(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    for variable in input.own_env().iter().chain(&input.forwarded()) {
        out.extend(blanks(variable));
        out.extend(quotes(variable));
        out.extend(secret(variable));
    }
    forwarded_otherwise(input, out);
    platform_value_replaced(input, out);
}

/// Texts of several lines end in a line break, and a blank alone is a separator: both are meant.
fn blanks(variable: &Variable<'_>) -> Option<Diagnostic> {
    let Variable { name, value, path, .. } = variable;
    let inner = value.trim();
    if inner.is_empty() || inner.len() == value.len() || inner.contains('\n') {
        return None;
    }
    let message = format!(
        "the value {value:?} of {name} begins or ends with white space, which stays in it: a program compares it whole"
    );
    let help = format!("write it without: {inner:?}; a block of YAML that begins with | ends in a line break");
    Some(Diagnostic::at(Code::EnvBlanks, path, message).with_help(help))
}

fn quotes(variable: &Variable<'_>) -> Option<Diagnostic> {
    let Variable { name, value, path, .. } = variable;
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = value.strip_prefix(quote)?.strip_suffix(quote)?;
    // Several quoted words, or a quotation inside of a text, are meant.
    if inner.is_empty() || inner.contains(quote) {
        return None;
    }
    let message = format!("the quotes in {value} are part of the value of {name}: no shell takes them away");
    Some(Diagnostic::at(Code::EnvQuotes, path, message).with_help(format!("write {inner:?} without a second pair")))
}

/// Endings of names that hold a secret.
const SECRETS: [&str; 10] = [
    "_TOKEN",
    "_PASSWORD",
    "_PASSWD",
    "_SECRET",
    "_API_KEY",
    "_APIKEY",
    "_SECRET_KEY",
    "_SECRET_ACCESS_KEY",
    "_ACCESS_TOKEN",
    "_PRIVATE_KEY",
];

/// Tokens of a language model are no secrets.
const WORDS: [&str; 9] = ["PAD", "EOS", "BOS", "UNK", "SEP", "CLS", "MASK", "MAX", "STOP"];

fn secret(variable: &Variable<'_>) -> Option<Diagnostic> {
    let Variable { name, value, path, .. } = variable;
    let upper = name.to_ascii_uppercase();
    let ending = SECRETS.iter().find(|ending| upper.ends_with(*ending))?;
    let language = *ending == "_TOKEN" && WORDS.iter().any(|w| upper.split('_').any(|part| part == *w));
    let plain = value.len() >= 8
        && !value.contains(char::is_whitespace)
        && !value.starts_with(['/', '<', '$', '.'])
        && !value.bytes().all(|b| b.is_ascii_digit());
    if language || !plain {
        return None;
    }
    let seen = if variable.forwarded { "in the command line of mpirun" } else { "in the manifests" };
    let message = format!("{name} looks like a secret, and its value stands in plain text {seen}, which many may read");
    let help = "put it into a Secret and refer to it in spec.env with valueFrom.secretKeyRef; make a new one, as this one was shown";
    Some(Diagnostic::at(Code::SecretInEnv, path, message).with_help(help))
}

fn forwarded_otherwise(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let own = input.own_env();
    for forwarded in input.forwarded() {
        let Some(other) = own.iter().find(|v| v.name == forwarded.name && v.value != forwarded.value) else {
            continue;
        };
        let message = format!(
            "{} is {:?} in spec.env and {:?} here: the ranks see this one, and the containers the other",
            forwarded.name, other.value, forwarded.value
        );
        out.push(
            Diagnostic::at(Code::ForwardedOtherwise, &forwarded.path, message)
                .with_related(other.path.clone(), "the value in the containers")
                .with_help("set the variable in one place; spec.env reaches containers and ranks"),
        );
    }
}

/// What an entry would forward, and the run sets otherwise.
fn platform_value_replaced(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let own = input.variables();
    let defaults = input.catalogue.base_env(input.edition, input.sizes.enable_mnnvl);
    for entry in input.entries {
        for theirs in entry.environment(input.inputs) {
            let Some(variable) = own.iter().find(|v| v.name == theirs.name && v.value != theirs.value) else {
                continue;
            };
            // What the entry sets as the default is, is nothing of the platform.
            if defaults.iter().any(|d| d.name == theirs.name && d.value == theirs.value) {
                continue;
            }
            // A plugin that is gone is told by a lint of its own.
            if out.iter().any(|d| d.path.as_ref() == Some(&variable.path) && d.code == Code::RemovedPlugin) {
                continue;
            }
            let message = format!(
                "{} {:?} takes the place of {:?}, which the platform entry {} {} sets for the ranks on {}",
                variable.name,
                variable.value,
                theirs.value,
                entry.entry.id,
                entry.entry.name,
                input.on()
            );
            out.push(
                Diagnostic::at(Code::PlatformValueReplaced, &variable.path, message)
                    .with_help("nothing to do when it is meant; else remove it, and the platform's value counts"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(name: &str, value: &str) -> Vec<Code> {
        let variable = Variable { name, value, path: "spec.env[0].value".into(), forwarded: false };
        let found = [blanks(&variable), quotes(&variable), secret(&variable)];
        found.into_iter().flatten().map(|d| d.code).collect()
    }

    #[test]
    fn only_what_is_not_meant_is_told() {
        for (name, value, code) in [
            ("A", "eth0 ", Code::EnvBlanks),
            ("A", "eth0\n", Code::EnvBlanks),
            ("A", "\teth0", Code::EnvBlanks),
            ("A", "\"eth0\"", Code::EnvQuotes),
            ("A", "'eth0'", Code::EnvQuotes),
            ("HF_TOKEN", "hf_abcdefgh", Code::SecretInEnv),
            ("WANDB_API_KEY", "0123456789abcdef", Code::SecretInEnv),
            ("DB_PASSWORD", "correct-horse", Code::SecretInEnv),
            ("AWS_SECRET_ACCESS_KEY", "abcdefghij", Code::SecretInEnv),
        ] {
            assert_eq!(codes(name, value), [code], "{name}={value:?}");
        }
        for (name, value) in [
            ("A", "eth0"),
            ("IFS", " "),
            ("A", ""),
            ("SCRIPT", "a\nb\n"),
            ("A", "\"a\" \"b\""),
            ("A", "\""),
            ("A", "\"\""),
            ("HF_TOKEN", ""),
            ("HF_TOKEN", "$(OTHER)xxxxxxxx"),
            ("HF_TOKEN", "/run/secrets/token"),
            ("EOS_TOKEN", "<|endoftext|>"),
            ("PAD_TOKEN", "endoftext"),
            ("MAX_TOKEN", "100000000"),
            ("TOKENIZERS_PARALLELISM", "false-false"),
            ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
            ("PUBLIC_KEY", "abcdefghijkl"),
        ] {
            assert_eq!(codes(name, value), [], "{name}={value:?}");
        }
    }
}
