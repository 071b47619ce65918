/**
 * A graphile-worker process for jobs that do nothing, with default settings except a concurrency of ten. The bench
 * starts it with PORT and DATABASE_URL.
 */
import { createServer } from 'node:http';
import { run } from 'graphile-worker';

const runner = await run({
  connectionString: process.env['DATABASE_URL'] ?? '',
  concurrency: 10,
  taskList: { empty: async () => undefined },
  noHandleSignals: true,
});

// Any answer means that the process is ready.
createServer((_request, response) => response.end('ok')).listen(Number(process.env['PORT']), '127.0.0.1');

process.on('SIGTERM', () => void runner.stop().finally(() => process.exit(0)));
