//! The walk through a value and the table together.

use super::Mode;
use super::scalar;
use super::suggest::{self, Holder};
use super::table::{Field, Struct, Table, Type};
use super::view::{Shape, View, ViewEntry};
use crate::diagnostic::{Code, Diagnostic, FieldPath, Segment, Severity, Span};
use serde_json::{Map, Value};

pub(crate) struct Walker<'a, 'v> {
    table: &'static Table,
    mode: Mode,
    findings: &'a mut Vec<Diagnostic>,
    /// Where the root stands.
    base: &'a FieldPath,
    /// The way from the root to here; a path is made of it only for a finding.
    steps: Vec<Step<'v>>,
    /// The types with fields from the root to here, with the length of the path at each.
    holders: Vec<Holder>,
    /// What is left of the value is wanted; otherwise only the findings are, and the values given back mean nothing.
    keeps: bool,
}

#[derive(Clone, Copy)]
enum Step<'v> {
    Key(&'v str),
    Index(usize),
}

impl<'a, 'v> Walker<'a, 'v> {
    pub fn new(mode: Mode, base: &'a FieldPath, findings: &'a mut Vec<Diagnostic>) -> Self {
        Self { table: Table::get(), mode, findings, base, steps: Vec::new(), holders: Vec::new(), keeps: true }
    }

    /// For the findings only.
    pub fn only_findings(mode: Mode, base: &'a FieldPath, findings: &'a mut Vec<Diagnostic>) -> Self {
        Self { keeps: false, ..Self::new(mode, base, findings) }
    }

