//! The figures: a name and a number each, printed as they are found.

/// All figures found so far.
#[derive(Default)]
pub(crate) struct Figures {
    found: Vec<(String, f64)>,
}

impl Figures {
    /// Takes a measured figure.
    pub(crate) fn measure(&mut self, name: String, value: f64) {
        println!("{name} {}", rounded(value));
        self.found.push((name, value));
    }

    /// Takes a counted figure.
    #[expect(clippy::cast_precision_loss, reason = "no count here is that large")]
    pub(crate) fn count(&mut self, name: String, value: u64) {
        println!("{name} {value}");
        self.found.push((name, value as f64));
    }

    /// The figure of that name, if it was found.
    pub(crate) fn get(&self, name: &str) -> Option<f64> {
        let found = self.found.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| *value)
    }
}

/// With as many digits as are of use.
pub(crate) fn rounded(value: f64) -> String {
    match value {
        100.0.. => format!("{value:.0}"),
        20.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
