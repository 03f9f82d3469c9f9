//! `when.expression`: CEL over five variables that gives a boolean (04 §2.5, 00 D18).

#[cfg(feature = "cel")]
mod cel;
#[cfg(feature = "cel")]
mod types;

use super::layer::Context;
use crate::diagnostic::{Code, Diagnostic, FieldPath};

/// What an expression may speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variables {
    /// The context of an override (04 §2.5).
    Override,
    /// `value`, the number that was measured; whole numbers may be compared with it (01 §7, 07 §5.3).
    #[cfg(feature = "cel")]
    Threshold,
}

impl Variables {
    const fn code(self) -> Code {
        match self {
            Self::Override => Code::OverrideExpression,
            #[cfg(feature = "cel")]
            Self::Threshold => Code::BadThreshold,
        }
    }

    const fn help(self) -> &'static str {
        match self {
            Self::Override => {
                "an expression is CEL and gives true or false; its variables are platform, gpuArchitecture, \
                 workloadKind and topologyMode (strings) and domainCount (an integer)"
            }
            #[cfg(feature = "cel")]
            Self::Threshold => {
                "a threshold is CEL and gives true or false; its only variable is value, the number that was measured, \
                 for example value >= 380"
            }
        }
    }
}

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// Another code than that of a faulty expression.
    code: Option<Code>,
    message: String,
}

impl Problem {
    #[cfg(feature = "cel")]
    fn new(message: impl Into<String>) -> Self {
        Self { code: None, message: message.into() }
    }

    /// The finding, at the field of the expression.
    pub fn finding(self, path: &FieldPath) -> Diagnostic {
        self.finding_of(Variables::Override, path)
    }

    fn finding_of(self, variables: Variables, path: &FieldPath) -> Diagnostic {
        let code = self.code.unwrap_or(variables.code());
        Diagnostic::at(code, path, self.message).with_help(variables.help())
    }
}

/// What is wrong with the expression of a threshold, at its field (01 §7, 07 §5.3): CEL over the number `value` that
/// gives true or false.
#[cfg(feature = "cel")]
pub fn threshold_problem(text: &str, path: &FieldPath) -> Option<Diagnostic> {
    let problem = cel::compile(text, Variables::Threshold).err()?;
    Some(problem.finding_of(Variables::Threshold, path))
}

/// Without CEL nothing is found: that is left to whoever evaluates thresholds.
#[cfg(not(feature = "cel"))]
pub fn threshold_problem(_: &str, _: &FieldPath) -> Option<Diagnostic> {
    None
}

/// The value of an expression in a context.
///
/// # Errors
/// See [`check`]; also an evaluation that fails, such as a division by zero.
#[cfg(feature = "cel")]
pub(super) fn evaluate(text: &str, context: &Context) -> Result<bool, Problem> {
    cel::compile(text, Variables::Override)?.evaluate(context)
}

/// Compiles an expression and checks its types without evaluating it.
///
/// # Errors
/// It is too long, does not parse, names an unknown variable or function, compares different types, or is not of type
/// bool.
#[cfg(feature = "cel")]
pub(super) fn check(text: &str) -> Result<(), Problem> {
    cel::compile(text, Variables::Override).map(drop)
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
        code: Some(Code::ExpressionUnsupported),
        message: "this build of the library cannot evaluate CEL expressions, so the override cannot be decided"
            .to_owned(),
    }
}
