//! The field table: every type that is read, with its fields, as a small text that `cargo xtask tables` generates.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The generated text. A line at the margin opens a type; an indented line is one of its fields: name (`!` when it is
/// required) and type.
const TEXT: &str = include_str!("k8s.table");

/// What a field holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    /// `string`.
    Text,
    /// `bool`.
    Bool,
    /// `int32`.
    Int32,
    /// `int64`.
    Int64,
    /// `number`: with or without a fraction.
    Number,
    /// `quantity`: a number or a string in the grammar of Kubernetes quantities.
    Quantity,
    /// `int-or-string`.
    IntOrText,
    /// `duration`: a string in Go's grammar.
    Duration,
    /// `object`: a mapping with any content.
    Object,
    /// `any`: anything.
    Any,
    /// `skip`: anything, accepted without a look and left out (00 D65).
    Skip,
    /// `manifest`: a whole object of any kind; kinds listed under the type `Manifests` are checked.
    Manifest,
    /// `string(A|B)`: one of these words.
    Word(Box<[&'static str]>),
    /// `[T]`.
    List(Box<Self>),
    /// `{T}`.
    Map(Box<Self>),
    /// `~T`: a merge patch on a `T`: nothing is required and `null` deletes.
    Patch(Box<Self>),
    /// Another type of the table.
    Struct(usize),
}

/// A field of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    /// Its key.
    pub name: &'static str,
    /// The API refuses an object without it.
    pub required: bool,
    /// What it holds.
    pub ty: Type,
}

/// A type with fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Struct {
    /// Its name; types of Kubernetes begin with `k8s.`.
    pub name: &'static str,
    /// Its fields, sorted by name.
    pub fields: Vec<Field>,
}

impl Struct {
    /// A field by its key.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let at = self.fields.binary_search_by(|f| f.name.cmp(name)).ok()?;
        self.fields.get(at)
    }
}

/// All types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Table {
    structs: Vec<Struct>,
    names: BTreeMap<&'static str, usize>,
}

