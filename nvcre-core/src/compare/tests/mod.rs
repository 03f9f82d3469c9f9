//! What is promised of differences.

mod values;
