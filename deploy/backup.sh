#!/bin/bash
# Dumps the database and copies the images once a day, and keeps BACKUP_KEEP_DAYS days, at least one. `backup.sh once` makes one and ends.
# The encryption keys are not in it: keep .env in another place.
set -euo pipefail
folder="${BACKUP_DIR:-/backups}"
media="${MEDIA_DIR:-/data/media}"
keep="${BACKUP_KEEP_DAYS:-14}"
umask 077

# A backup whose removal is interrupted must not look like one: it is renamed first.
remove_old() {
  # find counts whole days, and +13 begins at 14 of them. A negative number would match every backup.
  local old status=0 days=$((keep > 0 ? keep - 1 : 0))
  while IFS= read -r -d '' old; do
    mv "$old" "$folder/.removed-${old##*/}" || status=1
  done < <(find "$folder" -mindepth 1 -maxdepth 1 -name 'carillon-*' -mtime "+$days" -print0)
  rm -rf "$folder"/.removed-* || status=1
  return $status
}

backup_name() { printf 'carillon-%s' "$(date -u +%Y%m%dT%H%M%SZ)"; }

backup() {
  local name
  # Until this process ends. Another backup, such as that of the daily loop, is completed first.
  mkdir -p "$folder"
  exec {lock}>"$folder/.lock"
  if ! flock -n "$lock"; then
    echo 'waiting for the backup that is being made' >&2
    flock "$lock"
  fi
  name="$(backup_name)"
  # A second backup within the same second would be moved into the folder of the first.
  while [ -e "$folder/$name" ]; do
    sleep 1
    name="$(backup_name)"
  done
  # Under another name until it is complete, so that an interrupted backup is never taken for one.
  rm -rf "$folder"/.partial-*
  mkdir -p "$folder/.partial-$name"
  pg_dump --format=custom --file="$folder/.partial-$name/database.dump"
  # After the dump: every image that the dump names is there.
  if [ -d "$media" ]; then
    # 1: an image was stored or removed meanwhile.
    tar -C "$media" --exclude='*.tmp' -cf "$folder/.partial-$name/media.tar" . || [ $? -eq 1 ]
  fi
  pg_restore --list "$folder/.partial-$name/database.dump" >/dev/null
  (cd "$folder/.partial-$name" && sha256sum -- * >SHA256SUMS)
  mv "$folder/.partial-$name" "$folder/$name"
  echo "wrote $folder/$name"
  remove_old || echo 'older backups could not be removed; the next backup tries again' >&2
}

if [ "${1:-}" = once ]; then
  backup
  exit
fi
while true; do
  # The next day repeats what failed. In a separate process, because `set -e` does not hold on the left of `||`.
  bash "$0" once || echo 'the backup failed' >&2
  sleep 86400 &
  wait $!
done
