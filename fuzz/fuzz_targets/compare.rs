//! Two texts as output that was rendered earlier: reading and comparing never panics, nothing differs from itself, and
//! the changes from one value to another make the other.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nvcre_core::compare::{self, Content};
use nvcre_core::yaml::{Limits, read_documents};

fuzz_target!(|texts: (Vec<u8>, Vec<u8>)| {
    let sides = [("a.yaml", &texts.0), ("b.yaml", &texts.1)].map(|(file, text)| {
        let content = compare::read_side(file, &[(file, text.as_slice())]).value;
        (file, content)
    });
    let [(_, a), (_, b)] = &sides;
    compare::check_sides(("a.yaml", a), ("b.yaml", b));
    if let (Content::Rendered(a), Content::Rendered(b)) = (a, b) {
        compare::rendered_files(a, b);
        assert!(compare::rendered_files(a, a).value.is_empty());
    }
    let values = |text: &[u8]| {
        let read = read_documents(text, "text", &Limits::RUN).value;
        read.iter().filter_map(|s| s.root.as_ref()).map(|r| r.to_value()).next()
    };
    if let (Some(a), Some(b)) = (values(&texts.0), values(&texts.1)) {
        let changes = compare::values(&a, &b);
        assert_eq!(changes.is_empty(), a == b);
        let mut made = a;
        compare::apply(&mut made, &changes).expect("changes fit the value that they were made for");
        assert_eq!(made, b);
    }
});
