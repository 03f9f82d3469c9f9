//! Field tables of all types that are read, and the check of a tree against them (00 D5).
