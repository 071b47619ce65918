/**
 * A pg-boss process for jobs that do nothing: batches of 1,000 and a poll each half second, its fastest settings. The bench
 * starts it with PORT and DATABASE_URL. `POST /{count}` adds jobs; `GET /` answers once it is ready.
 */
import { createServer } from 'node:http';
import { PgBoss } from 'pg-boss';

const QUEUE = 'empty';

const boss = new PgBoss(process.env['DATABASE_URL'] ?? '');
boss.on('error', (error) => console.error(error));
await boss.start();
await boss.createQueue(QUEUE);
await boss.work(QUEUE, { batchSize: 1_000, pollingIntervalSeconds: 0.5 }, async () => undefined);

createServer((request, response) => {
  const count = request.method === 'POST' ? Number(request.url?.slice(1)) : 0;
  const jobs = Array.from({ length: count }, () => ({}));
  void (count === 0 ? Promise.resolve() : boss.insert(QUEUE, jobs)).then(() => response.end('ok'));
}).listen(Number(process.env['PORT']), '127.0.0.1');

process.on('SIGTERM', () => void boss.stop().finally(() => process.exit(0)));
