//! Jobs straight to YAML: what all jobs share is printed once, and only what differs from job to job is printed again.

use super::prepared::{JobId, Prepared};
use super::references::{Step, at_place, kind_of, name_of};
use super::template::{Fill, Template};
use crate::yaml::Form;

/// The text of one object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    /// Kind of the object.
    pub kind: String,
    /// Name of the object.
    pub name: String,
    /// The object as a YAML document, as [`crate::yaml::to_yaml`] prints it.
    pub yaml: String,
}

/// Prints the objects of one job after the other.
#[derive(Debug, Clone)]
pub struct YamlPrinter<'a> {
    prepared: &'a Prepared<'a>,
    forms: Vec<PrintedForm>,
    printed: Vec<Printed>,
}

/// A template as text.
#[derive(Debug, Clone)]
struct PrintedForm {
    form: Form,
    /// What stands in each hole.
    fills: Vec<Fill>,
    /// What the name is, when it differs from job to job.
    name: Option<Fill>,
}

impl PrintedForm {
    fn new(template: &Template) -> Self {
        let value = &template.manifest.value;
        let places: Vec<_> = template.slots.iter().map(|(place, _)| at_place(value, place)).collect();
        let hole = |here: &_| places.iter().rposition(|slot| slot.is_some_and(|slot| std::ptr::eq(slot, here)));
        let own = |(place, _): &&(Vec<Step>, Fill)| matches!(place.as_slice(), [Step::Key(metadata), Step::Key(name)] if metadata == "metadata" && name == "name");
        Self {
            form: Form::new(value, hole),
            fills: template.slots.iter().map(|(_, fill)| *fill).collect(),
            name: template.slots.iter().rev().find(own).map(|(_, fill)| *fill),
        }
    }
}

impl<'a> YamlPrinter<'a> {
    pub(super) fn new(prepared: &'a Prepared<'a>, templates: &[Template]) -> Self {
        let printed = |template: &Template| {
            let value = &template.manifest.value;
            Printed { kind: kind_of(value).to_owned(), name: name_of(value).to_owned(), yaml: String::new() }
        };
        Self {
            prepared,
            forms: templates.iter().map(PrintedForm::new).collect(),
            printed: templates.iter().map(printed).collect(),
        }
    }

    /// The texts of [`Prepared::manifests`], in the same order; valid until the next job is printed.
    pub fn print(&mut self, job: JobId) -> &[Printed] {
        let Some(values) = self.prepared.values(job) else { return &[] };
        for (form, printed) in self.forms.iter().zip(&mut self.printed) {
            printed.yaml.clear();
            let content = |hole: usize| form.fills.get(hole).map(|fill| values.value(*fill)).unwrap_or_default();
            // Writing to a string does not fail.
            let _ = form.form.fill(&mut printed.yaml, content);
            if let Some(serde_json::Value::String(name)) = form.name.map(|fill| values.value(fill)) {
                printed.name = name;
            }
        }
        &self.printed
    }
}
