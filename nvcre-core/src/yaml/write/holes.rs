//! One text for many values that differ in a few places: printed once, filled often.

use super::{Emitter, Plain, Sink};
use serde_json::Value;
use std::fmt::{self, Write};

/// The YAML text of a value, with holes where values of entries were left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Form {
    /// A text, and the hole behind it.
    pieces: Vec<(String, Hole)>,
    /// The text behind the last hole.
    rest: String,
}

#[derive(Debug, Clone, Copy)]
struct Hole {
    number: usize,
    indent: usize,
}

impl Form {
    /// Prints a value as one document. `hole` says which values of its mappings are left out: it gets each of them and
    /// gives the number of its hole.
    pub fn new(value: &Value, hole: impl Fn(&Value) -> Option<usize>) -> Self {
        let mut cutter = Cutter { form: Self::default(), hole };
        // Writing to a string does not fail.
        let _ = Emitter { out: &mut cutter }.root(value);
        cutter.form
    }

    /// Writes the text with something in every hole, as the whole value would be written. Errors: those of `out`.
    pub fn fill<W: Write>(&self, out: &mut W, content: impl Fn(usize) -> Value) -> fmt::Result {
        for (text, hole) in &self.pieces {
            out.write_str(text)?;
            Emitter { out: &mut Plain(out) }.entry_value(&content(hole.number), hole.indent)?;
        }
        out.write_str(&self.rest)
    }
}

struct Cutter<H> {
    form: Form,
    hole: H,
}

impl<H> Write for Cutter<H> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.form.rest.push_str(text);
        Ok(())
    }
}

impl<H: Fn(&Value) -> Option<usize>> Sink for Cutter<H> {
    fn leaves_out(&mut self, value: &Value, indent: usize) -> bool {
        let Some(number) = (self.hole)(value) else { return false };
        let text = std::mem::take(&mut self.form.rest);
        self.form.pieces.push((text, Hole { number, indent }));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::to_yaml;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_filled_form_is_the_text_of_the_whole_value() {
        let contents = [
            json!("plain"),
            json!("8"),
            json!("two\nlines\n"),
            json!(""),
            json!(4),
            json!(null),
            json!([]),
            json!({}),
            json!(["a", "yes"]),
            json!({"b": [1, {"c": "d"}]}),
        ];
        for content in contents {
            let mut value =
                json!({"a": 1, "list": [[{"hole": "X", "z": 0}], {"hole": "Y"}], "map": {"hole": "Z"}, "w": "hole"});
            let form = Form::new(&value, |v| v.as_str().and_then(|t| ["X", "Y", "Z"].iter().position(|n| *n == t)));
            let numbered = |n: usize| if n == 1 { json!("second") } else { content.clone() };
            let mut filled = String::new();
            form.fill(&mut filled, numbered).unwrap();
            value["list"][0][0]["hole"] = numbered(0);
            value["list"][1]["hole"] = numbered(1);
            value["map"]["hole"] = numbered(2);
            assert_eq!(filled, to_yaml(&value));
        }
    }

    proptest! {
        #[test]
        fn texts_in_holes(text in ".{0,20}", key in "[a-z: #]{0,6}") {
            let form = Form::new(&json!({"k": [{&key: 7}]}), |v| v.is_number().then_some(0));
            let mut filled = String::new();
            form.fill(&mut filled, |_| json!(text)).unwrap();
            prop_assert_eq!(filled, to_yaml(&json!({"k": [{&key: text}]})));
        }
    }
}
