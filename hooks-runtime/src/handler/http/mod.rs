//! The handler `http`: a POST to an endpoint for each event.
//!
//! Every request goes through the guard of [`hooks_builtin::ssrf`], so a file cannot make the agent call into its own
//! network. Header values that the file only names are filled in for each request, and never shown.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hooks_builtin::__webhook as webhook;
use hooks_builtin::ssrf::{CheckedUrl, Endpoint, Guard};
use hooks_builtin::{SecretError, WebhookSecret};
use jiff::Timestamp;
use reqwest::RequestBuilder;
use reqwest::header::{self, HeaderMap, HeaderName};

use super::{Handler, Making, PendingAnswer, SHARED_HELP, SHARED_LOOPBACK, SettingsMistake};
use crate::answer::HandlerAnswer;
use crate::entry::HttpEntry;
use crate::fault::HandlerFault;
use crate::record::RawAnswer;
use crate::request::{LONGEST, header_value, loopback, matches, read};
use crate::secrets::{Mask, Replaced, SecretText, Secrets};
use crate::system::Dialect;
use crate::system::{HandlerQuestion, QuestionEvent};

/// How long to wait before the next attempt.
const PAUSE: Duration = Duration::from_secs(1);

/// The default number of retries.
const RETRIES: u8 = 1;

/// Headers that frame a request. Setting them by hand could smuggle in a second request.
const FRAMING: [HeaderName; 5] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    header::UPGRADE,
];

/// What a handler is made of, whatever file it is from.
#[derive(Clone, Default)]
pub(crate) struct HttpSettings {
    pub(crate) url: String,
    pub(crate) headers: BTreeMap<String, String>,
    /// The secret that signs requests.
    pub(crate) secret: Option<String>,
    pub(crate) retries: Option<u8>,
    /// Hosts on loopback that may be called, with or without a port.
    pub(crate) allow_loopback: Vec<String>,
    /// Which names in header values are replaced.
    pub(crate) replaced: Replaced,
    /// Whether a value that is `secret:NAME` as a whole is a secret in any case: it is of a bundle, whose store has moved the
    /// value there.
    pub(crate) is_in_bundle: bool,
    /// The URLs that may be called, as patterns with `*`; all, if it is absent.
    pub(crate) urls: Option<Vec<String>>,
}

impl From<&HttpEntry> for HttpSettings {
    fn from(entry: &HttpEntry) -> Self {
        HttpSettings {
            url: entry.url.clone(),
            headers: entry.headers.clone(),
            secret: entry.secret.clone(),
            retries: entry.retries,
            allow_loopback: entry.allow_loopback.clone(),
            ..HttpSettings::default()
        }
    }
}

/// Checks the settings, and creates the handler.
pub(crate) fn make(
    entry: &HttpEntry,
    dialect: Dialect,
    making: &Making,
) -> Result<Arc<dyn Handler>, SettingsMistake> {
    if making.services.is_shared && !entry.allow_loopback.is_empty() {
        return Err(SettingsMistake::new(SHARED_LOOPBACK)
            .at("allow_loopback")
            .help(SHARED_HELP));
    }
    with(&HttpSettings::from(entry), dialect, making).map(|(handler, _)| handler)
}

