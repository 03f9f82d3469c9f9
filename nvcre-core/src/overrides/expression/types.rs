//! Static types of an expression. The interpreter is dynamic: it would find a misspelt variable or a comparison of a
//! string with a number only when it gets there, and calls the latter false. The engine refuses both (04 §2.5).

use super::Variables;
use super::cel::{MAX_DEPTH, MAX_LOOPS};
use ::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, SelectExpr, operators};
use std::fmt;

/// The string variables, in the order of the context; `domainCount` is the integer.
pub(super) const VARIABLES: [&str; 4] = ["platform", "gpuArchitecture", "workloadKind", "topologyMode"];

/// Type of a part of an expression.
#[derive(Debug, Clone, PartialEq)]
enum Type {
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Null,
    /// The type of a type, such as `type(platform)`.
    Meta,
    List(Box<Self>),
    Map(Box<Self>, Box<Self>),
    /// Known only when it is evaluated.
    Dyn,
}

use Type::{Bool, Bytes, Double, Dyn, Int, Null, Uint};

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bool => f.write_str("bool"),
            Int => f.write_str("int"),
            Uint => f.write_str("uint"),
            Double => f.write_str("double"),
            Self::String => f.write_str("string"),
            Bytes => f.write_str("bytes"),
            Null => f.write_str("null"),
            Self::Meta => f.write_str("type"),
            Self::List(item) => write!(f, "list({item})"),
            Self::Map(key, value) => write!(f, "map({key}, {value})"),
            Dyn => f.write_str("dyn"),
        }
    }
}

impl Type {
    fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Dyn, _) | (_, Dyn) => true,
            (Self::List(a), Self::List(b)) => a.agrees(b),
            (Self::Map(ak, av), Self::Map(bk, bv)) => ak.agrees(bk) && av.agrees(bv),
            (a, b) => a == b,
        }
    }

    /// The more exact of two types that agree.
    fn meet(self, other: Self) -> Self {
        if self == Dyn { other } else { self }
    }
}

type Found = Result<Type, String>;

/// Checks that an expression names known variables and functions, mixes no types and is of type bool.
pub(super) fn check(expression: &IdedExpr, variables: Variables) -> Result<(), String> {
    let mut checker = Checker { variables, scope: Vec::new(), loops: 0, depth: 0 };
    match checker.infer(&expression.expr)? {
        Bool => Ok(()),
        Dyn => Err("the type of the expression is known only when it is evaluated, it must be bool".to_owned()),
        other => Err(format!("the expression is of type {other}, it must be bool")),
    }
}

struct Checker {
    variables: Variables,
    /// Variables of loops, innermost last.
    scope: Vec<(String, Type)>,
    loops: usize,
    depth: usize,
}

impl Checker {
    fn infer(&mut self, expression: &Expr) -> Found {
        if self.depth == MAX_DEPTH {
            return Err(format!("the expression is nested deeper than {MAX_DEPTH} levels"));
        }
        self.depth += 1;
        let found = self.infer_here(expression);
        self.depth -= 1;
        found
    }

