//! The kinds of secrets, as a table: a line a kind, with its name and what it looks like.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes `SecretKind` of the table.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident $name:literal $form:literal)+) => {
        /// What [`Redact`](crate::Redact) looks for.
        ///
        /// It finds a token by its vendor's prefix, its alphabet and its length. A placeholder such as `ghp_xxxx` is none.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[non_exhaustive]
        pub enum SecretKind {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $kind,)+
        }

        impl SecretKind {
            /// All kinds. If a text matches two kinds, the first one in this list applies.
            pub const ALL: [SecretKind; [$($name),+].len()] = [$(SecretKind::$kind),+];

            /// The kind's name in configurations, and in the replacement of a secret.
            #[must_use]
            pub const fn name(self) -> &'static str {
                [$($name),+][self as usize]
            }

            const fn form(self) -> &'static str {
                [$($form),+][self as usize]
            }
        }
    };
}

// A form is a regular expression of ASCII, for the secret or for its beginning. `{edge}` stands for where a number may
// begin, and `{=}` for what is between a name and its value. A candidate may be rejected, and the search then continues
// just after its start, so no form is of unbounded length.
//
// Tokens come first, in alphabetical order: one line is all that such a kind needs. The kinds from `PrivateKey` on have
// code in `judge.rs`, and the names of values come after what is a secret by itself.
kinds! {
    /// API keys of Adyen: `AQE…`.
    Adyen "adyen" r"AQE[a-z]hm[a-z][A-Za-z0-9+/=_-]{20}"
    /// Personal access tokens of Airtable: `pat….…`.
    Airtable "airtable" r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}"
    /// Access key IDs of Alibaba Cloud: `LTAI…`.
    Alibaba "alibaba" r"LTAI[A-Za-z0-9]{17}"
    /// API tokens of Atlassian and Bitbucket: `ATATT3…`, `ATCTT3…`, `ATBB…`.
    Atlassian "atlassian" r"AT(?:AT|CT)T3[A-Za-z0-9_-]{60}|ATBB[A-Za-z0-9]{32}"
    /// API keys of Brevo: `xkeysib-…`, `xsmtpsib-…`.
    Brevo "brevo" r"x(?:key|smtp)sib-[0-9a-f]{64}"
    /// Origin CA keys of Cloudflare: `v1.0-…`.
    Cloudflare "cloudflare" r"v1\.0-[0-9a-f]{24}-[0-9a-f]{40}"
    /// Tokens of crates.io: `cio…`.
    CratesIo "crates_io" r"cio[A-Za-z0-9]{32}"
    /// Tokens of Databricks: `dapi…`.
    Databricks "databricks" r"dapi[0-9a-f]{32}"
    /// Tokens of DigitalOcean: `dop_v1_…`, `doo_v1_…`, `dor_v1_…`.
    DigitalOcean "digitalocean" r"do[opr]_v1_[0-9a-f]{64}"
    /// Bot tokens and webhooks of Discord.
    Discord "discord" r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}|discord(?:app)?\.com\\?/api\\?/webhooks\\?/[0-9]{17,20}\\?/[A-Za-z0-9_-]{60}"
    /// Access tokens of Docker Hub: `dckr_pat_…`, `dckr_oat_…`.
    DockerHub "docker_hub" r"dckr_[op]at_[A-Za-z0-9_-]{27}"
    /// Tokens of Doppler: `dp.pt.…`, `dp.st.…` and others.
    Doppler "doppler" r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40}"
    /// Tokens of Dynatrace: `dt0c01.…`.
    Dynatrace "dynatrace" r"dt0[a-z][0-9]{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}"
    /// API keys of ElevenLabs: `sk_…`.
    ElevenLabs "elevenlabs" r"sk_[0-9a-f]{48}"
    /// Access tokens of Figma: `figd_…`.
    Figma "figma" r"fig[dou][rh]?_[A-Za-z0-9_-]{40}"
    /// Access tokens of Fly: `fo1_…`, `fm1r_…`, `fm2_…`.
    Fly "fly" r"fo1_[A-Za-z0-9_-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{100}"
    /// GitHub tokens: `ghp_…`, `gho_…`, `ghu_…`, `ghs_…`, `ghr_…`, `github_pat_…`.
    GithubToken "github_token" r"gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22}"
    /// GitLab tokens: `glpat-…`, `gldt-…`, `glrt-…` and others.
    Gitlab "gitlab" r"gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat|wt)-[A-Za-z0-9_-]{20}|GR1348941[A-Za-z0-9_-]{20}"
    /// API keys, access tokens, refresh tokens and OAuth secrets of Google: `AIza…`, `ya29.…`, `1//0…`, `GOCSPX-…`.
    Google "google" r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20}|1//0[A-Za-z0-9_-]{40}|GOCSPX-[A-Za-z0-9_-]{28}"
    /// Tokens of Grafana: `glsa_…`, `glc_…`.
    Grafana "grafana" r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}|glc_[A-Za-z0-9+/]{32}"
    /// API keys of Groq: `gsk_…`.
    Groq "groq" r"gsk_[A-Za-z0-9]{52}"
    /// Tokens of Heroku: `HRKU-…`.
    Heroku "heroku" r"HRKU-[A-Za-z0-9_-]{36}"
    /// Access tokens of HubSpot: `pat-na1-…`.
    Hubspot "hubspot" r"pat-[a-z]{2}[0-9]-[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
    /// Access tokens of Hugging Face: `hf_…`, `api_org_…`.
    HuggingFace "hugging_face" r"(?:hf|api_org)_[A-Za-z0-9]{34}"
    /// API keys of LangSmith: `lsv2_pt_…`, `lsv2_sk_…`.
    LangSmith "langsmith" r"lsv2_[ps][kt]_[0-9a-f]{32}_[0-9a-f]{10}"
    /// API keys of Linear: `lin_api_…`, `lin_oauth_…`.
    Linear "linear" r"lin_(?:api|oauth)_[A-Za-z0-9]{40}"
    /// API keys of Mailchimp: 32 digits and `-us…`.
    Mailchimp "mailchimp" r"\b[0-9a-f]{32}-us[0-9]{1,2}\b"
    /// API keys of Mailgun: `key-…`, and the form of three hexadecimal numbers.
    Mailgun "mailgun" r"key-[0-9a-f]{32}\b|\b[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b"
    /// Access tokens of Netlify: `nfp_…` and others.
    Netlify "netlify" r"nf[bcopu]_[A-Za-z0-9]{36}"
    /// Keys of New Relic: `NRAK-…` and others.
    NewRelic "new_relic" r"NR(?:AA|AK|AL|II|IQ|RA|SP)-[A-Za-z0-9_-]{27}|NRJS-[0-9a-f]{19}"
    /// Tokens of Notion: `ntn_…`, `secret_…`.
    Notion "notion" r"ntn_[0-9]{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43}"
    /// Tokens of npm: `npm_…`.
    Npm "npm" r"npm_[A-Za-z0-9]{36}"
    /// API keys of NuGet: `oy2…`.
    Nuget "nuget" r"oy2[a-z0-9]{43}"
    /// API keys of Nvidia: `nvapi-…`.
    Nvidia "nvidia" r"nvapi-[A-Za-z0-9_-]{60}"
    /// Service account tokens of 1Password: `ops_eyJ…`.
    OnePassword "one_password" r"ops_eyJ[A-Za-z0-9+/_-]{100}"
    /// Access tokens of Braintree: `access_token$production$…`.
    Paypal "paypal" r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"
    /// API keys of Perplexity: `pplx-…`.
    Perplexity "perplexity" r"pplx-[A-Za-z0-9]{40}"
    /// Tokens and passwords of PlanetScale: `pscale_tkn_…`, `pscale_pw_…`.
    Planetscale "planetscale" r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{32}"
    /// Personal and project keys of PostHog: `phx_…`, `phs_…`.
    Posthog "posthog" r"ph[sx]_[A-Za-z0-9_]{43}"
    /// API keys of Postman: `PMAK-…`.
    Postman "postman" r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"
    /// Access tokens of Pulumi: `pul-…`.
    Pulumi "pulumi" r"pul-[0-9a-f]{40}"
    /// API tokens of PyPI: `pypi-…`.
    Pypi "pypi" r"pypi-AgE[A-Za-z0-9_-]{50}"
    /// API tokens of Replicate: `r8_…`.
    Replicate "replicate" r"r8_[A-Za-z0-9]{37}"
    /// API keys of RubyGems: `rubygems_…`.
    Rubygems "rubygems" r"rubygems_[0-9a-f]{48}"
    /// API keys of SendGrid: `SG.….…`.
    Sendgrid "sendgrid" r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"
    /// Tokens of Sentry: `sntrys_…`, `sntryu_…`.
    Sentry "sentry" r"sntrys_eyJ[A-Za-z0-9+/]{40}|sntryu_[0-9a-f]{64}"
    /// Tokens and secrets of Shopify: `shpat_…`, `shpss_…` and others.
    Shopify "shopify" r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}"
    /// Slack tokens, `xox…` and `xapp-…`, cookies, and the URLs of Slack webhooks.
    SlackToken "slack_token" r"xox[a-z]-(?:[A-Z0-9][A-Za-z0-9-]{9}|[A-Za-z0-9%+/=]{60})|xapp-[A-Z0-9][A-Za-z0-9-]{11}|hooks\.slack\.com(?:\\?/|%2[Ff])(?:services|workflows|triggers)(?:\\?/|%2[Ff])(?:[A-Za-z0-9]|\\?/|%2[Ff]){20}"
    /// Tokens of SonarQube: `sqp_…`, `squ_…`, `sqa_…`.
    Sonar "sonar" r"sq[apu]_[0-9a-f]{40}"
    /// Access tokens of Sourcegraph: `sgp_…`.
    Sourcegraph "sourcegraph" r"sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}"
    /// Access tokens and secrets of Square: `sq0atp-…`, `sq0csp-…`, `EAAA…`.
    Square "square" r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22}|EAAA[A-Za-z0-9_-]{60}"
    /// Secret, restricted and webhook keys of Stripe: `sk_live_…`, `rk_test_…`, `whsec_…`.
    Stripe "stripe" r"[rs]k_(?:live|test|prod)_[A-Za-z0-9]{16}|whsec_[A-Za-z0-9+/]{32}"
    /// Access tokens and secret keys of Supabase: `sbp_…`, `sb_secret_…`.
    Supabase "supabase" r"sbp_[0-9a-z]{40}|sb_secret_[A-Za-z0-9_-]{22}"
    /// Keys of Tailscale: `tskey-auth-…` and others.
    Tailscale "tailscale" r"tskey-[a-z]{2,20}-[A-Za-z0-9]{6,40}-[A-Za-z0-9]{20}"
    /// Bot tokens of Telegram: a number, `:AA…`.
    Telegram "telegram" r"(?:\b|bot)[0-9]{8,10}(?::|%3[Aa])AA[A-Za-z0-9_-]{33}"
    /// API tokens of Terraform: `….atlasv1.…`.
    Terraform "terraform" r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60}"
    /// API keys of Twilio: `SK…`.
    Twilio "twilio" r"SK[0-9a-f]{32}\b"
    /// Tokens of Vault: `hvs.…`, `hvb.…`, `hvr.…`.
    Vault "vault" r"hv[brs]\.[A-Za-z0-9_-]{24}"
    /// Tokens of Vercel: `vcp_…` and others.
    Vercel "vercel" r"vc[aikpr]_[A-Za-z0-9]{24}"
    /// API keys of xAI: `xai-…`.
    Xai "xai" r"xai-[A-Za-z0-9_]{70}"

    /// Private keys: in PEM format, the whole block. If its end is missing, only the lines that look like a key are
    /// found. If the first line is only mentioned, for example in code, nothing is found. PuTTY's private lines, and
    /// the keys of age, `AGE-SECRET-KEY-1…`, as well.
    PrivateKey "private_key" r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: [0-9]{1,3}|AGE-SECRET-KEY-1[A-Z0-9]{58}"
    /// JSON web tokens, signed (three parts) or encrypted (five).
    Jwt "jwt" r"eyJ[A-Za-z0-9_-]{6}"
    /// API keys of OpenAI, Anthropic and others: `sk-…`.
    OpenaiKey "openai_key" r"sk-[A-Za-z0-9_-]{20}"
    /// Passwords in URLs, as in `postgres://user:password@host`. The rest of the URL stays.
    UrlPassword "url_password" r":\\?/\\?/[!#-&(-.0-9;=?A-\[\]-~]{0,64}:[!#-&(-.0-;=?-\[\]-~]{1,128}@"
    /// AWS access key IDs and Bedrock's keys, `ABSK…`. Secret keys that are named as such: next to the name, or as the
    /// `value` after it.
    AwsKey "aws_key" r#"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b|ABSK[A-Za-z0-9+/]{100}|bedrock-api-key-[A-Za-z0-9+/]{40}|(?i:secret[_-]?(?:access[_-]?)?key)(?:{=}|\\?["']?(?:,\s{0,16}|[ \t]{1,8})\\?["']?)(?:[A-Za-z0-9/+]|%2[BbFf]){40}"#
    /// Keys of Azure's storage and of its queues, `AccountKey=…`, signatures of SAS, `sig=…`, and client secrets.
    Azure "azure" r"(?i:accountkey|sharedaccesskey|sharedsecretvalue)\s{0,4}=\s{0,4}[A-Za-z0-9+/]{40}|[?&;]sig=[A-Za-z0-9%+/]{40}|\b[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31}|\b[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{18}"
    /// Credentials in headers, `Authorization: Basic …` and `Bearer …`, and docker's `"auth": "…"`.
    Authorization "authorization" r#"(?i:authorization){=}(?i:basic|bearer|token)[ ]{1,4}[A-Za-z0-9+/_.~-]{8}|\b(?i:bearer)[ ]{1,4}[A-Za-z0-9+/_.~-]{20}|\\?"auth\\?"\s{0,4}:\s{0,4}\\?"[A-Za-z0-9+/]{8}"#
    /// Values of names that end with `password`, `passphrase`, `secret`, `token`, `api_key`, `access_key` and the like,
    /// in the environment, JSON, YAML, code, command lines and `.netrc`, if they look random. `$PASSWORD`,
    /// `<your password>`, `changeme` and code such as `read_token()` do not. A password has at least 6 characters, with a
    /// digit or a sign. Other values have letters and digits mixed: 8 of them, or 12 without a capital letter.
    Credential "credential" r"(?i:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|secret[_-]?key(?:[_-]base)?|(?:api|access|account|auth|encryption|signing|master)[_-]?key){=}|--(?i:[a-z-]{0,20}(?:password|token|secret|key))[ \t]{1,4}|(?i:login)\s{1,8}[!-~]{1,64}\s{1,8}(?i:password)\s{1,8}"
    /// Numbers of payment cards: 13 to 19 digits with an issuer's prefix and the right check digit, in one piece or in
    /// groups of four (or 4, 6 and 5) with a space or a dash between them. Some numbers are found only in groups, or
    /// after a word about payment (`card`, `pan`): those with a length that is rare for cards and common for times and
    /// identifiers, and the values of keys such as `order_id`, `offset` and `timestamp`.
    Card "card" r"{edge}[2-6](?:[ -]?[0-9]){12,30}"
    /// US social security numbers, `ddd-dd-dddd`, in the ranges that are assigned.
    UsSsn "us_ssn" r"{edge}[0-9]{3}-[0-9]{2}-[0-9]{4}\b"
    /// Korean resident registration numbers, `YYMMDD-ddddddd`, with a valid date.
    KoreanRrn "korean_rrn" r"{edge}[0-9]{6}-[1-8][0-9]{6}\b"
    /// E-mail addresses, also with `%40`, in scripts that put blanks between words. `git@github.com` is not an address.
    /// Neither are package versions (`left-pad@1.3.0.tgz`), systemd units (`getty@tty1.service`), hosts of a local
    /// network (`user@host.local`), names of SSH algorithms, and code (`this@Main.getText`).
    Email "email" r"(?:@|%40)(?:(?:[A-Za-z0-9-]|(?u:[\u{c0}-\u{8ff}\u{1e00}-\u{1fff}]))+\.)+(?:xn--[A-Za-z0-9-]{2,}|[A-Za-z]{2,}|(?u:[\u{c0}-\u{8ff}]){2,})"
}

