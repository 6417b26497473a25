//! Reads an answer, up to a maximum length.

use hooks_builtin::__webhook::chain;
use hooks_builtin::ssrf::Refused;
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;

use crate::fault::HandlerFault;
use crate::secrets::Mask;

/// The maximum length of an answer, in bytes.
const MOST: usize = 1024 * 1024;

/// A failed request.
#[derive(Debug)]
pub(crate) struct RequestFailure {
    pub(crate) fault: HandlerFault,
    /// Whether another attempt may succeed.
    pub(crate) may_get_better: bool,
}

impl RequestFailure {
    fn for_good(fault: HandlerFault) -> Self {
        RequestFailure {
            fault,
            may_get_better: false,
        }
    }

    fn of(error: reqwest::Error) -> Self {
        // A URL may contain a token.
        let error = error.without_url();
        match Refused::behind(&error) {
            Some(refused) => RequestFailure::for_good(HandlerFault::not_started(format!(
                "the URL is refused: {refused}"
            ))),
            None => RequestFailure {
                may_get_better: !error.is_builder() && !error.is_timeout(),
                fault: HandlerFault::not_started(format!(
                    "the endpoint cannot be reached: {}",
                    chain(&error)
                )),
            },
        }
    }
}

/// Reads the answer to a request that is sent: its status, and its body if the request succeeded. Neither the body nor a
/// failure repeats what the request hides.
pub(crate) async fn read(
    sent: impl Future<Output = Result<Response, reqwest::Error>>,
    mask: &Mask,
) -> Result<(u16, Vec<u8>), RequestFailure> {
    match plain(sent).await {
        Ok((status, body)) => Ok((status, mask.body(body))),
        Err(mut broken) => {
            mask.text(&mut broken.fault.message);
            Err(broken)
        }
    }
}

async fn plain(
    sent: impl Future<Output = Result<Response, reqwest::Error>>,
) -> Result<(u16, Vec<u8>), RequestFailure> {
    let mut response = sent.await.map_err(RequestFailure::of)?;
    let status = response.status();
    if !status.is_success() {
        return Ok((status.as_u16(), Vec::new()));
    }
    if let Some(encoding) = response.headers().get(CONTENT_ENCODING)
        && encoding != "identity"
    {
        return Err(RequestFailure::for_good(HandlerFault::nonsense(format!(
            "the endpoint's answer is compressed ({}), which was not requested",
            String::from_utf8_lossy(encoding.as_bytes())
        ))));
    }
    let body = body(&mut response).await?;
    Ok((status.as_u16(), body))
}

async fn body(response: &mut Response) -> Result<Vec<u8>, RequestFailure> {
    let too_long = || {
        RequestFailure::for_good(HandlerFault::nonsense(
            "the endpoint's answer is longer than 1 MiB",
        ))
    };
    let told = response.content_length().unwrap_or_default();
    let told = usize::try_from(told).unwrap_or(usize::MAX);
    if told > MOST {
        return Err(too_long());
    }
    let mut body = Vec::with_capacity(told);
    while let Some(piece) = response.chunk().await.map_err(RequestFailure::of)? {
        if body.len() + piece.len() > MOST {
            return Err(too_long());
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}