/// Does the same for another system's file. Also returns notices.
pub(crate) fn with(
    settings: &HttpSettings,
    dialect: Dialect,
    making: &Making,
) -> Result<(Arc<dyn Handler>, Vec<String>), SettingsMistake> {
    let secrets = Arc::clone(&making.services.secrets);
    let is_shared = making.services.is_shared;
    let (mut wrong, mut notices) = (Vec::new(), Vec::new());
    let url = checked(settings, making).map_err(|one| wrong.push(one));
    let filled = |text: &SecretText| {
        let filled = text.fill(&*secrets, &mut Mask::default());
        filled.map_err(|missing| SettingsMistake::new(missing.to_string()).help(missing.help()))
    };
    let mut header = |name: &str, value: &str| -> Result<_, SettingsMistake> {
        let header: HeaderName = name.parse().map_err(|_| {
            SettingsMistake::new(format!("`{name}` is not a valid name of a header"))
        })?;
        if FRAMING.contains(&header) {
            return Err(SettingsMistake::new(format!("`{name}` cannot be set"))
                .help("the request sets it by itself: leave it out"));
        }
        let value = parse(value, settings, is_shared)?;
        notices.extend(value.empty().map(|variable| {
            format!("the header `{name}` names `{variable}`, which is not set: it is empty")
        }));
        header_value(&filled(&value)?).map_err(SettingsMistake::new)?;
        Ok((header, value))
    };
    let mut headers = Vec::new();
    for (name, value) in &settings.headers {
        match header(name, value) {
            Ok(header) => headers.push(header),
            Err(one) => wrong.push(one.at("headers").at(name)),
        }
    }
    let signed = |text: &str| -> Result<_, SettingsMistake> {
        let text = parse(text, settings, is_shared)?;
        let parsed = filled(&text)?.parse::<WebhookSecret>();
        parsed.map_err(|error| SettingsMistake::new(error.to_string()))?;
        Ok(text)
    };
    let secret = settings.secret.as_deref().map(signed).transpose();
    let secret = secret.map_err(|one| wrong.push(one.at("secret")));
    let (Ok((guard, url)), Ok(secret), true) = (url, secret, wrong.is_empty()) else {
        let mut first = wrong.remove(0);
        first.more = wrong;
        return Err(first);
    };
    let handler = Http(Arc::new(Poster {
        dialect,
        guard,
        url,
        endpoint: OnceLock::new(),
        headers,
        secret,
        secrets,
        retries: settings.retries.unwrap_or(RETRIES),
        ids: webhook::Ids::new(),
    }));
    Ok((Arc::new(handler), notices))
}

/// Checks the URL. Also returns the guard that its requests go through.
fn checked(
    settings: &HttpSettings,
    making: &Making,
) -> Result<(Guard, CheckedUrl), SettingsMistake> {
    let (allowed, help) = if making.services.is_shared {
        (&[][..], "write an `https://` URL of a public host")
    } else {
        let help = "write an `https://` URL of a public host, or name a host of this machine in `allow_loopback`";
        (&*settings.allow_loopback, help)
    };
    let loopback = loopback(&settings.url, allowed)
        .map_err(|error| SettingsMistake::new(error).at("allow_loopback"))?;
    let guard = making.services.guard.clone().allow_loopback(loopback);
    let url = guard.check(&settings.url).map_err(|refused| {
        SettingsMistake::new(format!("the URL is refused: {refused}"))
            .at("url")
            .help(help)
    })?;
    if let Some(urls) = &settings.urls
        && !urls.iter().any(|pattern| matches(pattern, &url))
    {
        return Err(SettingsMistake::new("the URL is not one of the allowed URLs").at("url"));
    }
    Ok((guard, url))
}

/// Reads a text with values that the file only names. What people write who may not act as this process cannot name its
/// environment.
fn parse(
    text: &str,
    settings: &HttpSettings,
    is_shared: bool,
) -> Result<SecretText, SettingsMistake> {
    let is_moved = settings.is_in_bundle && text.starts_with("secret:");
    let replaced = if is_moved {
        &Replaced::Whole
    } else {
        &settings.replaced
    };
    let text = SecretText::parse(text, replaced);
    match text.variable().filter(|_| is_shared) {
        None => Ok(text),
        Some(name) => Err(SettingsMistake::new(format!(
            "the environment variable `{name}` is not for this hook"
        ))
        .help("write `secret:NAME`, for a secret that is kept with these hooks")),
    }
}

struct Http(Arc<Poster>);

struct Poster {
    dialect: Dialect,
    guard: Guard,
    url: CheckedUrl,
    /// One client, which keeps its connections. Creating it reads the system's certificates, which is slow.
    endpoint: OnceLock<Endpoint>,
    headers: Vec<(HeaderName, SecretText)>,
    secret: Option<SecretText>,
    secrets: Arc<dyn Secrets>,
    retries: u8,
    ids: webhook::Ids,
}

