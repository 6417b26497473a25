#!/usr/bin/env bash
# Walks through the console in a real browser: every page in both schemes and two widths, without scripts, and by keyboard.
#
# The browser and the libraries are unpacked in scratch folders, and nothing leaves this machine. The pictures of the pages
# are in `target/browser`; `browser.sh --pictures` copies those that the documentation shows. The program is built, unless
# `HOOKS` says where one is.
set -euo pipefail
cd "$(dirname "$0")/../.."

browser=$(.ci/chromium)
tools=$PWD/target/tools/browser
if [[ ! -d $tools/node_modules/playwright-core || ! -d $tools/node_modules/axe-core ]]; then
    mkdir -p "$tools"
    npm install --silent --no-save --no-package-lock --prefix "$tools" playwright-core@1.65.1 axe-core@4.14.1 >&2
fi
[[ -n ${HOOKS-} ]] || cargo build --quiet -p hooks-cli
pictures=$PWD/target/browser
rm -rf "$pictures"
mkdir -p "$pictures"

# Modules are found beside the tests, so the tests are run from a folder that has both.
ln -sfn "$PWD/hooks-server/tests/browser" "$tools/tests"
HOOKS=${HOOKS:-${CARGO_TARGET_DIR:-$PWD/target}/debug/hooks} BROWSER=$browser PICTURES=$pictures \
    node --preserve-symlinks --preserve-symlinks-main --test --test-reporter=spec "$tools"/tests/*.test.mjs

if [[ ${1-} == --pictures ]]; then
    cp "$pictures/order-node-light-1280.png" docs/images/console-order.png
    for name in hook simulator execution overview; do
        cp "$pictures/$name-light-1280.png" "docs/images/console-$name.png"
    done
fi