    /// The path of where the walk is.
    fn path(&self) -> FieldPath {
        let step = |step: &Step<'_>| match step {
            Step::Key(key) => Segment::Key((*key).into()),
            Step::Index(index) => Segment::Index(*index),
        };
        FieldPath(self.base.0.iter().cloned().chain(self.steps.iter().map(step)).collect())
    }

    fn at_root(&self) -> bool {
        self.base.0.is_empty() && self.steps.is_empty()
    }

    /// A copy of a value, when somebody wants it.
    fn copy(&self, view: View<'_>) -> Value {
        if self.keeps { view.to_value() } else { Value::Null }
    }

    fn insert(&self, out: &mut Map<String, Value>, key: &str, value: Value) {
        if self.keeps {
            out.insert(key.to_owned(), value);
        }
    }

    /// Checks a value and gives what is left of it; `None` when it is left out. `place` is where a finding about a
    /// list or mapping as a whole points to.
    pub fn value(&mut self, ty: &Type, view: View<'v>, place: Option<Span>) -> Option<Value> {
        match ty {
            Type::Skip => None,
            Type::Any => Some(self.copy(view)),
            Type::Patch(inner) => {
                let before = std::mem::replace(&mut self.mode.partial, true);
                let out = self.value(inner, view, place);
                self.mode.partial = before;
                out
            }
            Type::Object | Type::Manifest | Type::Map(_) | Type::Struct(_) => match view.shape() {
                Shape::Map(entries) => Some(Value::Object(match ty {
                    Type::Map(inner) => self.map(inner, entries),
                    Type::Struct(at) => self.fields(*at, entries, place),
                    Type::Manifest => return self.manifest(view, place),
                    _ => return Some(self.copy(view)),
                })),
                shape => self.wrong(ty, shape, view, place),
            },
            Type::List(inner) => match view.shape() {
                Shape::List(items) => Some(Value::Array(self.list(inner, items))),
                shape => self.wrong(ty, shape, view, place),
            },
            _ => match view.shape() {
                Shape::Scalar { value, text, quoted } => match scalar::read(ty, value, text, quoted) {
                    Ok(value) => Some(if self.keeps { value.into_owned() } else { Value::Null }),
                    Err(problem) => {
                        let rescued = problem.rescued.clone();
                        let finding = problem.into_finding(self.label().as_str());
                        self.report(finding, view.span());
                        rescued
                    }
                },
                shape => self.wrong(ty, shape, view, place),
            },
        }
    }

    fn list(&mut self, inner: &Type, items: Vec<View<'v>>) -> Vec<Value> {
        let mut out = Vec::with_capacity(if self.keeps { items.len() } else { 0 });
        for (index, item) in items.into_iter().enumerate() {
            self.steps.push(Step::Index(index));
            let value = if item.is_null() && *inner != Type::Any {
                let wanted = self.wanted(inner);
                let help = match inner {
                    Type::Text => "remove the element, or write \"\" for an empty string",
                    _ => "remove the element",
                };
                let message = format!("this element of the list is empty (null), but {wanted} is wanted");
                self.report(Diagnostic::new(Code::WrongType, message).with_help(help), item.span());
                None
            } else {
                self.value(inner, item, item.start())
            };
            // What is bad keeps its place, so that the indices of later findings are those of the file.
            if self.keeps {
                out.push(value.unwrap_or_else(|| scalar::empty(inner)));
            }
            self.steps.pop();
        }
        out
    }

    fn map(&mut self, inner: &Type, entries: Vec<ViewEntry<'v>>) -> Map<String, Value> {
        let mut out = Map::new();
        for entry in entries {
            if self.directive(&entry, &mut out) {
                continue;
            }
            self.steps.push(Step::Key(entry.key));
            if entry.value.is_null() && *inner != Type::Any {
                if self.mode.partial {
                    self.insert(&mut out, entry.key, Value::Null);
                } else {
                    let wanted = self.wanted(inner);
                    let message = format!("`{}` has no value (null), but {wanted} is wanted", entry.key);
                    let help = match inner {
                        Type::Text => "remove the key, or write \"\" for an empty string",
                        _ => "remove the key, or give it a value",
                    };
                    let finding = Diagnostic::new(Code::WrongType, message).with_help(help);
                    self.report(finding, entry.span.or_else(|| entry.value.span()));
                }
            } else if let Some(value) = self.value(inner, entry.value, entry.span) {
                self.insert(&mut out, entry.key, value);
            }
            self.steps.pop();
        }
        out
    }

    fn fields(&mut self, at: usize, entries: Vec<ViewEntry<'v>>, place: Option<Span>) -> Map<String, Value> {
        let table = self.table;
        let known = table.get_struct(at);
        self.holders.push(Holder { at, depth: self.base.0.len() + self.steps.len() });
        let mut out = Map::new();
        let mut seen = Vec::new();
        for entry in entries {
            if self.directive(&entry, &mut out) {
                continue;
            }
            let Some(field) = known.field(entry.key) else {
                self.unknown(known, &entry);
                continue;
            };
            if entry.value.is_null() {
                if self.mode.partial {
                    self.insert(&mut out, entry.key, Value::Null);
                }
                // Elsewhere `null` is the same as an absent field.
                if field.ty != Type::Any {
                    continue;
                }
            }
            seen.push(field.name);
            self.steps.push(Step::Key(entry.key));
            if let Some(value) = self.value(&field.ty, entry.value, entry.span) {
                self.insert(&mut out, entry.key, value);
            }
            self.steps.pop();
        }
        if !self.mode.partial {
            for field in known.fields.iter().filter(|f| f.required && !seen.contains(&f.name)) {
                self.missing(known, field, place);
            }
        }
        self.holders.pop();
        out
    }

    /// A whole object of any kind. Its `when` is no field of the object (01 §2.7) and passes untouched.
    fn manifest(&mut self, view: View<'v>, place: Option<Span>) -> Option<Value> {
        let kind = view.text_at("kind").unwrap_or_default();
        let api_version = view.text_at("apiVersion").unwrap_or_default();
        let ty = self.table.manifest(api_version, kind).unwrap_or(Type::Object);
        let (Type::Struct(at), Shape::Map(mut entries)) = (&ty, view.shape()) else { return Some(self.copy(view)) };
        let when = entries.iter().position(|e| e.key == "when").map(|at| entries.remove(at));
        let mut out = self.fields(*at, entries, place);
        if let Some(when) = when {
            self.insert(&mut out, "when", self.copy(when.value));
        }
        Some(Value::Object(out))
    }

    /// Keys such as `$patch` steer a merge; they are judged where the merge is made.
    fn directive(&self, entry: &ViewEntry<'v>, out: &mut Map<String, Value>) -> bool {
        let is = self.mode.partial && entry.key.starts_with('$');
        if is {
            self.insert(out, entry.key, self.copy(entry.value));
        }
        is
    }

    fn unknown(&mut self, known: &Struct, entry: &ViewEntry<'v>) {
        let holder = self.holder_label(known);
        let advice = suggest::advice(self.table, known, &self.holders, &self.path().0, entry.key, entry.value);
        let mut message = format!("{holder} has no field `{}`", entry.key);
        let severity = if self.mode.lenient { Severity::Warning } else { Severity::Error };
        if self.mode.lenient {
            message.push_str("; it is ignored");
        }
        self.steps.push(Step::Key(entry.key));
        let finding = Diagnostic::new(Code::UnknownField, message).with_help(advice).with_severity(severity);
        self.report(finding, entry.span);
        self.steps.pop();
    }

    fn missing(&mut self, known: &Struct, field: &Field, place: Option<Span>) {
        let holder = self.holder_label(known);
        let wanted = self.wanted(&field.ty);
        self.steps.push(Step::Key(field.name));
        let message = format!("{holder} has no `{}`, which is required", field.name);
        let help = format!("add `{}`, {wanted}", field.name);
        self.report(Diagnostic::new(Code::MissingField, message).with_help(help), place);
        self.steps.pop();
    }

    fn wrong(&mut self, ty: &Type, shape: Shape<'_>, view: View<'v>, place: Option<Span>) -> Option<Value> {
        let scalar = matches!(shape, Shape::Scalar { .. });
        let item_has_name = match ty {
            Type::List(inner) => match **inner {
                Type::Struct(at) => {
                    let item = self.table.get_struct(at);
                    item.field("name").is_some() && item.field("value").is_some()
                }
                _ => false,
            },
            _ => false,
        };
        let problem = scalar::wrong_shape(ty, self.wanted(ty), shape, item_has_name);
        let rescued = problem.rescued.clone();
        let mut finding = problem.into_finding(self.label().as_str());
        if let (true, Type::Struct(at)) = (self.at_root(), ty) {
            let holder = self.holder_label(self.table.get_struct(*at));
            finding.message = finding.message.replacen(
                "a mapping is wanted here, but this",
                &format!("{holder} is a mapping, but the document"),
                1,
            );
        }
        self.report(finding, if scalar { view.span() } else { place.or_else(|| view.span()) });
        rescued
    }

    fn wanted(&self, ty: &Type) -> &'static str {
        scalar::wanted(ty)
    }

    /// What stands before the value on its line: `numNodes: ` or `- `.
    fn label(&self) -> String {
        match (self.steps.last(), self.base.0.last()) {
            (Some(Step::Key(key)), _) => format!("{key}: "),
            (None, Some(Segment::Key(key))) => format!("{key}: "),
            (Some(_), _) | (None, Some(_)) => "- ".to_owned(),
            (None, None) => String::new(),
        }
    }

    /// The object that a field belongs to, as a person would name it.
    fn holder_label(&self, known: &Struct) -> String {
        if self.at_root() {
            let name = known.name.strip_prefix("k8s.").unwrap_or(known.name);
            return format!("a {name}");
        }
        self.path().to_string()
    }

    fn report(&mut self, finding: Diagnostic, span: Option<Span>) {
        let mut finding = finding;
        finding.path = (!self.at_root()).then(|| self.path());
        finding.span = span;
        self.findings.push(finding);
    }
}
