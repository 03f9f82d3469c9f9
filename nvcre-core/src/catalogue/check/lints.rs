//! What lints know.

use super::Checker;
use crate::diagnostic::FieldPath;

impl Checker<'_> {
    pub(super) fn lints(&mut self) {
        let catalogue = self.catalogue;
        let root = FieldPath::root();
        let list = root.key("interfaces");
        for (at, rule) in catalogue.interfaces.iter().enumerate() {
            let path = list.index(at);
            let before = catalogue.interfaces.iter().take(at).map(|r| (&*r.platform, &*r.architectures));
            self.rule(&path, (&rule.platform, &rule.architectures), before);
            if rule.names.is_empty() {
                self.value(path.key("names"), "no interface is named", "name at least one, for example eth0");
            }
        }
        let list = root.key("fabrics");
        for (at, rule) in catalogue.fabrics.iter().enumerate() {
            let before = catalogue.fabrics.iter().take(at).map(|r| (&*r.platform, &*r.architectures));
            self.rule(&list.index(at), (&rule.platform, &rule.architectures), before);
        }
        let entries: Vec<&str> = catalogue.entries.iter().map(|e| e.id.as_str()).collect();
        for (at, removed) in catalogue.removed_plugins.iter().enumerate() {
            let path = root.key("removedPlugins").index(at);
            self.known("entry", path.key("entry"), &removed.entry, &entries);
            if removed.plugins.is_empty() && removed.networks.is_empty() && removed.paths.is_empty() {
                self.value(path, "nothing says what the entry removes", "give plugins, networks or paths");
            }
        }
        let list = root.key("ncclVariables");
        self.unique(&list, "name", catalogue.nccl_variables.iter().map(|v| v.name.as_str()));
        for (at, variable) in catalogue.nccl_variables.iter().enumerate() {
            if variable.whole && !variable.words.is_empty() {
                self.value(
                    list.index(at).key("words"),
                    "whole says that there are numbers only, and words says that there are words",
                    "remove one of the two",
                );
            }
        }
    }

    /// A rule for a platform and some of its GPUs, and those that stand before it.
    fn rule<'r>(
        &mut self,
        path: &FieldPath,
        (platform, architectures): (&str, &[String]),
        mut before: impl Iterator<Item = (&'r str, &'r [String])>,
    ) {
        self.platform(path.key("platform"), platform);
        for (at, name) in architectures.iter().enumerate() {
            self.architecture(path.key("architectures").index(at), name);
        }
        let covers = |earlier: &[String]| {
            earlier.is_empty() || !architectures.is_empty() && architectures.iter().all(|a| earlier.contains(a))
        };
        if before.any(|(other, earlier)| other == platform && covers(earlier)) {
            self.value(path.clone(), "a rule before this one holds wherever it does", "remove one of the two");
        }
    }
}
