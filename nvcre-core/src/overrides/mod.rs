//! Conditional overrides: matching, merging, tracking (04).