    fn infer_here(&mut self, expression: &Expr) -> Found {
        match expression {
            Expr::Unspecified => Err("the expression is empty".to_owned()),
            Expr::Literal(literal) => Ok(match literal {
                LiteralValue::Boolean(_) => Bool,
                LiteralValue::Bytes(_) => Bytes,
                LiteralValue::Double(_) => Double,
                LiteralValue::Int(_) => Int,
                LiteralValue::Null => Null,
                LiteralValue::String(_) => Type::String,
                LiteralValue::UInt(_) => Uint,
            }),
            Expr::Ident(name) => self.variable(name),
            Expr::List(list) => {
                let mut item = Dyn;
                for element in &list.elements {
                    let found = self.infer(&element.expr)?;
                    item = joined(item, found, "the elements of a list")?;
                }
                Ok(Type::List(Box::new(item)))
            }
            Expr::Map(map) => {
                let (mut key, mut value) = (Dyn, Dyn);
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else { continue };
                    key = joined(key, self.infer(&entry.key.expr)?, "the keys of a map")?;
                    value = joined(value, self.infer(&entry.value.expr)?, "the values of a map")?;
                }
                Ok(Type::Map(Box::new(key), Box::new(value)))
            }
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(each) => self.comprehension(each),
            Expr::Struct(message) => Err(format!("there is no message type {:?}", message.type_name)),
        }
    }

    fn variable(&self, name: &str) -> Found {
        if let Some((_, found)) = self.scope.iter().rev().find(|(known, _)| known == name) {
            return Ok(found.clone());
        }
        let plain = name.strip_prefix('.').unwrap_or(name);
        match (plain, self.variables) {
            ("domainCount", Variables::Override) => Ok(Int),
            (name, Variables::Override) if VARIABLES.contains(&name) => Ok(Type::String),
            ("value", Variables::Threshold) => Ok(Double),
            ("bool" | "int" | "uint" | "double" | "string" | "bytes" | "list" | "map" | "null_type" | "type", _) => {
                Ok(Type::Meta)
            }
            _ => Err(format!("{name:?} is no variable of an expression")),
        }
    }

    fn select(&mut self, select: &SelectExpr) -> Found {
        match self.infer(&select.operand.expr)? {
            _ if select.test => Ok(Bool),
            Dyn => Ok(Dyn),
            Type::Map(_, value) => Ok(*value),
            other => Err(format!("a value of type {other} has no field {:?}", select.field)),
        }
    }

    fn comprehension(&mut self, each: &ComprehensionExpr) -> Found {
        self.loops += 1;
        if self.loops > MAX_LOOPS {
            return Err(format!("more than {MAX_LOOPS} uses of all, exists, exists_one, map and filter"));
        }
        // What one variable stands for, and what two do.
        let (only, (first, second)) = match self.infer(&each.iter_range.expr)? {
            Type::List(item) => ((*item).clone(), (Int, *item)),
            Type::Map(key, value) => ((*key).clone(), (*key, *value)),
            Dyn => (Dyn, (Dyn, Dyn)),
            other => return Err(format!("a value of type {other} cannot be gone through")),
        };
        let accumulator = self.infer(&each.accu_init.expr)?;
        let depth = self.scope.len();
        self.scope.push((each.accu_var.clone(), accumulator.clone()));
        match &each.iter_var2 {
            Some(name) => self.scope.extend([(each.iter_var.clone(), first), (name.clone(), second)]),
            None => self.scope.push((each.iter_var.clone(), only)),
        }
        expect(&self.infer(&each.loop_cond.expr)?, &[Bool], "a condition")?;
        let step = self.infer(&each.loop_step.expr)?;
        let accumulator = joined(accumulator, step, "the steps of a loop")?;
        self.scope.truncate(depth);
        self.scope.push((each.accu_var.clone(), accumulator));
        let result = self.infer(&each.result.expr);
        self.scope.truncate(depth);
        result
    }

    fn call(&mut self, call: &CallExpr) -> Found {
        let name = call.func_name.as_str();
        let mut types = Vec::with_capacity(call.args.len() + 1);
        if let Some(target) = &call.target {
            types.push(self.infer(&target.expr)?);
        }
        for arg in &call.args {
            types.push(self.infer(&arg.expr)?);
        }
        let mixed = self.variables == Variables::Threshold && compares_numbers(name, &types);
        if mixed { Ok(Bool) } else { function(name, call.target.is_some(), &types) }
    }
}

/// A comparison of numbers of whatever types.
fn compares_numbers(name: &str, types: &[Type]) -> bool {
    use operators as op;
    let comparison = [op::EQUALS, op::NOT_EQUALS, op::GREATER, op::GREATER_EQUALS, op::LESS, op::LESS_EQUALS];
    comparison.contains(&name) && types.iter().all(|t| matches!(t, Int | Uint | Double))
}

fn joined(a: Type, b: Type, what: &str) -> Found {
    if a.agrees(&b) { Ok(a.meet(b)) } else { Err(format!("{what} are of different types: {a} and {b}")) }
}

fn expect(found: &Type, wanted: &[Type], what: &str) -> Result<(), String> {
    if wanted.iter().any(|w| w.agrees(found)) {
        return Ok(());
    }
    let wanted: Vec<String> = wanted.iter().map(Type::to_string).collect();
    Err(format!("{what} is of type {found}, it must be {}", wanted.join(" or ")))
}

