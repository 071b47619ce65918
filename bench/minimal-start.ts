/**
 * The least that has to start: Fastify, and a driver that has answered one query. The bench starts it with PORT, and with
 * DATABASE_URL or with the folder of an embedded database in DATA_DIR.
 */
import Fastify from 'fastify';

const url = process.env['DATABASE_URL'];
if (url === undefined) {
  const { PGlite } = await import('@electric-sql/pglite');
  const lite = await PGlite.create({ dataDir: process.env['DATA_DIR'] ?? '' });
  await lite.query('select 1');
} else {
  const { Pool } = await import('pg');
  await new Pool({ connectionString: url }).query('select 1');
}

const app = Fastify();
app.get('/', async () => 'ok');
await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));
