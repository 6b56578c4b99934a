//! Properties of paths and windows, by generated examples.

use std::os::unix::fs::symlink;

use proptest::prelude::*;
use satchel::host::files::{Charset, Parents, Window};

use super::{Bench, read};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_path_leads_to_a_canary(parts in prop::collection::vec(
        prop::sample::select(vec!["..", ".", "", "a", "link", "up", "data", "workspaces", "other", "diary", "vault.key",
                                  "outside", "proc", "self", "root", "//", "~", "\u{2025}", "%2e%2e"]), 1..9),
        absolute in any::<bool>()) {
        let bench = Bench::new();
        let files = bench.files(&["workspace"]);
        symlink("../../..", files.workspace().join("up")).unwrap();
        symlink(&bench.base, files.workspace().join("link")).unwrap();
        let start = if absolute { format!("{}/", files.workspace().display()) } else { String::new() };
        let path = format!("{start}{}", parts.join("/"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let found = runtime.block_on(read(&files, &path));
        prop_assert!(found.is_err(), "{path} gave {found:?}");
        if let Ok(place) = files.locate(&path) {
            prop_assert!(place.starts_with(files.workspace()), "{path} is {place:?}");
        }
    }

    #[test]
    fn windows_put_together_are_the_file(text in "\\PC{0,60}", limit in 4u64..20) {
        let bench = Bench::new();
        let files = bench.files(&["workspace"]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let whole = runtime.block_on(async {
            files.write("text", text.clone().into_bytes(), Parents::Must).await.unwrap();
            let (mut whole, mut offset) = (String::new(), 0);
            loop {
                let window = Window { offset, limit: Some(limit) };
                let part = files.read_text("text", Charset::Utf8, window).await.unwrap();
                assert!(part.content.len() as u64 <= limit);
                whole.push_str(&part.content);
                match part.next_offset {
                    Some(next) => offset = next,
                    None => return whole,
                }
            }
        });
        prop_assert_eq!(whole, text);
    }
}
