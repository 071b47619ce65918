#!/bin/sh
# Prints new secrets for compose.yaml, for a file of yours alone that does not exist yet:
#   (umask 077; set -C; deploy/make-env.sh bells.example > .env)
set -eu
[ $# -eq 1 ] || { echo 'usage: deploy/make-env.sh HOST' >&2; exit 2; }
letters() { openssl rand -hex "$1"; }
cat <<EOF
# Keep a copy in another place than the backups: without ENCRYPTION_KEYS the stored logins cannot be read.
DOMAIN=$1
POSTGRES_PASSWORD=$(letters 24)
ENCRYPTION_KEYS=$(openssl rand -base64 32)
OPERATOR_TOKEN=$(letters 24)
BOOTSTRAP_LIVE_KEY=crl_live_$(letters 20)
EOF
