//! What differs between two values, two renderings, or two files that were rendered earlier.

mod apply;
mod change;
mod list;
#[cfg(test)]
mod tests;
mod values;
mod words;

pub use apply::{ApplyError, apply};
pub use change::{ChangeKind, ValueChange, WordChange, WordPart};
pub use values::values;
