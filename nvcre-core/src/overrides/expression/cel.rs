//! CEL through the crate `cel`, with limits that keep any expression cheap.

use super::types::{self, VARIABLES};
use super::{Context, Problem};
use ::cel::{Env, Program, Value};
use std::sync::Arc;

/// Longest expression, in bytes (as for the other expression of the API, 01 §3.3).
const MAX_LENGTH: usize = 2048;
/// Deepest nesting of brackets, and longest chain of prefix operators.
const MAX_DEPTH: usize = 32;
/// Most loops (`all`, `exists`, `exists_one`, `map`, `filter`), so that no result can grow beyond measure.
pub(super) const MAX_LOOPS: usize = 2;

/// An expression that compiled and is of type bool.
pub(super) struct Compiled {
    env: Arc<Env>,
    program: Program,
}

/// Compiles and checks.
pub(super) fn compile(text: &str) -> Result<Compiled, Problem> {
    if text.len() > MAX_LENGTH {
        return Err(Problem::new(format!("the expression has {} bytes, at most {MAX_LENGTH} are allowed", text.len())));
    }
    if depth(text) > MAX_DEPTH {
        return Err(Problem::new(format!("the expression is nested deeper than {MAX_DEPTH} levels")));
    }
    let env = Env::stdlib().with_optional_support(false);
    let program = env.compile(text).map_err(|errors| {
        let texts: Vec<&str> = errors.errors.iter().map(|e| e.msg.as_str()).collect();
        Problem::new(format!("the expression is no CEL: {}", texts.join("; ")))
    })?;
    types::check(program.expression()).map_err(Problem::new)?;
    Ok(Compiled { env: Arc::new(env), program })
}

/// How deep the parser would have to go, counted generously: brackets, prefix operators and conditionals.
fn depth(text: &str) -> usize {
    let (mut open, mut prefixes, mut conditionals, mut deepest) = (0_usize, 0_usize, 0_usize, 0_usize);
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => open += 1,
            ')' | ']' | '}' => open = open.saturating_sub(1),
            '?' => conditionals += 1,
            '!' | '-' => prefixes += 1,
            ' ' | '\t' | '\n' => continue,
            _ => prefixes = 0,
        }
        deepest = deepest.max(open + prefixes + conditionals);
    }
    deepest
}

impl Compiled {
    /// The value in a context.
    pub fn evaluate(&self, context: &Context) -> Result<bool, Problem> {
        let mut variables = ::cel::Context::with_env(Arc::clone(&self.env));
        let texts = [&context.platform, &context.gpu_architecture, &context.workload_kind, &context.topology_mode];
        for (name, value) in VARIABLES.iter().zip(texts) {
            variables.add_variable_from_value(*name, value.as_str());
        }
        variables.add_variable_from_value("domainCount", context.domain_count);
        match self.program.execute(&variables) {
            Ok(Value::Bool(value)) => Ok(value),
            Ok(_) => Err(Problem::new("the expression does not give true or false")),
            Err(error) => Err(Problem::new(format!("the expression cannot be evaluated: {error}"))),
        }
    }
}
