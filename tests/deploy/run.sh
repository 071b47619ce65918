#!/usr/bin/env bash
# Validates the manifests against the schemas of Kubernetes, and the unit with systemd-analyze. Installs the schemas outside of the
# project. `npm run test:deploy`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

npm install --prefix "$work" --no-save --no-audit --no-fund --silent kubernetes-models@5.1.0
cp tests/deploy/validate-manifests.mjs "$work/"
node "$work/validate-manifests.mjs" "$PWD"

# The paths of the unit do not exist here.
sed "s|/opt/carillon/node_modules/.bin/node|$(command -v true)|" deploy/carillon.service >"$work/carillon.service"
systemd-analyze verify "$work/carillon.service"
exposure="$(systemd-analyze security --offline=true --threshold=20 "$work/carillon.service" | tail -n 1)"
echo "the unit is valid. ${exposure#*→ }"
