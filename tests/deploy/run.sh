#!/usr/bin/env bash
# Validates the manifests against the schemas of Kubernetes, the unit with systemd-analyze, and the properties that operator.sh
# gives with systemd-run. Installs the schemas outside of the project. `npm run test:deploy`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

npm install --prefix "$work" --no-save --no-audit --no-fund --silent kubernetes-models@5.1.0
cp tests/deploy/validate-manifests.mjs "$work/"
node "$work/validate-manifests.mjs" "$PWD"
if command -v kubectl >/dev/null; then
  kubectl kustomize deploy/kubernetes >"$work/rendered.yaml"
  if grep -n 'image: carillon$' "$work/rendered.yaml"; then
    echo 'kustomize left an image without a registry' >&2
    exit 1
  fi
  echo "kustomize renders $(grep -c '^kind:' "$work/rendered.yaml") objects"
fi

# The paths of the unit do not exist here.
sed "s|/opt/carillon/node_modules/.bin/node|$(command -v true)|" deploy/carillon.service >"$work/carillon.service"
# An unknown setting is only a warning to it.
warnings="$(systemd-analyze verify "$work/carillon.service" 2>&1)"
if [ -n "$warnings" ]; then
  echo "$warnings" >&2
  exit 1
fi
exposure="$(systemd-analyze security --offline=true --threshold=20 "$work/carillon.service" | tail -n 1)"
echo "the unit is valid. ${exposure#*→ }"

# systemd-run parses every property, and then asks a systemd that does not run here. It begins only where one seems to run.
sed "s|/opt/carillon|$PWD|" deploy/operator.sh >"$work/operator.sh"
cat >"$work/ask.sh" <<'EOF'
mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system
dbus-run-session -- sh -c 'DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS bash "$0" account list </dev/null' "$1" 2>&1
EOF
if unshare --mount true 2>/dev/null && command -v dbus-run-session >/dev/null; then
  answer="$(unshare --mount bash "$work/ask.sh" "$work/operator.sh" || true)"
  if ! grep -q '^Failed to start transient service unit' <<<"$answer"; then
    echo "$answer" >&2
    exit 1
  fi
  echo 'systemd-run takes every property of operator.sh'
else
  echo 'operator.sh was not tried: that needs root and dbus-run-session'
fi
