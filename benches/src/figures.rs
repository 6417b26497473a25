//! The figures that pages show: `docs/performance.toml` has each one once, and the pages are written from it.
//!
//! A page has its tables between two comments, `<!-- figures: NAME -->` and `<!-- figures end -->`.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

/// A figure, as the file has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// What the report calls it.
    pub name: String,
    /// What it must not exceed.
    pub at_most: Option<f64>,
    /// What it must reach.
    pub at_least: Option<f64>,
    /// What was measured last.
    pub here: Option<f64>,
    /// Its words on the first page, if it is there.
    pub readme: Option<String>,
    /// What a miss means to a user.
    pub means: Option<String>,
    /// The command that measures it, if the report does not.
    pub by_hand: Option<String>,
}

/// All figures, and where they are.
#[derive(Clone, Debug)]
pub struct Figures {
    head: String,
    /// In the order of the file.
    pub all: Vec<Figure>,
}

#[derive(Deserialize)]
struct File {
    figures: Vec<Figure>,
}

impl Figure {
    fn bar(&self) -> Option<String> {
        let most = self.at_most.map(|most| format!("≤ {most}"));
        most.or_else(|| self.at_least.map(|least| format!("≥ {least}")))
    }

    /// The measured value, with as many digits as are of use.
    #[must_use]
    pub fn shown(&self) -> String {
        self.here.map(rounded).unwrap_or_default()
    }

    /// Whether the bar is met: what is shown is compared.
    #[must_use]
    pub fn is_met(&self) -> bool {
        let Ok(here) = self.shown().parse::<f64>() else {
            return true;
        };
        self.at_most.is_none_or(|most| here <= most)
            && self.at_least.is_none_or(|least| here >= least)
    }

    /// The row of the file.
    fn row(&self) -> String {
        let number = |key: &str, value: Option<f64>| Some(format!("{key} = {}", value?));
        let text =
            |key: &str, value: &Option<String>| Some(format!("{key} = {:?}", value.as_ref()?));
        let here = self.here.map(|here| rounded(here).parse().unwrap_or(here));
        let keys = [
            Some(format!("name = {:?}", self.name)),
            number("at_most", self.at_most),
            number("at_least", self.at_least),
            number("here", here),
            text("readme", &self.readme),
            text("means", &self.means),
            text("by_hand", &self.by_hand),
        ];
        let keys: Vec<_> = keys.into_iter().flatten().collect();
        format!("    {{ {} }},\n", keys.join(", "))
    }
}

/// With as many digits as are of use.
#[must_use]
pub fn rounded(value: f64) -> String {
    match value {
        100.0.. => format!("{value:.0}"),
        20.0.. if value.fract() == 0.0 => format!("{value}"),
        20.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(name)
}

/// The pages, in the folder of the project.
const PAGES: [&str; 2] = ["README.md", "docs/performance.md"];

impl Figures {
    /// Reads the file.
    ///
    /// # Panics
    ///
    /// If the file is missing or has a mistake.
    #[must_use]
    pub fn read() -> Self {
        let text = fs::read_to_string(path("docs/performance.toml")).expect("the file of figures");
        let file: File = toml::from_str(&text).expect("a file of figures");
        let (head, _) = text.split_once("figures = [").expect("a list");
        Figures {
            head: head.to_owned(),
            all: file.figures,
        }
    }

    /// What was measured for a figure.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        let mut all = self.all.iter();
        all.find(|figure| figure.name == name)?.here
    }

    /// The files that are written from the figures, by their paths in the project, as they should be.
    ///
    /// # Panics
    ///
    /// If a page has no place for its tables.
    #[must_use]
    pub fn files(&self) -> Vec<(PathBuf, String)> {
        let rows: String = self.all.iter().map(Figure::row).collect();
        let toml = format!("{}figures = [\n{rows}]\n", self.head);
        let mut files = vec![
            (path("docs/performance.toml"), toml),
            (path("docs/benchmarks.svg"), crate::chart::draw(self)),
        ];
        for page in PAGES {
            let text = fs::read_to_string(path(page)).expect("a page");
            files.push((path(page), self.filled(&text)));
        }
        files
    }

    /// A page with its tables.
    fn filled(&self, page: &str) -> String {
        let (begin, end) = ("<!-- figures: ", "<!-- figures end -->");
        let mut parts = page.split(begin);
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once(" -->").expect("the end of a comment");
            let (_, rest) = rest.split_once(end).expect("the end of a table");
            let table = self.table(name);
            let _ = write!(filled, "{begin}{name} -->\n\n{table}\n{end}{rest}");
        }
        filled
    }

    fn table(&self, name: &str) -> String {
        match name {
            "dispatch" => self.dispatch(),
            "bars" => self.bars(|figure| figure.by_hand.is_none().then_some(&figure.name)),
            "by hand" => self.bars(|figure| figure.by_hand.is_some().then_some(&figure.name)),
            "first page" => self.bars(|figure| figure.readme.as_ref()),
            _ => panic!("there is no table `{name}`"),
        }
    }

    /// The figures with a bar that have such words.
    fn bars(&self, words: impl Fn(&Figure) -> Option<&String>) -> String {
        let mut table = "| figure | bar | here | |\n| --- | --- | --- | --- |\n".to_owned();
        for figure in &self.all {
            let (Some(words), Some(bar)) = (words(figure), figure.bar()) else {
                continue;
            };
            let verdict = match (figure.here, figure.is_met(), &figure.means) {
                (None, ..) => "not measured".to_owned(),
                (_, true, _) => "ok".to_owned(),
                (_, false, None) => "**missed**".to_owned(),
                (_, false, Some(means)) => format!("**missed**: {means}"),
            };
            let _ = writeln!(
                table,
                "| {words} | {bar} | {} | {verdict} |",
                figure.shown()
            );
        }
        table
    }

    fn dispatch(&self) -> String {
        let mut table = "| | by hand | static | dyn: a registry | boxed, cloned, caught |\n\
                         | --- | --- | --- | --- | --- |\n"
            .to_owned();
        for (case, words) in [
            ("sync_8", "eight synchronous hooks (`sync_8`)"),
            (
                "async_pending_8",
                "eight that each wait once (`async_pending_8`)",
            ),
            ("observe_8", "eight observers (`observe_8`)"),
            ("one_of_eight_handles", "one of eight handles the event"),
        ] {
            let times = ["hand", "static", "dyn", "boxed"].map(|way| {
                let time = self.get(&format!("{case} {way} ns"));
                time.map(rounded).unwrap_or_default()
            });
            let _ = writeln!(table, "| {words} | {} |", times.join(" | "));
        }
        table
    }
}
