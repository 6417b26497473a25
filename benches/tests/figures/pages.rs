//! The pages show the figures of `docs/performance.toml`, and no others.

use benches::figures::Figures;

#[test]
fn pages() {
    for (path, text) in Figures::read().files() {
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, text).unwrap();
        } else {
            let there = std::fs::read_to_string(&path).unwrap();
            assert!(
                there == text,
                "{} is not as the figures have it: UPDATE_EXPECT=1 writes it",
                path.display()
            );
        }
    }
}

#[test]
fn a_miss_on_the_first_page_says_what_it_means() {
    for figure in Figures::read().all {
        let is_fine = figure.readme.is_none() || figure.is_met() || figure.means.is_some();
        assert!(is_fine, "{}", figure.name);
    }
}
