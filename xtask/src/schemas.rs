//! stub
use crate::files::Generated;
use anyhow::Result;
pub fn files() -> Result<Vec<Generated>> { Ok(vec![]) }