/// Where a number may begin: at a boundary of ASCII, or behind an escape whose last character looks like a letter.
const EDGE: &str = r"(?:\b|_|%[0-9A-Fa-f]{2}|\\[nrtbf]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\[[0-9;]{0,16}[A-Za-z])";
/// What is between a name and its value: `=`, `": "`, `</name><value>`, `\n  value: `.
const EQUALS: &str = r#"\\?["'`]?\]?(?:\s{0,8}(?:=>|:?=|:|>)|,?\s{0,40}\\?["']?(?i:value)\\?["']?\s{0,8}[:=])\s{0,16}\\?["'`]?"#;

impl SecretKind {
    /// The regular expression for the kind, or for its beginning. Its boundaries are those of ASCII, so that text in any
    /// script runs through the fast automaton.
    pub(super) fn pattern(self) -> String {
        let form = self.form().replace("{edge}", EDGE).replace("{=}", EQUALS);
        format!("(?-u:{form})")
    }

    /// Whether the form begins with a name, and the secret is its value.
    pub(super) fn is_of_name(self) -> bool {
        use SecretKind::{Authorization, AwsKey, Azure, Credential};
        matches!(self, Authorization | AwsKey | Azure | Credential)
    }

    /// Whether a blank may be in the form or behind it, in the middle of a secret.
    pub(super) fn has_blanks(self) -> bool {
        self.is_of_name() || matches!(self, SecretKind::Card | SecretKind::PrivateKey)
    }

    /// Whether the form says all about the kind, and nothing of it is a name that stays.
    pub(super) fn is_token(self) -> bool {
        self < SecretKind::PrivateKey
    }
}
