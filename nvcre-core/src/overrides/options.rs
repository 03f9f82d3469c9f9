//! The options of Open MPI's mpirun: which words belong together. Whoever reads a command line reads it with this.

/// Options that take the next two words: key and value.
const KEY_AND_VALUE: [&str; 6] = ["--mca", "-mca", "--gmca", "-gmca", "--pmixmca", "--prtemca"];
/// Options that take the next word.
const VALUE: [&str; 38] = [
    "-N",
    "-n",
    "--n",
    "-np",
    "--np",
    "-c",
    "-H",
    "--host",
    "-host",
    "--hostfile",
    "-hostfile",
    "--machinefile",
    "-machinefile",
    "--map-by",
    "-map-by",
    "--bind-to",
    "-bind-to",
    "--rank-by",
    "-rank-by",
    "--npernode",
    "-npernode",
    "--npersocket",
    "-npersocket",
    "--output",
    "--output-filename",
    "--wdir",
    "-wdir",
    "-wd",
    "--path",
    "--prefix",
    "--timeout",
    "--tune",
    "--am",
    "--rankfile",
    "-rf",
    "--cpu-set",
    "--cpu-list",
    "--display",
];

/// One option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MpiOption<'w> {
    /// The option itself.
    pub flag: &'w str,
    /// The variable of `-x`, the parameter of `--mca`; else empty.
    pub key: &'w str,
    /// The value; `None` for one without, and for a variable that is forwarded as it is.
    pub value: Option<&'w str>,
    /// How many words it takes.
    pub words: usize,
}

impl MpiOption<'_> {
    /// The option with its key: `-x NCCL_DEBUG`, `--mca pml`, `-N`.
    pub fn name(&self) -> String {
        format!("{} {}", self.flag, self.key).trim_end().to_owned()
    }
}

/// The option at the beginning of a list of words; `None` when the first word is none.
pub(crate) fn mpi_option<W: AsRef<str>>(words: &[W]) -> Option<MpiOption<'_>> {
    let word = |at: usize| words.get(at).map(AsRef::as_ref);
    let flag = word(0)?;
    let plain = MpiOption { flag, key: "", value: None, words: 1 };
    let pair = |text: &'_ str| text.find('=');
    Some(match (flag, word(1), word(2)) {
        ("-x", Some(text), _) => match pair(text) {
            Some(at) => MpiOption { key: text.get(..at)?, value: text.get(at + 1..), words: 2, ..plain },
            None => MpiOption { key: text, words: 2, ..plain },
        },
        (_, Some(key), Some(value)) if KEY_AND_VALUE.contains(&flag) => {
            MpiOption { key, value: Some(value), words: 3, ..plain }
        }
        (_, Some(value), _) if VALUE.contains(&flag) => MpiOption { value: Some(value), words: 2, ..plain },
        _ if flag.len() > 1 && flag.starts_with('-') => match pair(flag) {
            Some(at) => MpiOption { flag: flag.get(..at)?, value: flag.get(at + 1..), ..plain },
            None => plain,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_belong_together_as_mpirun_reads_them() {
        for (words, name, value, count) in [
            (&["-x", "A=1=2", "b"][..], "-x A", Some("1=2"), 2),
            (&["-x", "A"], "-x A", None, 2),
            (&["--mca", "pml", "ob1"], "--mca pml", Some("ob1"), 3),
            (&["-N", "4", "-x"], "-N", Some("4"), 2),
            (&["--bind-to", "none"], "--bind-to", Some("none"), 2),
            (&["--tag-output", "x"], "--tag-output", None, 1),
            (&["--output=dir"], "--output", Some("dir"), 1),
            (&["-x"], "-x", None, 1),
        ] {
            let option = mpi_option(words).unwrap();
            assert_eq!((option.name().as_str(), option.value, option.words), (name, value, count), "{words:?}");
        }
        for words in [&["/opt/ar", "-b"][..], &["-"], &[]] {
            assert_eq!(mpi_option(words), None, "{words:?}");
        }
    }
}
