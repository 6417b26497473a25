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
    /// Client secrets of Adobe: `p8e-…`.
    Adobe "adobe" r"p8e-[a-z0-9]{32}"
    /// API keys of Adyen: `AQE…`.
    Adyen "adyen" r"AQE[a-z]hm[a-z][A-Za-z0-9+/=_-]{20}"
    /// Personal access tokens of Airtable: `pat….…`.
    Airtable "airtable" r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}"
    /// Passwords of Aiven: `AVNS_…`.
    Aiven "aiven" r"AVNS_[A-Za-z0-9_-]{19}"
    /// Access key IDs of Alibaba Cloud: `LTAI…`.
    Alibaba "alibaba" r"LTAI[A-Za-z0-9]{17}"
    /// Tokens of Artifactory: `AKCp…`, `cmVmd…`.
    Artifactory "artifactory" r"AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59}"
    /// API tokens of Atlassian and Bitbucket: `ATATT3…`, `ATCTT3…`, `ATBB…`.
    Atlassian "atlassian" r"AT(?:AT|CT)T3[A-Za-z0-9_-]{60}|ATBB[A-Za-z0-9]{32}"
    /// API keys of Brevo: `xkeysib-…`, `xsmtpsib-…`.
    Brevo "brevo" r"x(?:key|smtp)sib-[0-9a-f]{64}"
    /// Tokens of Buildkite: `bkua_…`.
    Buildkite "buildkite" r"bku[a-z]_[0-9a-f]{40}"
    /// Tokens of CircleCI: `CCIPAT_…`, `CCIPRJ_…`.
    CircleCi "circleci" r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}"
    /// Keys of ClickHouse Cloud: `4b1d…`.
    ClickHouse "clickhouse" r"\b4b1d[A-Za-z0-9]{38}\b"
    /// Tokens of Clojars: `CLOJARS_…`.
    Clojars "clojars" r"CLOJARS_[a-z0-9]{60}"
    /// Origin CA keys of Cloudflare: `v1.0-…`.
    Cloudflare "cloudflare" r"v1\.0-[0-9a-f]{24}-[0-9a-f]{40}"
    /// Personal tokens of Contentful: `CFPAT-…`.
    Contentful "contentful" r"CFPAT-[A-Za-z0-9_-]{43}"
    /// Tokens of crates.io: `cio…`.
    CratesIo "crates_io" r"cio[A-Za-z0-9]{32}"
    /// Tokens of Databricks: `dapi…`.
    Databricks "databricks" r"dapi[0-9a-f]{32}"
    /// Tokens of DigitalOcean: `dop_v1_…`, `doo_v1_…`, `dor_v1_…`.
    DigitalOcean "digitalocean" r"do[opr]_v1_[0-9a-f]{64}"
    /// Bot tokens and webhooks of Discord.
    Discord "discord" r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}|discord(?:app)?\.com{/}api{/}(?:v[0-9]{1,2}{/})?webhooks{/}[0-9]{17,20}{/}[A-Za-z0-9_-]{60}"
    /// Access tokens of Docker Hub: `dckr_pat_…`, `dckr_oat_…`.
    DockerHub "docker_hub" r"dckr_[op]at_[A-Za-z0-9_-]{27}"
    /// Tokens of Doppler: `dp.pt.…`, `dp.st.…` and others.
    Doppler "doppler" r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40}"
    /// Access tokens of Dropbox: `sl.…`.
    Dropbox "dropbox" r"\bsl\.(?:u\.)?[A-Za-z0-9_-]{130}"
    /// Tokens of Duffel: `duffel_live_…`.
    Duffel "duffel" r"duffel_(?:test|live)_[A-Za-z0-9_=-]{43}"
    /// Tokens of Dynatrace: `dt0c01.…`.
    Dynatrace "dynatrace" r"dt0[a-z][0-9]{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}"
    /// API keys of EasyPost: `EZAK…`, `EZTK…`.
    EasyPost "easypost" r"EZ[AT]K[A-Za-z0-9]{54}"
    /// API keys of ElevenLabs: `sk_…`.
    ElevenLabs "elevenlabs" r"sk_[0-9a-f]{48}"
    /// Access tokens of Facebook: `EAAC…`, `EAAM…`.
    Facebook "facebook" r"EAA[CM][A-Za-z0-9]{80}"
    /// Access tokens of Figma: `figd_…`.
    Figma "figma" r"fig[dou][rh]?_[A-Za-z0-9_-]{40}"
    /// Secret keys of Flutterwave: `FLWSECK-…`.
    Flutterwave "flutterwave" r"FLWSECK(?:_TEST)?-[0-9a-h]{12,32}"
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
    /// Tokens of Harness: `pat.….….…`, `sat.….….…`.
    Harness "harness" r"\b[ps]at\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}"
    /// Tokens of Heroku: `HRKU-…`.
    Heroku "heroku" r"HRKU-[A-Za-z0-9_-]{36}"
    /// Access tokens of HubSpot: `pat-na1-…`.
    Hubspot "hubspot" r"pat-[a-z]{2}[0-9]-[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
    /// Access tokens of Hugging Face: `hf_…`, `api_org_…`.
    HuggingFace "hugging_face" r"(?:hf|api_org)_[A-Za-z0-9]{34}"
    /// API keys of LangSmith: `lsv2_pt_…`, `lsv2_sk_…`.
    LangSmith "langsmith" r"lsv2_[ps][kt]_[0-9a-f]{32}_[0-9a-f]{10}"
    /// Keys of LaunchDarkly: `sdk-…`, `mob-…`, `api-…`, each with a UUID.
    LaunchDarkly "launchdarkly" r"(?:sdk|mob|api)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    /// API keys of Linear: `lin_api_…`, `lin_oauth_…`.
    Linear "linear" r"lin_(?:api|oauth)_[A-Za-z0-9]{40}"
    /// API keys of Mailchimp: 32 digits and `-us…`.
    Mailchimp "mailchimp" r"\b[0-9a-f]{32}-us[0-9]{1,2}\b"
    /// API keys of Mailgun: `key-…`, and the form of three hexadecimal numbers.
    Mailgun "mailgun" r"key-[0-9a-f]{32}\b|\b[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b"
    /// Secret tokens of Mapbox: `sk.eyJ…`.
    Mapbox "mapbox" r"sk\.eyJ[A-Za-z0-9_-]{40,200}\.[A-Za-z0-9_-]{20}"
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
    /// API keys of Octopus Deploy: `API-…`.
    Octopus "octopus" r"API-[A-Z0-9]{26}\b"
    /// Service account tokens of 1Password: `ops_eyJ…`.
    OnePassword "one_password" r"ops_eyJ[A-Za-z0-9+/_-]{100}"
    /// Tokens of OpenShift: `sha256~…`.
    OpenShift "openshift" r"sha256~[A-Za-z0-9_-]{43}"
    /// Salted hashes of passwords, as in `/etc/shadow` and `.htpasswd`: `$6$…`, `$2b$…`, `$argon2id$…`, `{SHA}…`.
    PasswordHash "password_hash" r"\$(?:[1567y]|2[abxy]?|gy|apr1|argon2id?|argon2d)\$[./A-Za-z0-9,=$+]{20,200}|\{SS?HA\}[A-Za-z0-9+/]{27}"
    /// Access tokens of Braintree: `access_token$production$…`.
    Paypal "paypal" r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"
    /// API keys of Perplexity: `pplx-…`.
    Perplexity "perplexity" r"pplx-[A-Za-z0-9]{40}"
    /// API keys of Pinecone: `pcsk_…`.
    Pinecone "pinecone" r"pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60}"
    /// Access tokens of Plaid: `access-production-…`.
    Plaid "plaid" r"access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f-]{27}"
    /// Tokens and passwords of PlanetScale: `pscale_tkn_…`, `pscale_pw_…`.
    Planetscale "planetscale" r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{32}"
    /// Personal and project keys of PostHog: `phx_…`, `phs_…`.
    Posthog "posthog" r"ph[sx]_[A-Za-z0-9_]{43}"
    /// API keys of Postman: `PMAK-…`.
    Postman "postman" r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"
    /// API keys of Prefect: `pnu_…`.
    Prefect "prefect" r"pn[ub]_[A-Za-z0-9]{36}"
    /// Access tokens of Pulumi: `pul-…`.
    Pulumi "pulumi" r"pul-[0-9a-f]{40}"
    /// API tokens of PyPI: `pypi-…`.
    Pypi "pypi" r"pypi-AgE[A-Za-z0-9_-]{50}"
    /// API tokens of Replicate: `r8_…`.
    Replicate "replicate" r"r8_[A-Za-z0-9]{37}"
    /// API keys of Resend: `re_…`.
    Resend "resend" r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b"
    /// API keys of RubyGems: `rubygems_…`.
    Rubygems "rubygems" r"rubygems_[0-9a-f]{48}"
    /// API keys of SendGrid: `SG.….…`.
    Sendgrid "sendgrid" r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"
    /// Tokens of Sentry: `sntrys_…`, `sntryu_…`.
    Sentry "sentry" r"sntrys_eyJ[A-Za-z0-9+/]{40}|sntryu_[0-9a-f]{64}"
    /// Tokens of Shippo: `shippo_live_…`.
    Shippo "shippo" r"shippo_(?:live|test)_[0-9a-fA-F]{40}"
    /// Tokens and secrets of Shopify: `shpat_…`, `shpss_…` and others.
    Shopify "shopify" r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}"
    /// Slack tokens, `xox…` and `xapp-…`, cookies, and the URLs of Slack webhooks.
    SlackToken "slack_token" r"xox[a-z]-(?:[A-Z0-9][A-Za-z0-9-]{9}|[A-Za-z0-9%+/=]{60})|xapp-[A-Z0-9][A-Za-z0-9-]{11}|hooks\.slack\.com{/}(?:services|workflows|triggers){/}(?:[A-Za-z0-9]|{/}){20}"
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
    /// API keys of Tavily: `tvly-…`.
    Tavily "tavily" r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}"
    /// Bot tokens of Telegram: a number, `:AA…`.
    Telegram "telegram" r"(?:\b|bot)[0-9]{8,10}(?::|%3[Aa])AA[A-Za-z0-9_-]{33}"
    /// API tokens of Terraform: `….atlasv1.…`.
    Terraform "terraform" r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60}"
    /// API keys of Twilio: `SK…`.
    Twilio "twilio" r"SK[0-9a-f]{32}\b"
    /// Tokens of Typeform: `tfp_…`.
    Typeform "typeform" r"tfp_[A-Za-z0-9_.=-]{44}"
    /// Tokens of Vault: `hvs.…`, `hvb.…`, `hvr.…`.
    Vault "vault" r"hv[brs]\.[A-Za-z0-9_-]{24}"
    /// Tokens of Vercel: `vcp_…` and others.
    Vercel "vercel" r"vc[aikpr]_[A-Za-z0-9]{24}"
    /// Secret URLs of webhooks: Microsoft Teams, Zapier, IFTTT, Feishu, WeCom.
    Webhook "webhook" r"(?:webhook\.office\.com{/}webhookb2|outlook\.office(?:365)?\.com{/}webhook){/}[0-9A-Fa-f@-]{36,73}{/}IncomingWebhook{/}[0-9a-f]{32}{/}[0-9a-f-]{36}|hooks\.zapier\.com{/}hooks{/}catch{/}[0-9]{4,10}{/}[a-z0-9]{6}|maker\.ifttt\.com{/}trigger{/}[A-Za-z0-9_-]{1,40}{/}(?:json{/})?with{/}key{/}[A-Za-z0-9_-]{20}|open\.(?:feishu|larksuite)\.c(?:n|om){/}open-apis{/}bot{/}v2{/}hook{/}[0-9a-f-]{36}|qyapi\.weixin\.qq\.com{/}cgi-bin{/}webhook{/}send\?key=[0-9a-f-]{36}"
    /// API keys of xAI: `xai-…`.
    Xai "xai" r"xai-[A-Za-z0-9_]{70}"
    /// API keys of Yandex Cloud: `AQVN…`.
    Yandex "yandex" r"AQVN[A-Za-z0-9_-]{35}"

    /// Private keys: in PEM format, the whole block. If its end is missing, only the lines that look like a key are
    /// found, and so are those before an end without a beginning. If the first line is only mentioned, for example in
    /// code, nothing is found. PEM in base64, private numbers of JSON web keys (`"d": "…"`), PuTTY's private lines, and
    /// the keys of age, `AGE-SECRET-KEY-1…`, as well.
    PrivateKey "private_key" r#"-----(?:BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: [0-9]{1,3}|AGE-SECRET-KEY-1[A-Z0-9]{58}|LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,20}(?:UFJJVkFURSBLRV|BSSVZBVEUgS0VZ|QUklWQVRFIEtFW)|\\?"(?:[dkpq]|d[pq]|qi)\\?"\s{0,4}:\s{0,4}\\?"[A-Za-z0-9_-]{43}"#
    /// JSON web tokens, signed (three parts) or encrypted (five).
    Jwt "jwt" r"eyJ[A-Za-z0-9_-]{6}"
    /// API keys of OpenAI, Anthropic and others: `sk-…`.
    OpenaiKey "openai_key" r"sk-[A-Za-z0-9_-]{20}"
    /// Passwords in URLs, as in `postgres://user:password@host`. The rest of the URL stays.
    UrlPassword "url_password" r":{/}{/}[!#-&(-.0-9;=?A-\[\]-~]{0,64}:[!#-&(-.0-;=?-\[\]-~]{1,128}@"
    /// AWS access key IDs, with the secret key if it is next to the ID, and Bedrock's keys, `ABSK…`. Secret keys that are
    /// named as such: next to the name, or as the `value` after it.
    AwsKey "aws_key" r#"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b(?:\\?["']?[,;|: \t]{1,8}\\?["']?[A-Za-z0-9/+]{40}\b)?|ABSK[A-Za-z0-9+/]{100}|bedrock-api-key-[A-Za-z0-9+/]{40}|(?i:secret[ _-]?(?:access[ _-]?)?key)(?:{=}|\\?["']?(?:,\s{0,16}|[ \t]{1,8})\\?["']?)(?:[A-Za-z0-9/+]|%2[BbFf]){40}"#
    /// Keys of Azure's storage and of its queues, `AccountKey=…`, signatures of SAS, `sig=…`, and client secrets.
    Azure "azure" r"(?i:accountkey|sharedaccesskey|sharedsecretvalue)\s{0,4}=\s{0,4}[A-Za-z0-9+/]{40}|(?:[?&;]|\\u0026)sig=[A-Za-z0-9%+/_-]{40}|\b[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31}|\b[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{18}"
    /// Credentials in headers, `Authorization: Basic …`, `Bearer …` and those of other schemes, and docker's and npm's
    /// `"auth": "…"`, `_auth=…`.
    Authorization "authorization" r#"(?i:authorization){=}(?:[A-Za-z][A-Za-z-]{2,15}[ ]{1,4})?[A-Za-z0-9+/_.~-]{8}|\b(?i:bearer|ssws)[ ]{1,4}[A-Za-z0-9+/_.~-]{20}|\b(?i:basic)[ ]{1,4}[A-Za-z0-9+/]{16}|(?:\\?"auth\\?"\s{0,4}:\s{0,4}\\?"|(?i:_auth){=})[A-Za-z0-9+/]{8}"#
    /// Values of names that end with `password`, `_pass`, `psk`, `secret`, `token`, `_PAT`, `api_key` and the like, if they
    /// look random: in the environment, JSON, YAML, XML, tables, code, calls, headers, cookies, command lines, `.netrc`
    /// and `.pgpass`. What a program takes as a password, `curl -u ada:…` and `mysql -p…`, need not look so.
    /// `$PASSWORD`, `<your password>`, `changeme` and code such as `read_token()` are none. A password has at least 6
    /// characters, with a digit or a sign. Other values have letters and digits mixed: 8 of them, or 12 without a
    /// capital letter.
    Credential "credential" r#"{name}(?:{=}|[ \t]{1,4}\\?["']?|\\?["']\s{0,4},\s{0,16}\\?["'`]|\(\s{0,4}\\?["'`])|\b(?:{command})|\becho {1,4}["']?[!-{}~]{4,80} {0,4}\| {0,4}(?:sudo -S|(?:sudo )?chpasswd|(?:docker|podman) login)|:(?:5432|6432|\*):[!-.0-9;-~]{1,40}:[!-.0-9;-~]{1,40}:"#
    /// Numbers of payment cards: 13 to 19 digits with an issuer's prefix and the right check digit, in one piece or in
    /// groups of four (or 4, 6 and 5) with a space or a dash between them. Some numbers are found only in groups, or
    /// after a word about payment (`card`, `pan`): those with a length that is rare for cards and common for times and
    /// identifiers, and the values of keys such as `order_id`, `offset` and `timestamp`.
    Card "card" r"{edge}[2-6](?:[ -]?[0-9]){12,30}"
    /// US social security numbers, `ddd-dd-dddd`, in the ranges that are assigned. Without the dashes, beside a label such
    /// as `SSN`.
    UsSsn "us_ssn" r"{edge}[0-9]{3}[-. ]?[0-9]{2}[-. ]?[0-9]{4}\b"
    /// Korean resident registration numbers, `YYMMDD-ddddddd`, with a valid date. Without the dash, beside a label such as
    /// `RRN` and `주민번호`.
    KoreanRrn "korean_rrn" r"{edge}[0-9]{6}[- ]?[1-8][0-9]{6}\b"
    /// E-mail addresses, also with `%40`, in scripts that put blanks between words. `git@github.com` is not an address.
    /// Neither are package versions (`left-pad@1.3.0.tgz`), systemd units (`getty@tty1.service`), hosts of a local
    /// network (`user@host.local`), names of SSH algorithms, and code (`this@Main.getText`).
    Email "email" r"(?:@|%40)(?:(?:[A-Za-z0-9-]|(?u:[\u{c0}-\u{8ff}\u{1e00}-\u{1fff}]))+\.)+(?:xn--[A-Za-z0-9-]{2,}|[A-Za-z]{2,}|(?u:[\u{c0}-\u{8ff}]){2,})"
}

