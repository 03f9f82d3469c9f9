//! Commands and arguments.

use super::{Input, program};
use crate::diagnostic::{Code, Diagnostic, FieldPath};
use crate::overrides::mpi_option;

const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"];
/// Programs for which such words are arguments like others.
const WORDS: [&str; 11] = ["test", "[", "[[", "expr", "find", "awk", "gawk", "tr", "sed", "grep", "jq"];
const OPERATORS: [&str; 7] = ["&&", "||", "|", ">", ">>", "2>", "2>&1"];
/// Programs of nccl-tests, by the collective that they run.
pub(super) const TESTS: [&str; 10] = [
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "alltoall",
    "broadcast",
    "reduce",
    "sendrecv",
    "gather",
    "scatter",
    "hypercube",
];

/// The collective of a program of nccl-tests: `all_reduce` for `/usr/local/bin/all_reduce_perf_mpi`.
pub(super) fn collective(binary: &str) -> Option<&'static str> {
    let name = program(binary);
    let name = name.strip_suffix("_mpi").unwrap_or(name).strip_suffix("_perf")?;
    TESTS.into_iter().find(|test| *test == name)
}

/// Words of the run that are started as they are, with the program and their field.
struct Words<'a> {
    program: &'a str,
    list: Vec<(&'a str, FieldPath)>,
}

fn words<'a>(input: &Input<'a>) -> Words<'a> {
    let framework = &input.run.spec.framework;
    let list = |path: &str, words: &'a [String]| -> Vec<(&'a str, FieldPath)> {
        let path = FieldPath::parse(path);
        words.iter().enumerate().map(|(at, word)| (word.as_str(), path.index(at))).collect()
    };
    if let Some(exec) = &framework.exec {
        let mut all = list("spec.framework.exec.command", &exec.command);
        all.extend(list("spec.framework.exec.args", &exec.args));
        let program = exec.command.first().map(String::as_str).unwrap_or_default();
        return Words { program, list: all };
    }
    if let Some(torch) = &framework.torch {
        return Words { program: "torchrun", list: list("spec.framework.torch.args", &torch.args) };
    }
    match &framework.mpi {
        Some(mpi) => Words { program: &mpi.binary, list: list("spec.framework.mpi.args", &mpi.args) },
        None => Words { program: "", list: Vec::new() },
    }
}

pub(super) fn lint(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    operators(&words(input), out);
    one_word(input, out);
    mpi(input, out);
    torchrun(input, out);
    gpus_per_process(input, out);
}

fn operators(words: &Words<'_>, out: &mut Vec<Diagnostic>) {
    let is = |list: &[&str], word: &str| list.contains(&program(word));
    let shell = is(&SHELLS, words.program) || words.list.iter().any(|(word, _)| is(&SHELLS, word));
    let takes_them = is(&WORDS, words.program) || words.list.iter().any(|(word, _)| is(&WORDS, word));
    if shell || takes_them {
        return;
    }
    // After an option it is likely the value of that option: -d "|".
    let mut before = "";
    let found = words.list.iter().find(|(word, _)| {
        let option = before.starts_with('-');
        before = word;
        OPERATORS.contains(word) && !option
    });
    if let Some((word, path)) = found {
        let message = format!(
            "no shell reads the command, so that {} gets {word:?} and what follows as arguments",
            program(words.program)
        );
        let help = "let a shell read it with command: [/bin/bash, -c] and one argument, or put it into a script";
        out.push(Diagnostic::at(Code::ShellOperator, path, message).with_help(help));
    }
}

/// A program and its arguments in one word; a path may hold blanks, so a word is only told when options follow a blank or
/// its beginning is a program of its own.
fn one_word(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let framework = &input.run.spec.framework;
    let mut list: Vec<(&str, FieldPath, &str)> = Vec::new();
    if let Some(first) = framework.exec.as_ref().and_then(|e| e.command.first()) {
        let path = FieldPath::parse("spec.framework.exec.command").index(0);
        list.push((first, path, "give every word an element of its own in command and args"));
    }
    if let Some(mpi) = &framework.mpi {
        let path = FieldPath::parse("spec.framework.mpi.binary");
        list.push((&mpi.binary, path, "put the arguments into spec.framework.mpi.args, each word an element"));
    }
    if let Some(torch) = &framework.torch {
        for (field, value) in [("script", &torch.script), ("module", &torch.module)] {
            let path = FieldPath::parse("spec.framework.torch").key(field);
            let help = "put the arguments into spec.framework.torch.args, each word an element";
            list.extend(value.as_deref().map(|value| (value, path, help)));
        }
    }
    for (word, path, help) in list {
        let Some((first, rest)) = word.trim().split_once(char::is_whitespace) else { continue };
        let option = rest.split_whitespace().any(|w| w.starts_with('-'));
        let started = !first.contains('/') || first.ends_with(".py") || first.ends_with(".sh");
        let path_goes_on = rest.contains('/') && first.starts_with('/') && !option;
        if (option || started) && !path_goes_on {
            let message = format!(
                "{word:?} is one word, so that a program of this whole name is looked for; {first:?} with arguments is likely meant"
            );
            out.push(Diagnostic::at(Code::CommandInOneWord, path, message).with_help(help));
        }
    }
}

const HOSTS: [&str; 11] = [
    "-H",
    "-host",
    "--host",
    "-hostfile",
    "--hostfile",
    "-machinefile",
    "--machinefile",
    "--default-hostfile",
    "-default-hostfile",
    "-rf",
    "--rankfile",
];
const PROCESSES: [&str; 5] = ["-n", "--n", "-np", "--np", "-c"];

