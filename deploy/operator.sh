#!/bin/bash
# Runs a command of the operator beside deploy/carillon.service: as its user, with its settings and its data folder. As root:
#   /opt/carillon/deploy/operator.sh backup create
set -euo pipefail

# systemd replaces $NAME in arguments.
exec systemd-run --quiet --collect --wait --pipe --pty --working-directory=/opt/carillon \
  --property=EnvironmentFile=/etc/carillon/environment \
  --property='Environment=NODE_ENV=production DATA_DIR=/var/lib/carillon' \
  --property=User=carillon --property=DynamicUser=yes \
  --property=StateDirectory=carillon --property=StateDirectoryMode=0700 --property=UMask=0077 \
  -- /opt/carillon/node_modules/.bin/node cli/carillon.ts "${@//\$/\$\$}"