/// Where a number may begin: at a boundary of ASCII, or behind an escape whose last character looks like a letter.
const EDGE: &str = r"(?:\b|_|%[0-9A-Fa-f]{2}|\\[nrtbf]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\[[0-9;]{0,16}[A-Za-z])";
/// A slash in a URL, also in JSON, in JSON that is a text in JSON, and in queries.
const SLASH: &str = r"(?:\\{0,3}/|%2[Ff]|\\u002[Ff])";
/// What is between a name and its value: `=`, `": "`, `: str =`, ` | `, `</name><value>`, `\n  value: `. The value of an
/// empty `NAME=` is not the next line.
const EQUALS: &str = r#"\\{0,3}["'`]?\]?(?:[ ]{0,2}:?[ ](?:[A-Za-z&']{1,10}[ ]){1,2}=|\s{0,8}(?:=>|:?=|:|>)|[ \t]{0,40}\||,?\s{0,40}\\?["']?(?i:value)\\?["']?\s{0,8}[:=]|</[A-Za-z]{1,12}>\s{0,24}<(?:value|string)>|[ ]\{\s{1,24}(?:type\s{1,8}=\s{1,8}string\s{1,24})?default\s{1,8}=)(?:[ \t]{0,4}\r?\n[ \t]{1,24}(?:-[ ]{1,4})?|[ \t]{0,16})(?:!![a-z]{3}[ ]|[|>][+-]?\n[ ]{1,16}|\[\s{0,8})?\\{0,3}["'`]?"#;
/// Names of secrets, from the word that says so. What it begins with may be any part of a name, or only a whole word.
const NAME: &str = r"(?:(?i:(?:passw(?:or[dt]|d)|passphrase|passcode|pwd|(?:admin|db|ftp|key|login|root|smtp|store|user)pass|secret|token|credential|bearer|\bjwt|requirepass|masterauth|rediscli_auth|identified by|convertto-securestring|(?:account|access|admin|api|app|application|auth|bot|client|consumer|crypto|deploy|enc|encrypt|encryption|functions|hmac|integration|jwt|license|master|preshared|private|role|routing|secret|server|service|session|shared|signing|storage|subscription|webhook|write)[ _.-]?key)s?(?:[_-]?[0-9]{1,2}|[_-](?:b64|base|base64|data|dev|live|new|old|prod|ro|rw|staging|test|value))?|[_.-](?:pass|pat|psk|pw)|\b(?:psk|pw|pat)|_session|\b(?:session|sid)|sess(?:ion)?id)|[a-z0-9](?:Pass|Pat|Psk|Pw)|\bpass|_KEY|--key)";

