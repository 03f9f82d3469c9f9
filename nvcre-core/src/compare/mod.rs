//! What differs between two values, two renderings, or two files that were rendered earlier.
//!
//! | file | holds |
//! |---|---|
//! | `values`, `list`, `words` | the difference of two values by path, of lists by name, of command lines by option |
//! | `apply` | B out of A and the changes |
//! | `groups` | which groups are the same, which nodes moved |
//! | `objects` | objects by kind and name |
//! | `meaning`, `fields` | what a difference means, in words and as data |
//! | `model`, `renderings` | all of it for two renderings |
//! | `read`, `rendered`, `jobs_of` | all of it for files that were rendered earlier |
//! | `plans` | the same for plans and findings, which snapshots keep |

mod apply;
mod change;
mod difference;
mod fields;
mod groups;
mod jobs_of;
mod list;
mod meaning;
mod model;
mod objects;
mod plans;
mod read;
mod rendered;
mod renderings;
#[cfg(test)]
mod tests;
mod values;
mod words;

pub use apply::{ApplyError, apply};
pub use change::{ChangeKind, ValueChange, WordChange, WordPart};
pub use difference::{
    DIFF_FORMAT, Difference, FindingChanges, GroupChange, HostChange, NodeChange, NodeMove, ObjectChange, ObjectScope,
    Side,
};
pub(crate) use fields::is_told;
pub use meaning::{Meaning, What};
pub(crate) use plans::{finding_changes, plans};
pub use read::{Content, RenderedFiles, Shows, check_sides, read_side};
pub use rendered::rendered_files;
pub use renderings::{RenderedSide, renderings};
pub use values::values;