fn mpi(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let Some(mpi) = &input.run.spec.framework.mpi else { return };
    let base = FieldPath::parse("spec.framework.mpi.mpiArgs");
    let (gpus, nodes) = input.size();
    let wanted = gpus.saturating_mul(nodes);
    let mut rest = mpi.mpi_args.as_slice();
    while !rest.is_empty() {
        let path = base.index(mpi.mpi_args.len() - rest.len());
        let option = mpi_option(rest);
        if let Some(option) = option {
            if HOSTS.contains(&option.flag) {
                let message = format!(
                    "{} names hosts, and Kubeflow Trainer writes the list of every job's own pods: processes are started elsewhere or nowhere",
                    option.flag
                );
                let help = "remove it; choose nodes with spec.target";
                out.push(Diagnostic::at(Code::MpiHosts, path.clone(), message).with_help(help));
            }
            let number = option.value.and_then(|v| v.parse::<i64>().ok());
            if let Some(number) = number.filter(|n| PROCESSES.contains(&option.flag) && *n != wanted && wanted > 0) {
                let message = format!(
                    "{} {number} asks for {number} processes, and a job has {nodes} × {gpus} = {wanted}, nodes times GPUs: GPUs stay idle, or mpirun refuses to start",
                    option.flag
                );
                let help = format!("remove {}; set spec.numNodes and spec.gpusPerNode", option.flag);
                out.push(Diagnostic::at(Code::MpiProcesses, path, message).with_help(help));
            }
        }
        rest = rest.get(option.map_or(1, |o| o.words)..).unwrap_or_default();
    }
}

/// Options of torchrun that the renderer and Kubeflow Trainer set, and that no script has by chance.
const TORCHRUN: [&str; 9] = [
    "nproc_per_node",
    "nnodes",
    "node_rank",
    "rdzv_endpoint",
    "rdzv_backend",
    "rdzv_id",
    "rdzv_conf",
    "master_addr",
    "master_port",
];

fn torchrun(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let Some(torch) = &input.run.spec.framework.torch else { return };
    for (at, word) in torch.args.iter().enumerate() {
        let name = word.split('=').next().unwrap_or(word);
        let plain = name.trim_start_matches('-').replace('-', "_");
        if !name.starts_with("--") || !TORCHRUN.contains(&plain.as_str()) {
            continue;
        }
        let path = FieldPath::parse("spec.framework.torch.args").index(at);
        let message = format!("{name} is an option of torchrun, and stands after the script: the script gets it");
        let help = "remove it; Kubeflow Trainer sets nodes, processes and rendezvous from numNodes and gpusPerNode";
        out.push(Diagnostic::at(Code::TorchrunOption, path, message).with_help(help));
    }
}

/// mpirun starts one process a GPU: a test that takes several GPUs for each finds too few.
fn gpus_per_process(input: &Input<'_>, out: &mut Vec<Diagnostic>) {
    let Some(mpi) = &input.run.spec.framework.mpi else { return };
    let (gpus, _) = input.size();
    let placed = |w: &String| {
        PROCESSES.contains(&w.as_str()) || matches!(w.trim_start_matches('-'), "N" | "npernode" | "map-by" | "ppr")
    };
    if collective(&mpi.binary).is_none() || gpus < 1 || mpi.mpi_args.iter().any(placed) {
        return;
    }
    let number = |names: &[&str]| -> Option<(usize, i64)> {
        let args = &mpi.args;
        let at = args.iter().rposition(|w| names.contains(&w.as_str()))?;
        Some((at, args.get(at + 1)?.parse().ok()?))
    };
    let (each, threads) = (number(&["-g", "--ngpus"]), number(&["-t", "--nthreads"]));
    let of = |found: Option<(usize, i64)>| found.map_or(1, |(_, n)| n);
    let wanted = of(each).saturating_mul(of(threads));
    let Some((at, _)) = each.filter(|(_, n)| *n > 1).or(threads) else { return };
    if wanted > 1 {
        let message = format!(
            "every process of {} takes {wanted} GPUs, and mpirun starts {gpus} processes on a node with {gpus} GPUs: all but the first find none",
            program(&mpi.binary)
        );
        let help = "leave -g and -t at 1: a process a GPU is what the job is made for";
        let path = FieldPath::parse("spec.framework.mpi.args").index(at);
        out.push(Diagnostic::at(Code::GpusPerProcess, path, message).with_help(help));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_nccl_tests() {
        for (binary, found) in [
            ("/usr/local/bin/all_reduce_perf_mpi", Some("all_reduce")),
            ("alltoall_perf", Some("alltoall")),
            ("/opt/my_all_reduce_perf", None),
            ("all_reduce", None),
        ] {
            assert_eq!(collective(binary), found, "{binary}");
        }
    }

    #[test]
    fn operators_are_told_from_arguments() {
        let found = |program: &str, list: &[&str]| {
            let list = list.iter().map(|w| (*w, FieldPath::parse("x"))).collect();
            let mut out = Vec::new();
            operators(&Words { program, list }, &mut out);
            out.len()
        };
        assert_eq!(found("python", &["python", "a.py", "&&", "python", "b.py"]), 1);
        assert_eq!(found("/opt/ar", &["-b", "8", ">", "/tmp/log"]), 1);
        assert_eq!(found("/bin/bash", &["/bin/bash", "-c", "a", "&&"]), 0);
        assert_eq!(found("timeout", &["timeout", "60", "bash", "-c", "a && b"]), 0);
        assert_eq!(found("cut", &["cut", "-d", "|", "-f", "1"]), 0);
        assert_eq!(found("find", &["find", "/", "-name", "x", "|"]), 0);
        assert_eq!(found("python", &["python", "a.py", "a && b"]), 0);
    }
}