/// Programs that take a password, and, behind a dash, what is before it.
const COMMANDS: [&str; 9] = [
    r#"(?:ab|curl|https?|lftp) - (?:-[AaUu] {0,2}|--(?:proxy-)?user[ =])["']?[!#%&(-,./-9;=-~][!#%&(-9;=-~]{0,63}[:,]"#,
    r#"(?:(?:az|buildah|docker|helm registry|oras|podman|skopeo) login|cqlsh|mongo[a-z]{0,7}|sshpass) - -p {1,4}["']?"#,
    r#"(?:(?:mariadb|mysql)[a-z-]{0,8}|sshpass) - -p["']?"#,
    r#"(?:ipmitool|mosquitto_[ps]ub|sqlcmd|unzip|zip) - -P {0,4}["']?"#,
    r#"(?:redis|valkey)-cli - -a {1,4}["']?"#,
    r#"ldap[a-z]{3,8} - -w {1,4}["']?"#,
    r#"openssl - -(?:k|pass(?:in|out)? {1,4}["']?pass:) {0,4}["']?"#,
    r#"htpasswd - -[a-zA-Z]{0,4}b[a-zA-Z]{0,4}(?: {1,4}[!-,.-~][!-~]{0,79}){2} {1,4}["']?"#,
    r#"smbclient - -U {0,4}["']?[!-$&-~]{1,64}%"#,
];

