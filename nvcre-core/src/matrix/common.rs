//! What several differences have in common.

use super::model::Differences;

impl Differences {
    /// What is in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.picked(other, true)
    }

    /// What is here and not in the other.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.picked(other, false)
    }

    fn picked(&self, other: &Self, shared: bool) -> Self {
        fn pick<T: Clone + PartialEq>(own: &[T], other: &[T], shared: bool) -> Vec<T> {
            own.iter().filter(|item| other.contains(item) == shared).cloned().collect()
        }
        Self {
            entries: pick(&self.entries, &other.entries, shared),
            values: pick(&self.values, &other.values, shared),
            environment: pick(&self.environment, &other.environment, shared),
            containers: pick(&self.containers, &other.containers, shared),
            arguments: pick(&self.arguments, &other.arguments, shared),
            resources: pick(&self.resources, &other.resources, shared),
            objects: pick(&self.objects, &other.objects, shared),
            fields: pick(&self.fields, &other.fields, shared),
            findings: pick(&self.findings, &other.findings, shared),
        }
    }
}
