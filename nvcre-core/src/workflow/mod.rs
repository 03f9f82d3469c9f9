//! From a run to its Workflow (02).
