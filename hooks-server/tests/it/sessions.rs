//! Sessions of the console: how they begin and end, and what others cannot do with them.

use crate::common::{claude, stored};
use crate::console::form;

#[tokio::test]
async fn a_login_goes_on_to_pages_of_ours_only() {
    let stored = stored().await;
    let token = stored.client("acme", "viewer").await.token;
    for next in ["/\r\nset-cookie: a=b", "/\0", "/é", "//a.example"] {
        let entered = form(&stored, "", "/login", &[("token", &token), ("next", next)]).await;
        let to = (entered.status, entered.header("location"));
        assert_eq!(to, (303, Some("/")), "{next:?}");
    }
}

#[tokio::test]
async fn a_link_of_others_makes_nothing_happen() {
    let stored = stored().await;
    let operator = stored.visit("acme", "operator").await;
    for (site, is_said) in [
        ("same-origin", true),
        ("none", false),
        ("cross-site", false),
    ] {
        let page = operator.get_from(site, "/publish?done=published").await;
        assert_eq!(page.body.contains("Published: "), is_said, "{site}");
    }
    let simulated = operator.get_from("cross-site", "/simulator").await;
    assert!(!simulated.body.contains("id=\"decision\""), "{simulated:?}");

    let agent = stored.client("acme", "operator").await;
    agent.door("/hooks/claude", &claude("Bash", "ls")).await;
    let acme = stored.store.tenant("acme");
    stored
        .eventually(async || acme.execution(1).await.unwrap())
        .await;
    let log = async || acme.admin_log(None, 100).await.unwrap().items.len();
    let before = log().await;
    let page = operator.get_from("cross-site", "/executions/1").await;
    assert!(page.body.contains("Show it"), "{page:?}");
    assert_eq!(log().await, before);
    let page = operator.get_from("same-origin", "/executions/1").await;
    assert!(!page.body.contains("Show it"), "{page:?}");
    assert_eq!(log().await, before + 1);
}
