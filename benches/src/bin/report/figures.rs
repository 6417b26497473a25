//! The figures: a name and a number each, printed as they are found.

use benches::figures::rounded;

/// All figures found so far.
#[derive(Default)]
pub(crate) struct Found(Vec<(String, f64)>);

impl Found {
    /// Takes a measured figure.
    pub(crate) fn measure(&mut self, name: String, value: f64) {
        println!("{name} {}", rounded(value));
        self.0.push((name, value));
    }

    /// Takes a counted figure.
    #[expect(clippy::cast_precision_loss, reason = "no count here is that large")]
    pub(crate) fn count(&mut self, name: String, value: u64) {
        println!("{name} {value}");
        self.0.push((name, value as f64));
    }

    /// The figure of that name, if it was found.
    pub(crate) fn get(&self, name: &str) -> Option<f64> {
        let found = self.0.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| *value)
    }
}
