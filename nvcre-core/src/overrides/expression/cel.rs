//! CEL through the crate `cel`, with limits that keep any expression cheap.
//!
//! The crate has two parsers. The one made by ANTLR takes some 100 KB of stack for every pair of brackets, so an
//! expression of a few characters could end the process; the other one, taken here, does not.

use super::types::{self, VARIABLES};
use super::{Context, Problem, Variables};
use ::cel::common::ast::IdedExpr;
use ::cel::parser::PrattParser;
use ::cel::{Env, Value};
use std::sync::Arc;

/// Longest expression, in bytes (as for the other expression of the API, 01 §3.3).
const MAX_LENGTH: usize = 2048;
/// Deepest nesting: brackets, prefix operators, conditionals, and operators in a chain such as `a + b + c`; `&&` and
/// `||` do not nest. The interpreter takes some 50 KB of stack for a level in an unoptimised build.
pub(super) const MAX_DEPTH: usize = 24;
/// Most operators, which the parser turns into nested nodes before their depth is known.
const MAX_OPERATORS: usize = 256;
/// Most loops (`all`, `exists`, `exists_one`, `map`, `filter`), so that no result can grow beyond measure.
pub(super) const MAX_LOOPS: usize = 2;

/// An expression that compiled and is of type bool.
pub(super) struct Compiled {
    expression: IdedExpr,
}

/// Compiles and checks.
pub(super) fn compile(text: &str, variables: Variables) -> Result<Compiled, Problem> {
    if text.len() > MAX_LENGTH {
        return Err(Problem::new(format!("the expression has {} bytes, at most {MAX_LENGTH} are allowed", text.len())));
    }
    if depth(text) > MAX_DEPTH {
        return Err(Problem::new(format!("the expression is nested deeper than {MAX_DEPTH} levels")));
    }
    if operators(text) > MAX_OPERATORS {
        return Err(Problem::new(format!("the expression has more than {MAX_OPERATORS} operators")));
    }
    let expression = PrattParser::new().parse(text).map_err(|errors| {
        let texts: Vec<&str> = errors.errors.iter().map(|e| e.msg.as_str()).collect();
        Problem::new(format!("the expression is no CEL: {}", texts.join("; ")))
    })?;
    types::check(&expression, variables).map_err(Problem::new)?;
    Ok(Compiled { expression })
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

/// Operators that can stand in a chain, counted generously: also inside of texts, and `==` twice.
fn operators(text: &str) -> usize {
    text.chars().filter(|c| "+-*/%.<>=!?([{".contains(*c)).count() + text.matches("in").count()
}

impl Compiled {
    /// The value in a context.
    pub fn evaluate(&self, context: &Context) -> Result<bool, Problem> {
        let env = Env::stdlib().with_optional_support(false);
        let mut variables = ::cel::Context::with_env(Arc::new(env));
        let texts = [&context.platform, &context.gpu_architecture, &context.workload_kind, &context.topology_mode];
        for (name, value) in VARIABLES.iter().zip(texts) {
            variables.add_variable_from_value(*name, value.as_str());
        }
        variables.add_variable_from_value("domainCount", context.domain_count);
        match Value::resolve(&self.expression, &variables) {
            Ok(Value::Bool(value)) => Ok(value),
            Ok(_) => Err(Problem::new("the expression does not give true or false")),
            Err(error) => Err(Problem::new(format!("the expression cannot be evaluated: {error}"))),
        }
    }
}
