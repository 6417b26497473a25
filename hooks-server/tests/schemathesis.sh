#!/bin/sh
# Sends what the API's own document allows, and much that it does not, and checks each answer against the document.
# It needs Python and a package index. Run it from the project's root: hooks-server/tests/schemathesis.sh. It builds the
# program, unless `HOOKS` says where one is.
set -eu

scratch=$(mktemp -d)
daemon=
trap 'test -z "$daemon" || kill "$daemon"; rm -rf "$scratch"' EXIT

hooks=${HOOKS:-${CARGO_TARGET_DIR:-$PWD/target}/debug/hooks}
[ -n "${HOOKS:-}" ] || cargo build --quiet -p hooks-cli
schemathesis=$(.ci/python schemathesis==4.32.5)/schemathesis

store=sqlite:$scratch/hooks.db
touch "$scratch/ready"
HOOKS_SOCKET=off "$hooks" serve --store "$store" --listen 127.0.0.1:0 --json > "$scratch/ready" &
daemon=$!
until grep -q listen "$scratch/ready"; do sleep 0.1; done
address=$(sed 's/.*"listen":"\([^"]*\)".*/\1/' "$scratch/ready")
token=$("$hooks" token new --store "$store" --role owner --tenant test)

# The stream has no end, and lines of JSON are a form that the program does not know. It keeps what it learns here. From the
# list of tokens it would learn to revoke its own, and all that follows would be refused.
cd "$scratch"
"$schemathesis" run "http://$address/api/v1/openapi.json" \
    --header "Authorization: Bearer $token" \
    --exclude-path-regex 'stream$' --exclude-operation-id post_executions \
    --exclude-operation-id delete_tokens_id \
    --checks not_a_server_error,content_type_conformance,response_schema_conformance,status_code_conformance \
    --max-examples 25 --seed 1 --workers 2 --request-timeout 10 --generation-deterministic
