//! Decodes one part of a parsed document. An error keeps its field and place, which reading through plain values loses.

use crate::check::nearest;
use crate::diagnostic::{Code, Diagnostic, FieldPath, Segment, Span};
use crate::yaml::{Kind, Node};
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, EnumAccess, Expected, IntoDeserializer, Unexpected, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};
use serde_json::Value;
use std::fmt;

/// Reads a value from a node.
///
/// # Errors
/// The first thing that does not fit, with `path` in front of its own path.
pub(super) fn decode<'de, T: Deserialize<'de>>(node: &'de Node, path: &FieldPath) -> Result<T, Box<Diagnostic>> {
    T::deserialize(At(node)).map_err(|error| {
        let inner = FieldPath(error.path.into_iter().rev().collect());
        let finding = Diagnostic::at(error.code, path.join(&inner), error.message);
        let finding = finding.with_span(error.span.unwrap_or(node.span));
        Box::new(finding.with_help(if error.help.is_empty() {
            "see README.md beside the built-in catalogue".into()
        } else {
            error.help
        }))
    })
}

/// What did not fit. The path is gathered on the way up, innermost step first.
#[derive(Debug)]
struct Error {
    code: Code,
    message: String,
    help: String,
    path: Vec<Segment>,
    span: Option<Span>,
}

impl Error {
    fn new(code: Code, message: String) -> Self {
        Self { code, message, help: String::new(), path: Vec::new(), span: None }
    }

    fn below(mut self, segment: Segment, span: Span) -> Self {
        self.path.push(segment);
        self.span.get_or_insert(span);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(Code::WrongType, message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        let scalar = matches!(
            found,
            Unexpected::Bool(_) | Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_)
        );
        let mut error = Self::new(Code::WrongType, format!("found {found}; {wanted} is wanted"));
        if scalar {
            error.help = "put quotes around it when a text is meant".into();
        }
        error
    }

    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::new(Code::OutOfRange, format!("found {found}; {wanted} is wanted"))
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        let mut error =
            Self::new(Code::UnknownField, format!("there is no field {field:?}; known are {}", known.join(", ")));
        error.help = match nearest(field, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "remove it".into(),
        };
        error
    }

    fn unknown_variant(found: &str, known: &'static [&'static str]) -> Self {
        let mut error = Self::new(Code::WrongType, format!("found {found:?}; one of {} is wanted", known.join(", ")));
        if let Some(near) = nearest(found, known.iter().copied()) {
            error.help = format!("did you mean `{near}`?");
        }
        error
    }

    fn missing_field(field: &'static str) -> Self {
        let mut error = Self::new(Code::MissingField, format!("the field {field:?} is missing"));
        error.help = format!("add `{field}`");
        error
    }
}

struct At<'de>(&'de Node);

impl<'de> Deserializer<'de> for At<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.0.kind {
            Kind::Scalar(scalar) => match &scalar.value {
                Value::String(text) => visitor.visit_borrowed_str(text),
                Value::Bool(bool) => visitor.visit_bool(*bool),
                Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                    (Some(number), ..) => visitor.visit_i64(number),
                    (_, Some(number), _) => visitor.visit_u64(number),
                    (.., number) => visitor.visit_f64(number.unwrap_or(f64::INFINITY)),
                },
                // Null; a scalar is never a list or a mapping.
                _ => visitor.visit_unit(),
            },
            Kind::List(items) => visitor.visit_seq(Items { items: items.iter(), at: 0 }),
            Kind::Map(entries) => visitor.visit_map(Fields { entries: entries.iter(), current: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.0.kind {
            Kind::Scalar(scalar) if scalar.value.is_null() => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0.as_str() {
            Some(name) => visitor.visit_enum(Unit(name)),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

struct Items<'de> {
    items: std::slice::Iter<'de, Node>,
    at: usize,
}

impl<'de> de::SeqAccess<'de> for Items<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(node) = self.items.next() else { return Ok(None) };
        let at = self.at;
        self.at += 1;
        seed.deserialize(At(node)).map(Some).map_err(|e| e.below(Segment::Index(at), node.span))
    }
}

struct Fields<'de> {
    entries: std::slice::Iter<'de, crate::yaml::Entry>,
    current: Option<&'de crate::yaml::Entry>,
}

impl<'de> de::MapAccess<'de> for Fields<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.current = self.entries.next();
        let Some(entry) = self.current else { return Ok(None) };
        let key: StrDeserializer<'_, Error> = (&*entry.key).into_deserializer();
        seed.deserialize(key).map(Some).map_err(|e| e.below(Segment::Key(entry.key.as_ref().into()), entry.key_span))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        // serde asks for a value only after a key.
        let Some(entry) = self.current else { return Err(Error::new(Code::WrongType, "a value without a key".into())) };
        seed.deserialize(At(&entry.value))
            .map_err(|e| e.below(Segment::Key(entry.key.as_ref().into()), entry.value.span))
    }
}

struct Unit<'de>(&'de str);

impl<'de> EnumAccess<'de> for Unit<'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let name: StrDeserializer<'_, Error> = self.0.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Unit<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Error> {
        Err(de::Error::invalid_type(Unexpected::UnitVariant, &"a value"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        Err(de::Error::invalid_type(Unexpected::UnitVariant, &visitor))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        Err(de::Error::invalid_type(Unexpected::UnitVariant, &visitor))
    }
}
