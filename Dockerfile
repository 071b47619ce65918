# The image of Carillon: web and worker processes are the same image with another ROLE.
#
#   docker build -t carillon .
#
# A release pins both bases by digest (docs/guide/containers.md#pin-the-bases):
#
#   docker build -t carillon --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:… --build-arg BASE_IMAGE=debian:bookworm-slim@sha256:… .

# Any Node.js from 20 on, with npm. It installs and builds; the image has the Node.js that package-lock.json pins.
ARG NODE_IMAGE=node:24-bookworm-slim
# glibc: the pinned Node.js and the image codec are built for it.
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
# The pinned Node.js needs it, and slim images lack it.
RUN apt-get update && apt-get install --yes --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
COPY scripts ./scripts
RUN npm ci --omit=dev --no-update-notifier
COPY . .
RUN npm run build

FROM ${BASE_IMAGE}
RUN apt-get update && apt-get install --yes --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 carillon \
  && useradd --uid 10001 --gid carillon --no-create-home --home-dir /data --shell /usr/sbin/nologin carillon \
  && install --directory --owner=carillon --group=carillon --mode=0700 /data
# Owned by root: the process cannot change its own code.
COPY --from=build /app /app
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data PATH=/app/node_modules/.bin:$PATH
USER 10001:10001
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "deploy/health-check.js"]
# The server itself, so that it receives the signals.
ENTRYPOINT ["node"]
CMD ["server/main.js"]
