//! The stylesheet and the scripts, which are part of the program. Their names have their hash, so a browser keeps them.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use ring::digest::{SHA256, digest};

/// A file, under a name that changes with it.
pub(super) struct Asset {
    pub(super) name: String,
    kind: &'static str,
    text: String,
}

/// The stylesheet.
pub(super) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("../../assets/console.css");
    Asset::new("css", "text/css; charset=utf-8", text.to_owned())
});

/// The scripts, in one file: the libraries, and then our own, which is small.
pub(super) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let parts = [
        include_str!("../../assets/htmx.min.js"),
        include_str!("../../assets/hx-sse.min.js"),
        include_str!("../../assets/console.js"),
    ];
    Asset::new("js", "text/javascript; charset=utf-8", parts.join(";\n"))
});

impl Asset {
    fn new(ending: &str, kind: &'static str, text: String) -> Self {
        let hash = digest(&SHA256, text.as_bytes());
        let name = format!("{}.{ending}", hex::encode(&hash.as_ref()[..8]));
        Asset { name, kind, text }
    }
}

pub(super) async fn get(Path(name): Path<String>) -> Response {
    let mut assets = [&*STYLE, &*SCRIPT].into_iter();
    let Some(asset) = assets.find(|asset| asset.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [
        (CONTENT_TYPE, asset.kind),
        (CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    (headers, asset.text.as_str()).into_response()
}
