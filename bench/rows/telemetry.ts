/** telemetry: what OpenTelemetry costs while it is on, by the page of the row `reads`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectSandboxes, HEADERS, publish } from '../api.ts';
import { createDatabase, createFolder } from '../databases.ts';
import { load } from '../load.ts';
import { type BenchProcess, startOnPostgres } from '../processes.ts';
import { alternate, costsOf } from '../rounds.ts';
import type { Finding, Row } from '../row.ts';
import { COPY_POSTS } from '../stored-posts.ts';

export const telemetry: Row = {
  name: 'telemetry',
  run: async () => [
    await compare('telemetry, traces of all requests', {}),
    await compare('telemetry, one trace in ten', {
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
    }),
  ],
};

/** Both sides write the lines of the level `info`. */
const LOGGING = { LOG_LEVEL: 'info' };

async function compare(row: string, settings: Readonly<Record<string, string>>): Promise<Finding> {
  await using database = await createDatabase();
  await using folder = await createFolder();
  await using collector = await startCollector();
  const observed = { ...LOGGING, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...settings };
  await using ours = await startOnPostgres(database.url, folder.path, 'web', observed);
  await publish(ours.origin, await connectSandboxes(ours.origin, 1));
  const [post] = (await database.client.query<{ id: string }>('select id from posts')).rows;
  await database.client.query(COPY_POSTS, [post?.id]);
  await database.client.query('vacuum analyze');
  await using baseline = await startOnPostgres(database.url, folder.path, 'web', LOGGING);
  const ask = ({ origin }: BenchProcess) => ({ url: `${origin}/api/v2/posts?limit=25`, headers: HEADERS });
  await load(ask(baseline), 1)();
  await load(ask(ours), 1)();
  const { client } = database;
  return await alternate({
    row,
    unit: 'req/s',
    rounds: 5,
    ours: load(ask(ours)),
    baseline: load(ask(baseline)),
    costs: { ours: costsOf(ours, client), baseline: costsOf(baseline, client) },
  });
}

/** Takes every export and keeps none. */
async function startCollector(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
