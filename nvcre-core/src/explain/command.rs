//! The command line of the workload, word by word, with who put each there.

use super::Explainer;
use super::model::{CommandPart, Later, Link, Sight, ValueAnswer};
use crate::catalogue::Framework;
use crate::diagnostic::{FieldPath, Segment};
use crate::overrides::{Unwrapped, mpi_option, unwrap_command};
use crate::trace::{Change, Origin, Subject};
use serde_json::{Value, json};

const TRAINER: &str = "spec.jobTemplate.spec.workload.trainJob.trainer";

/// A word or words that belong together, and what they are.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub words: Vec<String>,
    pub what: What,
    pub origin: Origin,
}

/// What words of a command line are.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum What {
    /// `-x NAME=value` or `-x NAME`.
    Env(String),
    /// An option of mpirun: `--mca pml`, `-N`, `--allow-run-as-root`.
    Option(String),
    /// A word of the command itself, by its position.
    Word(usize),
}

/// The command of the workload as it is in the end.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Command {
    /// Lines before it, when a shell runs it.
    pub lines: Vec<String>,
    /// True when bash reads the words.
    pub wrapped: bool,
    pub parts: Vec<Part>,
}

impl Explainer<'_> {
    /// The command of the workload, taken apart once.
    pub(super) fn command(&self) -> &Command {
        self.command.get_or_init(|| self.take_command_apart())
    }

    fn take_command_apart(&self) -> Command {
        let workload = &self.rendering.workflow.spec.job_template.spec.workload;
        let Some(trainer) = workload.train_job.as_ref().and_then(|t| t.trainer.as_ref()) else {
            return Command::default();
        };
        let unwrapped = unwrap_command(&trainer.command, &trainer.args);
        let wrapped = unwrapped.is_some();
        let Unwrapped { lines, words } = unwrapped.unwrap_or_else(|| Unwrapped {
            lines: Vec::new(),
            words: trainer.command.iter().chain(&trainer.args).cloned().collect(),
        });
        // What an override writes whole is of no other layer.
        let replaced = self.whole_command();
        let mut parts = match self.rendering.facts.framework {
            Framework::Mpi => self.mpi_parts(&words),
            Framework::Torch | Framework::Exec => self.plain_parts(&words),
        };
        if let Some(origin) = replaced {
            parts.iter_mut().for_each(|part| part.origin = origin.clone());
        }
        Command { lines, wrapped, parts }
    }

    /// The last override that sets the arguments of the trainer.
    fn whole_command(&self) -> Option<Origin> {
        let args = FieldPath::parse(TRAINER).key("args");
        let sets = |change: &Change| matches!(&change.subject, Subject::Field { path } if path.0.starts_with(&args.0));
        self.trace.changes.iter().rev().find(|c| sets(c)).map(|c| c.origin.clone())
    }

    fn run(&self, path: &str) -> Origin {
        self.run_origin(&path.into())
    }

    fn plain_parts(&self, words: &[String]) -> Vec<Part> {
        let framework = &self.rendering.run.spec.framework;
        let origin = |at: usize| match (&framework.torch, &framework.exec) {
            (Some(torch), _) => {
                let module = torch.module.as_deref().is_some_and(|m| !m.is_empty());
                // torchrun, then -m and the module or the script, then the arguments.
                let first = if module { 3 } else { 1 + usize::from(torch.script.is_some()) };
                match at {
                    0 => Origin::Default { source: "02 §7.1".into() },
                    1 if module => Origin::Default { source: "02 §7.1".into() },
                    2 if module => self.run("spec.framework.torch.module"),
                    1 if torch.script.is_some() => self.run("spec.framework.torch.script"),
                    at => self.run(&format!("spec.framework.torch.args[{}]", at.saturating_sub(first))),
                }
            }
            (None, Some(exec)) if at < exec.command.len() => self.run(&format!("spec.framework.exec.command[{at}]")),
            (None, Some(exec)) => self.run(&format!("spec.framework.exec.args[{}]", at - exec.command.len())),
            (None, None) => Origin::Default { source: "02 §7".into() },
        };
        let part =
            |(at, word): (usize, &String)| Part { words: vec![word.clone()], what: What::Word(at), origin: origin(at) };
        words.iter().enumerate().map(part).collect()
    }

    /// Words of mpirun: `timeout 3600 mpirun`, options, the binary, its arguments.
    fn mpi_parts(&self, words: &[String]) -> Vec<Part> {
        let mut records = Records::new(self);
        let mpi = self.rendering.run.spec.framework.mpi.clone().unwrap_or_default();
        let own = 1 + mpi.args.len();
        let tail_at = words.len().saturating_sub(own);
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let word_part = |origin| Part { words: vec![word.clone()], what: What::Word(at), origin };
            let part = match at {
                0 | 1 => word_part(Origin::Default { source: "02 §7.3".into() }),
                2 => word_part(self.run("spec.framework.mpi.mpirunPath")),
                at if at == tail_at => word_part(self.run("spec.framework.mpi.binary")),
                at if at > tail_at => word_part(self.run(&format!("spec.framework.mpi.args[{}]", at - tail_at - 1))),
                at => self.option_part(words.get(at..tail_at).unwrap_or_default(), &mut records),
            };
            at += part.words.len();
            parts.push(part);
        }
        parts
    }

    /// The option of mpirun at the beginning of a list of words, or the word when it is none.
    fn option_part(&self, words: &[String], records: &mut Records<'_>) -> Part {
        let Some(option) = mpi_option(words) else {
            let word = words.first().cloned().unwrap_or_default();
            let origin = records.option(&word, &json!(true));
            return Part { what: What::Option(word.clone()), words: vec![word], origin };
        };
        let own: Vec<String> = words.get(..option.words).unwrap_or_default().to_vec();
        if option.flag == "-x" && !option.key.is_empty() {
            let origin = records.env(option.key, option.value);
            return Part { what: What::Env(option.key.to_owned()), words: own, origin };
        }
        let name = option.name();
        let value = option.value.map_or(json!(true), |value| json!(value));
        Part { origin: records.option(&name, &value), what: What::Option(name), words: own }
    }

    /// Where the command or the arguments come from, seen as one field: the layers of their words, each once.
    pub(super) fn command_origins(&self, path: &FieldPath) -> Vec<Link> {
        let run = |field: &str| self.link(self.run(field), None, None);
        let default = |source: &str| self.link(Origin::Default { source: source.into() }, None, None);
        let framework = &self.rendering.run.spec.framework;
        let command = path.0.iter().any(|s| matches!(s, Segment::Key(key) if &**key == "command"));
        match (self.rendering.facts.framework, command) {
            (Framework::Mpi, _) => vec![default("02 §7.3")],
            (Framework::Torch, true) => vec![default("02 §7.1")],
            (Framework::Torch, false) => match &framework.torch {
                Some(torch) if torch.module.as_deref().is_some_and(|m| !m.is_empty()) => {
                    vec![run("spec.framework.torch.module")]
                }
                Some(torch) if torch.args.is_empty() => vec![run("spec.framework.torch.script")],
                _ => vec![run("spec.framework.torch.args")],
            },
            (Framework::Exec, true) => vec![run("spec.framework.exec.command")],
            (Framework::Exec, false) => vec![run("spec.framework.exec.args")],
        }
    }

    /// The parts as data.
    pub(super) fn command_parts(&self) -> Vec<CommandPart> {
        let part = |part: &Part| CommandPart {
            words: part.words.clone(),
            subject: part.what.subject(),
            origin: part.origin.clone(),
            place: self.place(&part.origin),
        };
        self.command().parts.iter().map(part).collect()
    }

    /// The lines before the command as data.
    pub(super) fn pre_command_parts(&self) -> Vec<CommandPart> {
        let origin = |at: usize| {
            let is = |s: &Subject| matches!(s, Subject::PreCommand { index } if *index == at);
            let change = self.trace.changes.iter().find(|c| is(&c.subject));
            change.map_or_else(|| Origin::Default { source: "02 §9".into() }, |c| c.origin.clone())
        };
        let line = |(at, line): (usize, &String)| {
            let origin = origin(at);
            CommandPart { words: vec![line.clone()], subject: format!("line/{at}"), place: self.place(&origin), origin }
        };
        self.command().lines.iter().enumerate().map(line).collect()
    }

    /// An argument of the command line, by option or by position.
    pub(super) fn argument(&self, name: &str) -> Option<ValueAnswer> {
        let command = self.command();
        let wanted = name.replace('/', " ");
        let is = |part: &&Part| match &part.what {
            What::Option(option) => {
                *option == wanted || option.trim_start_matches('-') == wanted.trim_start_matches('-')
            }
            What::Word(at) => at.to_string() == name || part.words.first().is_some_and(|w| w == name),
            What::Env(variable) => wanted == format!("-x {variable}"),
        };
        let found: Vec<&Part> = command.parts.iter().filter(is).collect();
        let last = found.last()?;
        if let What::Env(variable) = &last.what {
            return self.variable(variable);
        }
        let value = |part: &Part| match (&part.what, part.words.split_last()) {
            (What::Option(_), Some((last, [_, ..]))) => json!(last),
            (_, last) => json!(last.map(|(last, _)| last)),
        };
        let mut before = None;
        let chain = found.iter().map(|part| {
            let value = value(part);
            let replaced = before.replace(value.clone());
            self.link(part.origin.clone(), Some(value), replaced)
        });
        let chain: Vec<Link> = chain.collect();
        let seen = self.later(last.words.last().map_or("", String::as_str));
        let mut notes = Vec::new();
        if found.len() > 1 {
            notes.push(format!(
                "mpirun gets it {} times; Open MPI 4 takes the last one, Open MPI 5 refuses to start when they differ",
                found.len()
            ));
        }
        let value = Some(value(last));
        let at = if matches!(last.what, What::Word(_)) { "command" } else { "mpirun" };
        Some(ValueAnswer {
            subject: last.what.subject(),
            seen: vec![Sight { at: at.into(), value, later: seen, chain }],
            fields: Vec::new(),
            notes,
        })
    }

    /// What becomes of a word of the command.
    pub(super) fn later(&self, word: &str) -> Later {
        let (command, known) = (self.command(), self.trainer_variables());
        match command.wrapped {
            true => super::expand::shell(word, &command.lines, known),
            false => super::expand::kubelet(word, known),
        }
    }

    /// A line before the command.
    pub(super) fn line(&self, at: usize) -> Option<ValueAnswer> {
        let part = self.pre_command_parts().into_iter().nth(at)?;
        let value = Some(Value::from(part.words.concat()));
        let later = super::expand::kubelet(&part.words.concat(), self.trainer_variables());
        let chain = vec![self.link(part.origin, value.clone(), None)];
        Some(ValueAnswer {
            subject: part.subject,
            seen: vec![Sight { at: "bash".into(), value, later, chain }],
            ..ValueAnswer::default()
        })
    }
}

