#!/usr/bin/env bash
# Builds the image from the Dockerfile and runs it: not as root, on a read-only root file system, with the health check of
# the image, on the embedded database and on PostgreSQL. Needs root, and installs buildah and debootstrap when they are missing.
#
# Registries of images cannot be reached from everywhere, so the bases are imitated: Debian by debootstrap, and the
# Node.js of the build stage by that of this checkout with the npm of this machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
postgres="${TEST_DATABASE_URL:-postgres://root@127.0.0.1:5432/test}"
work="$(mktemp -d)"
# A free port.
port="$(node -e "const s = require('node:net').createServer().listen(0, () => { console.log(s.address().port); s.close(); })")"
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER="${STORAGE_DRIVER:-overlay}"

say() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }
fail() { echo "FAILED: $1" >&2; [ -f "$work/log" ] && tail -n 20 "$work/log" >&2; exit 1; }

pid=''
stop() {
  [ -n "$pid" ] || return 0
  kill -TERM "$pid" 2>/dev/null || true
  wait "$pid" || fail "the server ended with code $?"
  pid=''
}
clean() {
  [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true
  umount --recursive --lazy "$work/root" 2>/dev/null || true
  buildah rm --all >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap clean EXIT

say 'tools and bases'
if ! command -v buildah debootstrap >/dev/null; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends buildah debootstrap >/dev/null
fi
debootstrap --variant=minbase bookworm "$work/debian" >/dev/null
base="$(buildah from scratch)"
buildah copy -q "$base" "$work/debian" / >/dev/null
# How apt reaches Debian's packages on this machine.
for settings in /etc/apt/apt.conf.d/*proxy*; do
  [ ! -f "$settings" ] || buildah copy -q "$base" "$settings" /etc/apt/apt.conf.d/ >/dev/null
done
buildah commit -q "$base" carillon-test-base >/dev/null
npm="$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")"
buildah copy -q "$base" "$(readlink -f node_modules/.bin/node)" /usr/local/bin/node >/dev/null
buildah copy -q "$base" "$npm" /usr/local/lib/node_modules/npm >/dev/null
buildah run "$base" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  buildah copy -q "$base" "$NODE_EXTRA_CA_CERTS" /etc/machine-certificates.pem >/dev/null
  buildah config --env NODE_EXTRA_CA_CERTS=/etc/machine-certificates.pem "$base"
fi
buildah commit -q "$base" carillon-test-node >/dev/null
rm -rf "$work/debian"

say 'build'
settings=()
# Where npm finds its packages on this machine.
[ ! -f "$HOME/.npmrc" ] || settings+=(--volume "$HOME/.npmrc:/root/.npmrc:ro")
git archive HEAD | tar -x -C "$(mkdir -p "$work/context" && echo "$work/context")"
buildah build -q --format docker --network host "${settings[@]}" \
  --build-arg NODE_IMAGE=localhost/carillon-test-node --build-arg BASE_IMAGE=localhost/carillon-test-base \
  --tag carillon-test "$work/context" >/dev/null

container="$(buildah from localhost/carillon-test)"
root="$(buildah mount "$container")"
inspect() { buildah inspect --type image --format "$1" localhost/carillon-test; }
mapfile -t environment < <(inspect '{{range .OCIv1.Config.Env}}{{println .}}{{end}}' | sed '/^$/d')
[ "$(inspect '{{.OCIv1.Config.User}}')" = 10001:10001 ] || fail 'the image does not name its user'
[ "$(inspect '{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}')" = '[node] [server/main.js]' ] ||
  fail 'the image starts something else'
inspect '{{.Docker.Config.Healthcheck.Test}}' | grep -q deploy/health-check.js || fail 'the image has no health check'
for built in console/dist/sources.json server/dist/sources.json; do
  [ -r "$root/app/$built" ] || fail "the image lacks $built"
done
for absent in tests bench .git .ci node_modules/vitest; do
  [ ! -e "$root/app/$absent" ] || fail "the image contains $absent"
done
[ -z "$(find "$root/app" -user 10001 -print -quit)" ] || fail 'the process can change its own code'
du -sm "$root" "$root/app" | sed "s|$root|  image |"

# A container as compose.yaml runs it, but for its networks.
mkdir -p "$work/root"
mount --bind "$root" "$work/root" && mount -o remount,bind,ro "$work/root"
mount -t tmpfs tmpfs "$work/root/tmp"
mount -t proc proc "$work/root/proc"
# Run as a plain command in the background, it receives the signals itself.
container_command=(chroot --userspec=10001:10001 "$work/root" /usr/bin/env -C /app -i "${environment[@]}" "PORT=$port")
inside() { "${container_command[@]}" "$@"; }
start() {
  mount -t tmpfs -o uid=10001,gid=10001,mode=0700 tmpfs "$work/root/data"
  "${container_command[@]}" "$@" node server/main.js >"$work/log" 2>&1 &
  pid=$!
  for _ in $(seq 120); do
    if inside node deploy/health-check.js; then return; fi
    kill -0 "$pid" 2>/dev/null || fail 'the server ended'
    sleep 0.5
  done
  fail 'the server did not become healthy'
}
post() {
  local key
  key="$(grep -oE 'crl_(live|test)_[A-Za-z0-9]+' "$work/log" | head -n 1)"
  curl -fsS "http://127.0.0.1:$port/api/v2/posts" -H "x-api-key: $key" -H 'content-type: application/json' \
    -d '{"text":"Hello from the image","connectionSlugs":["sandbox"]}' | grep -q '"status":"sent"' || fail 'the post was not sent'
}

say 'the embedded database'
[ "$(inside id -u)" = 10001 ] || fail 'it runs as root'
! inside touch /app/written 2>/dev/null || fail 'the root file system is writable'
! inside node deploy/health-check.js || fail 'the health check passes without a server'
start
post
curl -fsS "http://127.0.0.1:$port/owner" >/dev/null || fail 'the console is missing'
stop
umount "$work/root/data"

say 'PostgreSQL: the migration, then the server'
name="carillon_image_$$"
psql -q "$postgres" -c "create database $name"
url="${postgres%/*}/$name"
mount -t tmpfs -o uid=10001,gid=10001,mode=0700 tmpfs "$work/root/data"
inside "DATABASE_URL=$url" node server/migrate.ts | grep -q 'schema of this version' || fail 'the migration failed'
umount "$work/root/data"
start "DATABASE_URL=$url"
post
stop
psql -q "$postgres" -c "drop database $name with (force)"

say 'passed'
