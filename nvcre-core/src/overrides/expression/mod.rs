//! `when.expression`: CEL over five variables that gives a boolean (04 §2.5, 00 D18).

#[cfg(feature = "cel")]
mod cel;
#[cfg(feature = "cel")]
mod types;

use super::layer::Context;
use crate::diagnostic::{Code, Diagnostic, FieldPath};

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    code: Code,
    message: String,
}

impl Problem {
    #[cfg(feature = "cel")]
    fn new(message: impl Into<String>) -> Self {
        Self { code: Code::OverrideExpression, message: message.into() }
    }

    /// The finding, at the field of the expression.
    pub fn finding(self, path: &FieldPath) -> Diagnostic {
        Diagnostic::at(self.code, path, self.message).with_help(
            "an expression is CEL and gives true or false; its variables are platform, gpuArchitecture, workloadKind and \
             topologyMode (strings) and domainCount (an integer)",
        )
    }
}

/// The value of an expression in a context.
///
/// # Errors
/// See [`check`]; also an evaluation that fails, such as a division by zero.
#[cfg(feature = "cel")]
pub(super) fn evaluate(text: &str, context: &Context) -> Result<bool, Problem> {
    cel::compile(text)?.evaluate(context)
}

/// Compiles an expression and checks its types without evaluating it.
///
/// # Errors
/// It is too long, does not parse, names an unknown variable or function, compares different types, or is not of type
/// bool.
#[cfg(feature = "cel")]
pub(super) fn check(text: &str) -> Result<(), Problem> {
    cel::compile(text).map(drop)
}

/// What is wrong with the expression of a threshold (01 §7): CEL over the number `value` that gives true or false.
/// `None` when it compiles, and in a build without CEL, which leaves thresholds to whoever evaluates them.
pub fn threshold_problem(text: &str, path: &FieldPath) -> Option<Diagnostic> {
    #[cfg(feature = "cel")]
    {
        let problem = cel::check_threshold(text).err()?;
        let help = "a threshold is CEL over the number `value` and gives true or false, for example value >= 900";
        Some(Diagnostic::at(Code::BadThreshold, path, problem.message).with_help(help))
    }
    #[cfg(not(feature = "cel"))]
    {
        let _ = (text, path);
        None
    }
}

#[cfg(not(feature = "cel"))]
pub(super) fn evaluate(_: &str, _: &Context) -> Result<bool, Problem> {
    Err(unsupported())
}

#[cfg(not(feature = "cel"))]
pub(super) fn check(_: &str) -> Result<(), Problem> {
    Err(unsupported())
}

#[cfg(not(feature = "cel"))]
fn unsupported() -> Problem {
    Problem {
        code: Code::ExpressionUnsupported,
        message: "this build of the library cannot evaluate CEL expressions, so the override cannot be decided"
            .to_owned(),
    }
}
