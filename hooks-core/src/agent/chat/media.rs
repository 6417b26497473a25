//! Images and other files.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::wire::{is, object, take_text};

/// The type of a [`Media`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaKind {
    /// An image.
    Image,
    /// Speech or other sound.
    Audio,
    /// A video.
    Video,
    /// Any other file. The default.
    #[default]
    File,
}

/// An image or another file, by address or with its data.
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
    /// Its type.
    pub kind: MediaKind,
    /// Its MIME type, such as `image/png`, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its address, if the data is not here: a URL, or a name in the agent's storage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its data in base64, if the data is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// The file name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The rest of its JSON. If it was read from a message: `type` and the provider's own structure.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Media {
    /// Media at an address.
    #[must_use]
    pub fn from_url(kind: MediaKind, url: impl Into<String>) -> Self {
        Media {
            kind,
            url: Some(url.into()),
            ..Media::default()
        }
    }

    /// Media with its data, in base64.
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

    /// Sets the file name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Parses a block of a message. Returns the block if it is of no known type.
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
                // Anything but a URL is bare base64.
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

    /// Parses a block that was written for a `Media` built here.
    fn read_own(block: Map<String, Value>) -> Result<Self, Map<String, Value>> {
        let mut own = block.clone();
        own.remove("type");
        match serde_json::from_value::<Media>(Value::Object(own)) {
            // A provider's block may look alike.
            Ok(media) if media.write() == Value::Object(block.clone()) => Ok(media),
            _ => Err(block),
        }
    }

    /// Writes it as a block of a message, in the structure in which it was read.
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
                // It always serializes to an object.
                if let Ok(Value::Object(own)) = serde_json::to_value(self) {
                    block = own;
                }
                block.insert("type".into(), "media".into());
            }
        }
        Value::Object(block)
    }

    /// Sets the address, or the data if it is a `data:` URL.
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

    /// The address, or a `data:` URL of the data.
    fn address(&self) -> Option<String> {
        match (&self.url, &self.data, &self.mime_type) {
            (Some(url), ..) => Some(url.clone()),
            (None, Some(data), Some(mime_type)) => Some(format!("data:{mime_type};base64,{data}")),
            (None, data, _) => data.clone(),
        }
    }
}

/// Sets a key of an object, if there is an object and a value.
fn put(object: Option<&mut Map<String, Value>>, key: &str, text: Option<String>) {
    if let (Some(object), Some(text)) = (object, text) {
        object.insert(key.into(), Value::String(text));
    }
}
