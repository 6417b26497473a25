//! What a form sends, as a page that shows it again needs it.

use std::str::FromStr;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::form_urlencoded::Serializer;

use super::Console;
use super::failed::PageFailure;
use crate::api::body;
use crate::api::problem::Problem;
use crate::limits::BODY;

/// A form of at most so many bytes. It comes as the body of a request of the API does.
pub(super) struct FormBody<T, const MOST: usize = BODY>(pub(super) T);

impl<T: DeserializeOwned, const MOST: usize> FromRequest<Console> for FormBody<T, MOST> {
    type Rejection = PageFailure;

    async fn from_request(request: Request, console: &Console) -> Result<Self, PageFailure> {
        let (parts, body) = request.into_parts();
        let text = body::read(body, MOST).await?;
        let request = Request::from_parts(parts, Body::from(text));
        let form = axum::Form::from_request(request, console).await;
        let form = form.map_err(|error| Problem::bad(error.body_text()))?;
        Ok(FormBody(form.0))
    }
}

/// The fields of a form, in its order. A list has one field for each of its words.
#[derive(Default, Deserialize)]
#[serde(transparent)]
pub(super) struct FormFields(Vec<(String, String)>);

impl<const N: usize> From<[(&str, String); N]> for FormFields {
    fn from(fields: [(&str, String); N]) -> Self {
        FormFields(fields.map(|(name, text)| (name.to_owned(), text)).into())
    }
}

impl FormFields {
    /// The text of a field. Of a list, each word that was chosen is a line; an empty one is sent with them, so that a list of
    /// which nothing was chosen is not one that was not there.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let named = self.0.iter().filter(|(known, _)| known == name);
        let mut texts: Vec<_> = named.map(|(_, text)| text.replace("\r\n", "\n")).collect();
        if texts.len() > 1 {
            texts.retain(|text| !text.is_empty());
        }
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// The text of a field; empty if it was not sent.
    pub(super) fn text(&self, name: &str) -> String {
        self.get(name).unwrap_or_default()
    }

    /// What was written into a field, without the space around it; nothing if it is empty.
    pub(super) fn written(&self, name: &str) -> Option<String> {
        let text = self.text(name).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// A number, or another value that has a text.
    pub(super) fn parsed<T: FromStr>(&self, name: &str) -> Result<T, Problem> {
        let parsed = self.text(name).parse();
        parsed.map_err(|_| Problem::bad(format!("the field `{name}` is missing or wrong")))
    }

    /// The address of a page that is asked for the same, except for some fields.
    pub(super) fn address(&self, page: &str, other: &[(&str, Option<String>)]) -> String {
        let is_same = |name: &str| other.iter().all(|(other, _)| *other != name);
        let fields = self.0.iter();
        let same = fields.filter(|(name, text)| !text.is_empty() && is_same(name));
        let other = other
            .iter()
            .filter_map(|(name, text)| Some((name, text.as_ref()?)));
        let mut query = Serializer::for_suffix(format!("{page}?"), page.len() + 1);
        query.extend_pairs(same).extend_pairs(other).finish()
    }
}
