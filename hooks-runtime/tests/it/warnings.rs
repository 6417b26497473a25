//! What is probably not intended in a hook that has no mistake.

use async_trait::async_trait;
use hooks_runtime::{Evaluated, Evaluation, Evaluator, EvaluatorError, Runtime, Secrets};

/// What asks nobody.
struct Nobody;

#[async_trait]
impl Evaluator for Nobody {
    async fn evaluate(&self, _: &Evaluation) -> Result<Evaluated, EvaluatorError> {
        Err(EvaluatorError::NotReached("nobody".into()))
    }

    fn is_ready(&self) -> bool {
        false
    }
}

/// One secret, for all names.
struct Known;

impl Secrets for Known {
    fn secret(&self, _: &str) -> Option<String> {
        Some("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".into())
    }
}

/// The warnings of a hook. A grave one begins with `!`.
async fn warned(keys: &str) -> Vec<String> {
    let text = format!("[[hooks.on]]\nname = 'a'\nevent = 'BeforeToolCall'\n{keys}");
    let builder = Runtime::builder().text(text).evaluator(Nobody);
    let built = builder.shared(true).build().await;
    let warnings = built
        .unwrap_or_else(|error| panic!("{keys}: {error}"))
        .warnings();
    let told = warnings.iter().map(|one| {
        let grave = if one.is_grave { "!" } else { "" };
        format!("{grave}{}", one.text)
    });
    told.collect()
}

#[tokio::test]
async fn a_hook_that_catches_everything_is_grave() {
    for keys in [
        "block = 'no'",
        "block = 'no'\ntools = ['*']",
        "block = 'no'\nmatcher = '.*'",
    ] {
        assert_eq!(warned(keys).await, ["!the hook blocks every tool call"]);
    }
    assert_eq!(
        warned("approve = 'fine'").await,
        ["!the hook approves every tool call"]
    );
    let shadow = warned("block = 'no'\nmode = 'shadow'").await;
    assert_eq!(shadow, ["the hook blocks every tool call"]);
    for keys in [
        "ask = 'sure?'",
        "block = 'no'\ntools = ['Bash']",
        "block = 'no'\nmatcher = '^mcp'",
        "block = 'no'\nif = 'Bash(git *)'",
        "block = 'no'\nscope = { agents = ['writer'] }",
    ] {
        assert!(warned(keys).await.is_empty(), "{keys}");
    }
}

#[tokio::test]
async fn a_hook_that_never_does_what_it_says_is_told() {
    let told = warned("block = 'no'\ntools = ['Write']\nif = 'Bash(git *)'").await;
    let never = "the hook never runs: `Bash(git *)` is about another tool than `Write`";
    assert_eq!(told, [never]);
    let told = warned("tools = ['Bash']\nprompt = 'Block what is bad.'").await;
    assert!(
        told.len() == 1 && told[0].starts_with("the hook always fails"),
        "{told:?}"
    );
    for (keys, argument) in [
        ("if = \"args.nope.contains('x')\"", "`nope`"),
        ("tools = ['Bash']\nif = \"args.nope == 'x'\"", "`nope`"),
        (
            "tools = ['Bash', 'Write']\nif = \"args.command == 'x'\"",
            "`command`",
        ),
    ] {
        let told = warned(&format!("block = 'no'\n{keys}")).await;
        assert!(told.len() == 1 && told[0].contains(argument), "{told:?}");
    }
    for keys in [
        "if = \"has(args.nope) && args.nope == 'x'\"",
        "if = \"name == 'Bash' && args.command == 'x'\"",
        "tools = ['shell', 'Bash']\nif = \"args.command == 'x'\"",
        "tools = ['of-my-own']\nif = \"args.nope == 'x'\"",
        "tools = ['mcp__*']\nif = \"args.nope == 'x'\"",
    ] {
        let keys = format!("block = 'no'\n{keys}");
        assert!(warned(&keys).await.is_empty(), "{keys}");
    }
}

#[tokio::test]
async fn a_credential_in_a_hook_is_told() {
    let token = "ghp_0123456789abcdefABCDEF0123456789abcd";
    let url = "url = 'https://example.com/'";
    for (keys, place) in [
        (
            format!("http = {{ url = 'https://example.com/?token={token}' }}"),
            "http",
        ),
        (
            format!("http = {{ {url}, headers = {{ Authorization = 'Bearer {token}' }} }}"),
            "http",
        ),
        (
            format!("http = {{ {url}, headers = {{ X-Api-Key = 'x8kq02mzu7rr41' }} }}"),
            "http",
        ),
        (format!("command = 'gate --token {token}'"), "command"),
        (
            format!("process = {{ argv = ['gate', '{token}'] }}"),
            "process",
        ),
    ] {
        let told = warned(&keys).await;
        let begin = format!("the hook shows a credential in `{place}`");
        assert!(
            told.len() == 1 && told[0].starts_with(&begin),
            "{keys}: {told:?}"
        );
        assert!(
            !told[0].contains(token) && told[0].contains("secret:NAME"),
            "{told:?}"
        );
    }
    let keys = format!("http = {{ {url}, headers = {{ X-Team = 'ops' }} }}");
    assert!(warned(&keys).await.is_empty());
    // Who writes a file for themselves is not warned.
    let file = "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'";
    let own = Runtime::builder().text(file).build().await.unwrap();
    assert!(own.warnings().is_empty());
}

#[tokio::test]
async fn the_name_of_a_secret_is_no_credential() {
    let text = "[[hooks.on]]\nname = 'a'\nevent = 'BeforeToolCall'\nhttp = { url = 'https://example.com/', \
                secret = 'secret:gate8kq02mzu7', headers = { Authorization = 'Bearer ${secret:gate8kq02mzu7}' } }";
    let built = Runtime::builder().text(text).secrets(Known).shared(true);
    assert_eq!(built.build().await.unwrap().warnings(), []);
}