impl SecretKind {
    /// The regular expression for the kind, or for its beginning. Its boundaries are those of ASCII, so that text in any
    /// script runs through the fast automaton.
    pub(super) fn pattern(self) -> String {
        let commands = COMMANDS
            .join("|")
            .replace(" - ", r"(?: [\t -:<-{}~]{0,99})?? ");
        let parts = [
            ("{edge}", EDGE),
            ("{/}", SLASH),
            ("{name}", NAME),
            ("{command}", &commands),
            ("{=}", EQUALS),
        ];
        let form = parts
            .iter()
            .fold(self.form().to_owned(), |form, (name, part)| {
                form.replace(name, part)
            });
        format!("(?-u:{form})")
    }

    /// Whether the form begins with a name, and the secret is its value.
    pub(super) fn is_of_name(self) -> bool {
        use SecretKind::{Authorization, AwsKey, Azure, Credential};
        matches!(self, Authorization | AwsKey | Azure | Credential)
    }

    /// Whether a blank may be in the form or behind it, in the middle of a secret.
    pub(super) fn has_blanks(self) -> bool {
        use SecretKind::{Card, KoreanRrn, PrivateKey, UsSsn};
        self.is_of_name() || matches!(self, Card | KoreanRrn | PrivateKey | UsSsn)
    }

    /// Whether the form says all about the kind, and nothing of it is a name that stays.
    pub(super) fn is_token(self) -> bool {
        self < SecretKind::PrivateKey
    }
}