impl Table {
    /// The table of this version, parsed at the first call.
    pub fn get() -> &'static Self {
        static TABLE: OnceLock<Table> = OnceLock::new();
        // The generated text always parses (see the test); without it every document would be accepted.
        TABLE.get_or_init(|| Self::parse(TEXT).unwrap_or_default())
    }

    /// Reads a table; an error names the line that is none.
    pub fn parse(text: &'static str) -> Result<Self, String> {
        let mut table = Self::default();
        let lines = || text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        for (_, name) in lines().filter(|(_, line)| !line.starts_with(' ')) {
            table.names.insert(name, table.structs.len());
            table.structs.push(Struct { name, fields: Vec::new() });
        }
        let mut current = 0;
        for (number, line) in lines() {
            let Some(field) = line.strip_prefix("  ") else {
                current = table.names.get(line).copied().unwrap_or(current);
                continue;
            };
            let field = field
                .split_once(' ')
                .and_then(|(name, ty)| {
                    let bare = name.strip_suffix('!');
                    Some(Field { name: bare.unwrap_or(name), required: bare.is_some(), ty: table.parse_type(ty)? })
                })
                .ok_or_else(|| format!("line {}: {line:?} is no field", number + 1))?;
            if let Some(open) = table.structs.get_mut(current) {
                open.fields.push(field);
            }
        }
        Ok(table)
    }

    /// Reads the text of one type.
    pub fn parse_type(&self, text: &'static str) -> Option<Type> {
        let within = |open: char, close: char| text.strip_prefix(open)?.strip_suffix(close);
        if let Some(inner) = within('[', ']') {
            return self.parse_type(inner).map(|t| Type::List(Box::new(t)));
        }
        if let Some(inner) = within('{', '}') {
            return self.parse_type(inner).map(|t| Type::Map(Box::new(t)));
        }
        if let Some(inner) = text.strip_prefix('~') {
            return self.parse_type(inner).map(|t| Type::Patch(Box::new(t)));
        }
        if let Some(words) = text.strip_prefix("string(").and_then(|t| t.strip_suffix(')')) {
            return Some(Type::Word(words.split('|').collect()));
        }
        Some(match text {
            "string" => Type::Text,
            "bool" => Type::Bool,
            "int32" => Type::Int32,
            "int64" => Type::Int64,
            "number" => Type::Number,
            "quantity" => Type::Quantity,
            "int-or-string" => Type::IntOrText,
            "duration" => Type::Duration,
            "object" => Type::Object,
            "any" => Type::Any,
            "skip" => Type::Skip,
            "manifest" => Type::Manifest,
            name => Type::Struct(*self.names.get(name)?),
        })
    }

    /// A type by name; `None` when the table does not have it.
    pub fn find(&self, name: &str) -> Option<Type> {
        self.names.get(name).map(|&at| Type::Struct(at))
    }

    /// A type with fields.
    pub fn get_struct(&self, at: usize) -> &Struct {
        static NONE: Struct = Struct { name: "", fields: Vec::new() };
        self.structs.get(at).unwrap_or(&NONE)
    }

    /// The type that the content of a manifest is checked against, by its apiVersion and kind. Without an apiVersion
    /// the kind decides.
    pub fn manifest(&self, api_version: &str, kind: &str) -> Option<Type> {
        let known = self.get_struct(*self.names.get("Manifests")?);
        let found = known.fields.iter().find(|f| match f.name.rsplit_once('/') {
            Some((version, name)) => name == kind && (api_version.is_empty() || api_version == version),
            None => false,
        })?;
        Some(found.ty.clone())
    }

    #[cfg(test)]
    pub fn structs(&self) -> &[Struct] {
        &self.structs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_form_of_a_type() {
        let text = "# a comment\nA\n  b! [{B}]\n  c ~B\n  d string(x|y)\nB\n  n int32\n";
        let table = Table::parse(text).unwrap();
        let a = table.get_struct(0);
        assert_eq!(a.field("b").unwrap().ty, Type::List(Box::new(Type::Map(Box::new(Type::Struct(1))))));
        assert!(a.field("b").unwrap().required && !a.field("c").unwrap().required);
        assert_eq!(a.field("c").unwrap().ty, Type::Patch(Box::new(Type::Struct(1))));
        assert_eq!(a.field("d").unwrap().ty, Type::Word(Box::new(["x", "y"])));
        assert_eq!(table.find("B"), Some(Type::Struct(1)));
    }

    #[test]
    fn a_line_that_is_no_field_is_named() {
        for (text, line) in [("A\n  b\n", "line 2"), ("A\n  b strnig\n", "line 2"), ("A\n  b [string\n", "line 2")] {
            assert!(Table::parse(text).unwrap_err().starts_with(line), "{text}");
        }
    }

    #[test]
    fn the_generated_table_parses_and_is_sorted_and_small() {
        assert!(TEXT.len() < 60_000, "{} bytes", TEXT.len());
        let table = Table::parse(TEXT).unwrap();
        assert!(table.structs().len() > 150);
        assert_eq!(table.structs().len(), table.names.len(), "two types of one name");
        for s in table.structs() {
            assert!(s.fields.is_sorted_by(|a, b| a.name < b.name), "{}", s.name);
        }
        for name in ["WorkloadRun", "JobTemplate", "OverrideSpec", "Workflow", "k8s.Container", "k8s.ObjectMeta"] {
            assert!(table.find(name).is_some(), "{name}");
        }
    }

    #[test]
    fn manifests_are_known_by_group_and_kind() {
        let table = Table::get();
        assert!(table.manifest("trainer.kubeflow.org/v1alpha1", "TrainingRuntime").is_some());
        assert!(table.manifest("v1", "ConfigMap").is_some());
        assert!(table.manifest("", "ConfigMap").is_some());
        assert_eq!(table.manifest("example.com/v1", "ConfigMap"), None);
        assert_eq!(table.manifest("v1", "Pod"), None);
    }
}
