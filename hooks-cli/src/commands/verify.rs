//! `hooks verify` walks the chain of records, and finds what was changed afterwards. The exit code is 1 if anything was.

use std::fs::File;
use std::io::BufReader;
use std::process::ExitCode;

use hooks_store::{Store, StoreError, Verified, verify_lines};
use serde_json::json;

use crate::paint::{self, say};
use crate::{Done, Failure, file};

pub(crate) fn run(what: &str, as_json: bool) -> Done {
    let is_store = ["sqlite:", "postgres:", "postgresql:"]
        .iter()
        .any(|scheme| what.starts_with(scheme));
    let walked = if is_store {
        file::block_on(walk(what))?.map_err(Failure::found)?
    } else {
        let lines = File::open(what).map_err(|error| Failure::found(format!("{what}: {error}")))?;
        let verified = verify_lines(BufReader::new(lines)).map_err(Failure::found)?;
        vec![(what.to_owned(), verified)]
    };
    for (named, verified) in &walked {
        let broken = verified.broken.as_ref();
        if as_json {
            let broken = broken.map(|broken| json!({ "seq": broken.seq, "what": broken.what }));
            let rows = verified.rows;
            paint::json(&json!({ "chain": named, "rows": rows, "broken": broken }));
        } else if let Some(broken) = broken {
            let what = paint::lines(&broken.what);
            say!(
                "{named}: row {} is not as it was written: {what}",
                broken.seq
            );
        } else {
            say!("{named}: {} rows are as they were written", verified.rows);
        }
    }
    let is_whole = walked.iter().all(|(_, verified)| verified.broken.is_none());
    Ok(ExitCode::from(u8::from(!is_whole)))
}

/// Walks both chains of each tenant: what hooks did, and what people changed.
async fn walk(url: &str) -> Result<Vec<(String, Verified)>, StoreError> {
    let store = Store::open(url).await?;
    let mut walked = Vec::new();
    for id in store.tenants().await? {
        let tenant = store.tenant(&id);
        let named = if id.is_empty() { "global" } else { &id };
        walked.push((format!("executions of {named}"), tenant.verify().await?));
        walked.push((
            format!("changes of {named}"),
            tenant.verify_admin_log().await?,
        ));
    }
    store.close().await;
    Ok(walked)
}