/// The type of a call of the standard library.
fn function(name: &str, member: bool, types: &[Type]) -> Found {
    use operators as op;
    let sign = || name.trim_matches('_').to_owned();
    match (name, types) {
        (op::CONDITIONAL, [condition, yes, no]) => {
            expect(condition, &[Bool], "the condition before ?")?;
            joined(yes.clone(), no.clone(), "the two results of a condition")
        }
        (op::LOGICAL_AND | op::LOGICAL_OR, [a, b]) => {
            let what = format!("an operand of {}", sign());
            expect(a, &[Bool], &what)?;
            expect(b, &[Bool], &what)?;
            Ok(Bool)
        }
        (op::LOGICAL_NOT, [a]) => {
            expect(a, &[Bool], "the operand of !")?;
            Ok(Bool)
        }
        (op::NOT_STRICTLY_FALSE, [_]) => Ok(Bool),
        (op::EQUALS | op::NOT_EQUALS, [a, b]) => {
            if a.agrees(b) {
                Ok(Bool)
            } else {
                Err(format!("the operator {} compares {a} with {b}", sign()))
            }
        }
        (op::GREATER | op::GREATER_EQUALS | op::LESS | op::LESS_EQUALS, [a, b]) => {
            let ordered = [Bool, Int, Uint, Double, Type::String, Bytes];
            expect(a, &ordered, &format!("the left side of {}", sign()))?;
            if a.agrees(b) { Ok(Bool) } else { Err(format!("the operator {} compares {a} with {b}", sign())) }
        }
        (op::ADD, [a, b]) => match (a, b) {
            (Type::List(_), Type::List(_)) => joined(a.clone(), b.clone(), "the two sides of +"),
            _ => arithmetic("+", a, b, &[Int, Uint, Double, Type::String, Bytes]),
        },
        (op::SUBSTRACT | op::MULTIPLY | op::DIVIDE, [a, b]) => arithmetic(&sign(), a, b, &[Int, Uint, Double]),
        (op::MODULO, [a, b]) => arithmetic("%", a, b, &[Int, Uint]),
        (op::NEGATE, [a]) => {
            expect(a, &[Int, Double], "the operand of -")?;
            Ok(a.clone())
        }
        (op::IN, [item, list]) => match list {
            Type::List(of) | Type::Map(of, _) => {
                if item.agrees(of) {
                    Ok(Bool)
                } else {
                    Err(format!("in looks for {item} among {of}"))
                }
            }
            Dyn => Ok(Bool),
            other => Err(format!("the right side of in is of type {other}, it must be a list or a map")),
        },
        (op::INDEX, [container, at]) => match container {
            Type::List(item) => expect(at, &[Int], "the index of a list").map(|()| (**item).clone()),
            Type::Map(key, value) => {
                if key.agrees(at) {
                    Ok((**value).clone())
                } else {
                    Err(format!("a map of {key} has no key of type {at}"))
                }
            }
            Dyn => Ok(Dyn),
            other => Err(format!("a value of type {other} has no elements")),
        },
        ("size", [a]) => match a {
            Type::String | Bytes | Type::List(_) | Type::Map(..) | Dyn => Ok(Int),
            other => Err(format!("a value of type {other} has no size")),
        },
        ("matches", [_, _]) if cfg!(not(feature = "regex")) => {
            Err("matches is not part of this build; contains, startsWith, endsWith and in are".to_owned())
        }
        ("contains" | "startsWith" | "endsWith", [a, b]) if member => texts(name, a, b),
        ("matches", [a, b]) => texts(name, a, b),
        ("bool" | "int" | "uint" | "double" | "string" | "bytes" | "dyn" | "type", [a]) if !member => match name {
            "bool" => expect(a, &[Bool, Type::String], "the argument of bool").map(|()| Bool),
            "int" => expect(a, &[Int, Uint, Double, Type::String], "the argument of int").map(|()| Int),
            "uint" => expect(a, &[Int, Uint, Double, Type::String], "the argument of uint").map(|()| Uint),
            "double" => expect(a, &[Int, Uint, Double, Type::String], "the argument of double").map(|()| Double),
            "string" => expect(a, &[Bool, Int, Uint, Double, Type::String, Bytes], "the argument of string")
                .map(|()| Type::String),
            "bytes" => expect(a, &[Type::String, Bytes], "the argument of bytes").map(|()| Bytes),
            "dyn" => Ok(Dyn),
            _ => Ok(Type::Meta),
        },
        _ => Err(format!("there is no function {name:?} with {} arguments of these types", types.len())),
    }
}

fn texts(name: &str, a: &Type, b: &Type) -> Found {
    expect(a, &[Type::String], &format!("the text before {name}"))?;
    expect(b, &[Type::String], &format!("the argument of {name}"))?;
    Ok(Bool)
}

fn arithmetic(sign: &str, a: &Type, b: &Type, kinds: &[Type]) -> Found {
    expect(a, kinds, &format!("the left side of {sign}"))?;
    expect(b, kinds, &format!("the right side of {sign}"))?;
    joined(a.clone(), b.clone(), &format!("the two sides of {sign}"))
}
