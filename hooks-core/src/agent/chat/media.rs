//! Pictures and other files.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::wire::{is, object, take_text};

/// What a [`Media`] is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaKind {
    /// A picture.
    Image,
    /// Speech or other sound.
    Audio,
    /// A film.
    Video,
    /// Any other file. The default.
    #[default]
    File,
}

/// A picture or another file: where it is, or what it holds.
///
/// ```
/// use hooks_core::agent::{Media, MediaKind};
///
/// let picture = Media::from_base64(MediaKind::Image, "image/png", "iVBORw0KGgo=").with_name("a.png");
/// let linked = Media::from_url(MediaKind::File, "https://example.org/a.pdf");
/// assert_eq!((picture.url, linked.data), (None, None));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Media {
    /// What it is.
    pub kind: MediaKind,
    /// What it is precisely, such as `image/png`, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Where it is, if it is not here: a URL, or what the agent's storage names it by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What it holds, in base64, if it is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// The name of the file, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What else stands in its JSON; for one that was read from a message, `type` and the provider's shape.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Media {
    /// One that is elsewhere.
    #[must_use]
    pub fn from_url(kind: MediaKind, url: impl Into<String>) -> Self {
        Media {
            kind,
            url: Some(url.into()),
            ..Media::default()
        }
    }

    /// One that is here, in base64.
    #[must_use]
    pub fn from_base64(
        kind: MediaKind,
        mime_type: impl Into<String>,
        data: impl Into<String>,
    ) -> Self {
        Media {
            kind,
            mime_type: Some(mime_type.into()),
            data: Some(data.into()),
            ..Media::default()
        }
    }

    /// Sets the name of the file.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Reads a block of a message; gives it back if it is none that is known.
    pub(super) fn read(mut block: Map<String, Value>) -> Result<Self, Map<String, Value>> {
        let mut media = Media::default();
        let kind = block.get("type").and_then(Value::as_str);
        match kind.unwrap_or_default() {
            "image_url" => {
                media.kind = MediaKind::Image;
                let Some(image) = object(&mut block, "image_url").filter(|image| is(image, "url"))
                else {
                    return Err(block);
                };
                media.set_address(take_text(image, "url"));
            }
            "input_audio" => {
                media.kind = MediaKind::Audio;
                let Some(audio) =
                    object(&mut block, "input_audio").filter(|audio| is(audio, "data"))
                else {
                    return Err(block);
                };
                media.data = take_text(audio, "data");
                media.mime_type =
                    take_text(audio, "format").map(|format| format!("audio/{format}"));
            }
            "file" => {
                let Some(file) = object(&mut block, "file") else {
                    return Err(block);
                };
                media.name = take_text(file, "filename");
                media.set_address(take_text(file, "file_data"));
                // What is no URL is bare base64.
                media.data = media.data.or(media.url.take());
            }
            kind @ ("image" | "document" | "audio" | "video") => {
                media.kind = match kind {
                    "image" => MediaKind::Image,
                    "audio" => MediaKind::Audio,
                    "video" => MediaKind::Video,
                    _ => MediaKind::File,
                };
                media.name = take_text(&mut block, "title");
                if let Some(source) = object(&mut block, "source") {
                    match source.get("type").and_then(Value::as_str) {
                        Some("base64") if is(source, "data") => {
                            media.data = take_text(source, "data");
                            media.mime_type = take_text(source, "media_type");
                        }
                        Some("url") => media.url = take_text(source, "url"),
                        _ => {}
                    }
                } else {
                    media.data = take_text(&mut block, "data");
                    media.mime_type = take_text(&mut block, "mimeType");
                }
            }
            "media" => return Media::read_own(block),
            _ => return Err(block),
        }
        media.extra = block;
        Ok(media)
    }

    /// Reads a block that was written for a `Media` that was made here.
    fn read_own(block: Map<String, Value>) -> Result<Self, Map<String, Value>> {
        let mut own = block.clone();
        own.remove("type");
        match serde_json::from_value::<Media>(Value::Object(own)) {
            // Another's block may look alike.
            Ok(media) if media.write() == Value::Object(block.clone()) => Ok(media),
            _ => Err(block),
        }
    }

    /// The block of a message that it is: in the shape that it was read in.
    pub(super) fn write(&self) -> Value {
        let mut block = self.extra.clone();
        let kind = block.get("type").and_then(Value::as_str);
        match kind.unwrap_or_default() {
            "image_url" => {
                let image = object(&mut block, "image_url");
                put(image, "url", self.address());
            }
            "input_audio" => {
                let mut audio = object(&mut block, "input_audio");
                put(audio.as_deref_mut(), "data", self.data.clone());
                let format = |mime: &str| mime.strip_prefix("audio/").unwrap_or(mime).to_owned();
                put(audio, "format", self.mime_type.as_deref().map(format));
            }
            "file" => {
                let mut file = object(&mut block, "file");
                put(file.as_deref_mut(), "filename", self.name.clone());
                put(file, "file_data", self.address());
            }
            "image" | "document" | "audio" | "video" => {
                put(Some(&mut block), "title", self.name.clone());
                if let Some(source) = object(&mut block, "source") {
                    if let Some(data) = &self.data {
                        source.insert("type".into(), "base64".into());
                        source.insert("data".into(), data.as_str().into());
                        put(Some(source), "media_type", self.mime_type.clone());
                    } else if let Some(url) = &self.url {
                        source.insert("type".into(), "url".into());
                        source.insert("url".into(), url.as_str().into());
                    }
                } else {
                    put(Some(&mut block), "data", self.data.clone());
                    put(Some(&mut block), "mimeType", self.mime_type.clone());
                }
            }
            _ => {
                // It serializes to an object, always.
                if let Ok(Value::Object(own)) = serde_json::to_value(self) {
                    block = own;
                }
                block.insert("type".into(), "media".into());
            }
        }
        Value::Object(block)
    }

    /// Sets where it is, or, of a `data:` URL, what it holds.
    fn set_address(&mut self, address: Option<String>) {
        let parts = address
            .as_deref()
            .and_then(|address| address.strip_prefix("data:"))
            .and_then(|rest| rest.split_once(";base64,"))
            .filter(|(mime_type, _)| !mime_type.is_empty());
        match parts {
            Some((mime_type, data)) => {
                self.mime_type = Some(mime_type.to_owned());
                self.data = Some(data.to_owned());
            }
            None => self.url = address,
        }
    }

    /// Where it is, or a `data:` URL of what it holds.
    fn address(&self) -> Option<String> {
        match (&self.url, &self.data, &self.mime_type) {
            (Some(url), ..) => Some(url.clone()),
            (None, Some(data), Some(mime_type)) => Some(format!("data:{mime_type};base64,{data}")),
            (None, data, _) => data.clone(),
        }
    }
}

/// Sets a key of an object, if there is a value for it.
fn put(object: Option<&mut Map<String, Value>>, key: &str, text: Option<String>) {
    if let (Some(object), Some(text)) = (object, text) {
        object.insert(key.into(), Value::String(text));
    }
}