impl Handler for Http {
    fn kind(&self) -> &'static str {
        "http"
    }

    /// Without the path, in which some services have their token.
    fn target(&self) -> String {
        format!("POST {:?}", self.0.url)
    }

    fn ask(&self, ask: &HandlerQuestion<'_>) -> PendingAnswer {
        let body = self.0.dialect.input(ask);
        let (on, poster) = (QuestionEvent::of(ask), Arc::clone(&self.0));
        Box::pin(async move {
            let body = body
                .map_err(|error| HandlerFault::failed(format!("the event is not JSON: {error}")))?;
            poster.post(&body, &on).await
        })
    }
}

impl Poster {
    async fn post(&self, body: &[u8], on: &QuestionEvent) -> Result<HandlerAnswer, HandlerFault> {
        let endpoint = self.endpoint()?;
        let mut mask = Mask::default();
        let headers = self.headers(&mut mask)?;
        let secret = match &self.secret {
            Some(text) => Some(self.secret(text, &mut mask)?),
            None => None,
        };
        let request = |id: &str| {
            let post = webhook::post(endpoint, secret.as_ref(), id, Timestamp::now(), body);
            post.headers(headers.clone())
        };
        self.attempts(endpoint, request, &mask, on).await
    }

    async fn attempts(
        &self,
        endpoint: &Endpoint,
        request: impl Fn(&str) -> RequestBuilder,
        mask: &Mask,
        on: &QuestionEvent,
    ) -> Result<HandlerAnswer, HandlerFault> {
        let id = self.ids.next_id();
        let mut left = self.retries;
        loop {
            let said = read(webhook::send(endpoint, request(&id)), mask).await;
            if let Ok((status, _)) = &said {
                RawAnswer::note(|| RawAnswer {
                    status: *status,
                    ..RawAnswer::default()
                });
            }
            let failure = match &said {
                Ok((status, _)) if *status >= 500 => format!("the status {status}"),
                Err(broken) if broken.may_get_better => broken.fault.message.clone(),
                _ => String::new(),
            };
            if failure.is_empty() || left == 0 {
                let (status, body) = said.map_err(|broken| broken.fault)?;
                if (300..400).contains(&status) {
                    return Err(HandlerFault::failed(format!(
                        "the endpoint answered with the status {status}, and redirects are not followed: write the \
                         URL that it leads to into the file"
                    )));
                }
                return self.dialect.of_http(on, status, &body);
            }
            left -= 1;
            tracing::debug!(hook = on.hook, failure, "an endpoint is tried again");
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn endpoint(&self) -> Result<&Endpoint, HandlerFault> {
        if let Some(endpoint) = self.endpoint.get() {
            return Ok(endpoint);
        }
        let made = self.guard.endpoint(self.url.as_str(), LONGEST);
        let made = made.map_err(|error| HandlerFault::not_started(error.to_string()))?;
        Ok(self.endpoint.get_or_init(|| made))
    }

    fn secret(&self, text: &SecretText, mask: &mut Mask) -> Result<WebhookSecret, HandlerFault> {
        let secret: Result<_, SecretError> = self.fill(text, mask)?.parse();
        secret.map_err(HandlerFault::not_started)
    }

    fn headers(&self, mask: &mut Mask) -> Result<HeaderMap, HandlerFault> {
        let mut headers = HeaderMap::with_capacity(self.headers.len());
        for (name, text) in &self.headers {
            let value = header_value(&self.fill(text, mask)?);
            let value = value.map_err(|error| {
                HandlerFault::not_started(format!("the header `{name}`: {error}"))
            })?;
            headers.insert(name, value);
        }
        Ok(headers)
    }

    fn fill(&self, text: &SecretText, mask: &mut Mask) -> Result<String, HandlerFault> {
        text.fill(&*self.secrets, mask)
            .map_err(|missing| HandlerFault::not_started(missing.to_string()))
    }
}
