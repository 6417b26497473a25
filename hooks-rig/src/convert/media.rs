//! Converts images and other files.

use hooks_core::agent::{Media, MediaKind};
use rig_agent::core::message::{
    Audio, AudioMediaType, Document, DocumentMediaType, DocumentSourceKind, Image, ImageDetail,
    ImageMediaType, MimeType, UserContent, Video, VideoMediaType,
};
use serde_json::Value;

/// Keys for data that [`Media`] has no field for.
const DETAIL: &str = "detail";
const FILE_ID: &str = "file_id";
const PARAMS: &str = "additional_params";

/// The file by address or with its data; `None` if only rig can read it.
fn media(kind: MediaKind, data: &DocumentSourceKind, mime_type: Option<&str>) -> Option<Media> {
    let mut media = match data {
        DocumentSourceKind::Url(url) => Media::from_url(kind, url.as_str()),
        DocumentSourceKind::Base64(data) => Media {
            kind,
            data: Some(data.clone()),
            ..Media::default()
        },
        DocumentSourceKind::FileId(id) => {
            let mut media = Media::from_url(kind, id.as_str());
            media.extra.insert(FILE_ID.into(), true.into());
            media
        }
        _ => return None,
    };
    media.mime_type = mime_type.map(ToOwned::to_owned);
    Some(media)
}

fn source(media: &Media) -> Result<DocumentSourceKind, String> {
    Ok(match (&media.url, &media.data) {
        (Some(id), _) if media.extra.contains_key(FILE_ID) => DocumentSourceKind::file_id(id),
        (Some(url), _) => DocumentSourceKind::url(url),
        (None, Some(data)) => DocumentSourceKind::base64(data),
        (None, None) => return Err("a hook added a file that has neither data nor a URL".into()),
    })
}

/// An image.
pub(super) fn image(image: &Image) -> Option<Media> {
    let mime_type = image.media_type.as_ref().map(MimeType::to_mime_type);
    let mut media = media(MediaKind::Image, &image.data, mime_type)?;
    if let Some(Ok(detail)) = image.detail.as_ref().map(serde_json::to_value) {
        media.extra.insert(DETAIL.into(), detail);
    }
    Some(media)
}

/// The media in a user's message.
pub(super) fn file(block: &UserContent) -> Option<Media> {
    let (media, params) = match block {
        UserContent::Image(block) => (image(block), None),
        UserContent::Audio(audio) => {
            let mime_type = audio.media_type.as_ref().map(MimeType::to_mime_type);
            (media(MediaKind::Audio, &audio.data, mime_type), None)
        }
        UserContent::Video(video) => {
            let mime_type = video.media_type.as_ref().map(MimeType::to_mime_type);
            let media = media(MediaKind::Video, &video.data, mime_type);
            (media, video.additional_params.as_ref())
        }
        UserContent::Document(document) => {
            let mime_type = document.media_type.as_ref().map(MimeType::to_mime_type);
            let media = media(MediaKind::File, &document.data, mime_type);
            (media, document.additional_params.as_ref())
        }
        UserContent::Text(_) | UserContent::ToolResult(_) => (None, None),
    };
    let mut media = media?;
    if let Some(params) = params {
        media.extra.insert(PARAMS.into(), params.clone());
    }
    Some(media)
}

/// The image for rig.
pub(super) fn to_image(media: &Media) -> Result<Image, String> {
    Ok(Image {
        data: source(media)?,
        media_type: mime(media, ImageMediaType::from_mime_type),
        detail: media
            .extra
            .get(DETAIL)
            .and_then(|detail| serde_json::from_value::<ImageDetail>(detail.clone()).ok()),
        native: None,
    })
}

pub(super) fn to_file(media: &Media) -> Result<UserContent, String> {
    let params: Option<Value> = media.extra.get(PARAMS).cloned();
    Ok(match media.kind {
        MediaKind::Image => UserContent::Image(to_image(media)?),
        MediaKind::Audio => UserContent::Audio(Audio {
            data: source(media)?,
            media_type: mime(media, AudioMediaType::from_mime_type),
        }),
        MediaKind::Video => UserContent::Video(Video {
            data: source(media)?,
            media_type: mime(media, VideoMediaType::from_mime_type),
            additional_params: params,
        }),
        MediaKind::File => UserContent::Document(Document {
            data: source(media)?,
            media_type: mime(media, DocumentMediaType::from_mime_type),
            additional_params: params,
        }),
    })
}

fn mime<T>(media: &Media, read: fn(&str) -> Option<T>) -> Option<T> {
    read(media.mime_type.as_deref()?)
}
