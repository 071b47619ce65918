/** A graphile-worker process for jobs that do nothing, as it comes but for ten at a time. Started by the bench with PORT and DATABASE_URL. */
import { createServer } from 'node:http';
import { run } from 'graphile-worker';

const runner = await run({
  connectionString: process.env['DATABASE_URL'] ?? '',
  concurrency: 10,
  taskList: { empty: async () => undefined },
  noHandleSignals: true,
});

// Answering at all is what says that it is ready.
createServer((_request, response) => response.end('ok')).listen(Number(process.env['PORT']), '127.0.0.1');

process.on('SIGTERM', () => void runner.stop().finally(() => process.exit(0)));
