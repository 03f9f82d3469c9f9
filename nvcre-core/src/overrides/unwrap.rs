//! The way back from a wrapped command (02 §9): the lines before it and its words, for whoever explains or compares.

use super::quote::go_unquote;

/// A command without its wrapping.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unwrapped {
    /// Lines that the shell runs first.
    pub lines: Vec<String>,
    /// Command and arguments, in one list.
    pub words: Vec<String>,
}

/// Undoes [`super::wrap_command`]; `None` for a command that it did not make.
///
/// ```
/// use nvcre_core::overrides::{unwrap_command, wrap_command};
/// let (command, args) = wrap_command(&["unset X"], vec!["mpirun".into()], vec!["-x".into(), "A=\"b\"".into()]);
/// let back = unwrap_command(&command, &args).unwrap();
/// assert_eq!(back.lines, ["unset X"]);
/// assert_eq!(back.words, ["mpirun", "-x", "A=\"b\""]);
/// assert_eq!(unwrap_command(&["bash".into()], &args), None);
/// ```
pub fn unwrap_command(command: &[String], args: &[String]) -> Option<Unwrapped> {
    let [shell, flag] = command else { return None };
    let [script] = args else { return None };
    if shell != "/bin/bash" || flag != "-c" {
        return None;
    }
    // A word never holds a line break: they are escaped, so the last line is the command.
    let (lines, last) = script.rsplit_once('\n')?;
    let mut rest = last.strip_prefix("exec ")?;
    let mut words = Vec::new();
    loop {
        let (word, after) = go_unquote(rest)?;
        words.push(word);
        match after.strip_prefix(' ') {
            Some(more) => rest = more,
            None if after.is_empty() => break,
            None => return None,
        }
    }
    Some(Unwrapped { lines: lines.split('\n').map(str::to_owned).collect(), words })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overrides::wrap_command;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_wrapped_comes_back(
            lines in proptest::collection::vec("[^\n]{0,12}", 1..4),
            words in proptest::collection::vec("\\PC{0,8}|[\u{0}-\u{ff}]{0,6}", 1..6),
        ) {
            let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
            let (command, args) = wrap_command(&texts, vec![], words.clone());
            prop_assert_eq!(unwrap_command(&command, &args), Some(Unwrapped { lines, words }));
        }
    }

    #[test]
    fn other_commands_are_left_alone() {
        let text = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        for (command, args) in [
            (&["/bin/bash", "-c"][..], &["true\nexec mpirun"][..]),
            (&["/bin/bash", "-c"], &["exec \"a\""]),
            (&["/bin/bash", "-c"], &["a\nexec \"a\" b"]),
            (&["/bin/bash", "-c"], &["a\nexec \"a"]),
            (&["/bin/bash", "-c"], &["a\nexec \"a\"", "b"]),
            (&["torchrun"], &["x"]),
        ] {
            assert_eq!(unwrap_command(&text(command), &text(args)), None, "{command:?} {args:?}");
        }
    }
}