impl What {
    /// What to ask for.
    pub fn subject(&self) -> String {
        match self {
            Self::Env(name) => format!("env/{name}"),
            Self::Option(option) => format!("arg/{}", option.replace(' ', "/")),
            Self::Word(at) => format!("arg/{at}"),
        }
    }
}

/// The recorded words of mpirun, given out one after the other: equal options may stand there several times.
struct Records<'a> {
    explainer: &'a Explainer<'a>,
    used: Vec<bool>,
}

impl<'a> Records<'a> {
    fn new(explainer: &'a Explainer<'a>) -> Self {
        Self { explainer, used: vec![false; explainer.trace.changes.len()] }
    }

    fn take(&mut self, is: impl Fn(&Change) -> bool) -> Option<Origin> {
        let changes = &self.explainer.trace.changes;
        let at = changes.iter().zip(&self.used).position(|(change, used)| !used && is(change))?;
        if let Some(used) = self.used.get_mut(at) {
            *used = true;
        }
        changes.get(at).map(|change| self.explainer.origin_of(change))
    }

    fn env(&mut self, name: &str, value: Option<&str>) -> Origin {
        let same = |new: &Option<Value>| match (new, value) {
            (Some(Value::String(new)), Some(value)) => new == value,
            (Some(Value::Object(_)), None) => true,
            _ => false,
        };
        let is = |c: &Change| matches!(&c.subject, Subject::RankEnv { name: own } if own == name) && same(&c.new);
        // The last one with this value: a default that a layer sets again is that layer's.
        let changes = &self.explainer.trace.changes;
        let later = changes.iter().zip(&self.used).rposition(|(c, used)| !used && is(c));
        let first = changes.iter().zip(&self.used).position(|(c, used)| !used && is(c));
        let at = if self.forwarded_by_words(name) { later } else { first };
        at.and_then(|at| {
            if let Some(used) = self.used.get_mut(at) {
                *used = true;
            }
            changes.get(at).map(|change| self.explainer.origin_of(change))
        })
        .unwrap_or_else(unknown)
    }

    /// True when a word of a layer forwards the variable: then the environment does not.
    fn forwarded_by_words(&self, name: &str) -> bool {
        let is = |c: &&Change| matches!(&c.subject, Subject::RankEnv { name: own } if own == name);
        let env = |c: &&Change| matches!(&c.subject, Subject::Env { name: own } if own == name);
        let changes = &self.explainer.trace.changes;
        let records = changes.iter().filter(is).count();
        records > usize::from(changes.iter().any(|c| env(&c)))
    }

    fn option(&mut self, option: &str, value: &Value) -> Origin {
        let is = |c: &Change| {
            matches!(&c.subject, Subject::Argument { option: own } if own == option) && c.new.as_ref() == Some(value)
        };
        self.take(is).unwrap_or_else(unknown)
    }
}

/// Words that no record names: those of the renderer itself.
fn unknown() -> Origin {
    Origin::Default { source: "02 §7.3".into() }
}
