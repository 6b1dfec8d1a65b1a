//! Small C programs with everything that is known of their pointers, as `hardbop_alias::show` prints it.
//!
//! Adding a test is adding a file: `golden/NAME.c`; `UPDATE_EXPECT=1` writes `NAME.txt`.

mod common;

use expect_test::expect_file;
use hardbop_alias::{Alias, Regions, show};
use hardbop_base::{Budget, DataModel};

#[test]
fn golden() {
    for file in common::c_files(&common::folder("golden")) {
        let text = std::fs::read_to_string(&file).expect("a readable test");
        let model = if text.contains("// ILP32") { DataModel::Ilp32 } else { DataModel::Lp64 };
        let effect =
            if text.contains("// pure") { hardbop_ir::Effect::Pure } else { hardbop_ir::Effect::Havoc };
        let program = common::lower_text(text.as_bytes(), model, effect).expect("a program");
        let alias = Alias::of(&program, &Budget::unlimited()).expect("time enough");
        let regions = Regions::of(&program, &alias, &[], &Budget::unlimited()).expect("time enough");
        expect_file![file.with_extension("txt")].assert_eq(&show(&program, &alias, &regions));
    }
}
