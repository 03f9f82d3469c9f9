//! What may have been meant by a name that is not known.

use super::table::{Struct, Table, Type};
use super::view::{Shape, View};
use crate::check::nearest;
use crate::diagnostic::{FieldPath, Segment};

/// A type with fields on the way from the root, and the length of its path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Holder {
    pub at: usize,
    pub depth: usize,
}

/// What to say about an unknown field: where a field of this name is, or the nearest name here, or all names here.
pub(crate) fn advice(
    table: &Table,
    here: &Struct,
    holders: &[Holder],
    path: &[Segment],
    name: &str,
    value: View<'_>,
) -> String {
    let names = || here.fields.iter().map(|f| f.name);
    // An exact name one floor below or in a type above is a misplaced field. A name that differs only in case or by
    // a letter or two is a typing error; the same name elsewhere is only a better guess when nothing here is near.
    if let Some(near) = nearest(name, names()) {
        return format!("did you mean `{near}`?");
    }
    let below: Vec<String> = here
        .fields
        .iter()
        .flat_map(|field| places_below(table, field.name, &field.ty, name, 2))
        .map(|place| place.iter().fold(FieldPath(path.to_vec()), |p, key| p.key(*key)).to_string())
        .collect();
    if let [first, rest @ ..] = below.as_slice() {
        let others: String = rest.iter().take(2).map(|p| format!(" or `{p}`")).collect();
        return format!("did you mean `{first}`{others}?");
    }
    for holder in holders.iter().rev().skip(1) {
        if table.get_struct(holder.at).field(name).is_some() {
            let above = FieldPath(path.iter().take(holder.depth).cloned().collect()).key(name);
            return format!("did you mean `{above}`? Check the indentation");
        }
    }
    let count = match value.shape() {
        Shape::Map(_) | Shape::List(_) => "remove it with everything below it",
        Shape::Scalar { .. } => "remove it",
    };
    if here.fields.len() <= 24 {
        let all: Vec<&str> = names().collect();
        return format!("{count}; the fields here are {}", all.join(", "));
    }
    count.to_owned()
}

/// Paths below a field that lead to a field of a name, through at most `floors` mappings of our own types.
fn places_below<'t>(table: &'t Table, key: &'t str, ty: &Type, name: &str, floors: usize) -> Vec<Vec<&'t str>> {
    let Type::Struct(at) = ty else { return Vec::new() };
    let below = table.get_struct(*at);
    if floors == 0 || below.name.starts_with("k8s.") {
        return Vec::new();
    }
    if let Some(found) = below.field(name) {
        return vec![vec![key, found.name]];
    }
    let deeper = below.fields.iter().flat_map(|f| places_below(table, f.name, &f.ty, name, floors - 1));
    deeper.map(|place| [vec![key], place].concat()).collect()
}
