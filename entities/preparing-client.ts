/**
 * A database client that prepares frequent statements: PostgreSQL then parses and plans them once per connection, not
 * each time.
 */
import { createHash } from 'node:crypto';
import { Client } from 'pg';

/** Uses of a statement before it is prepared: a statement that runs once at startup is not worth it. */
const PREPARE_AFTER = 5;

/** Most prepared statements, so that endlessly varying texts cannot fill the server's memory. */
const PREPARED_MAX = 200;

/** Use count of each text; a name once it is prepared. */
const seen = new Map<string, number | string>();

function nameOf(text: string): string | undefined {
  const known = seen.get(text) ?? 0;
  if (typeof known === 'string') return known;
  if (seen.size >= PREPARED_MAX && known === 0) return undefined;
  const name =
    known + 1 >= PREPARE_AFTER ? createHash('sha256').update(text).digest('base64url').slice(0, 20) : undefined;
  seen.set(text, name ?? known + 1);
  return name;
}

/** Passed to a pool as its `Client`. Only statements with parameters are prepared. */
export class PreparingClient extends Client {
  // The driver's signature has a dozen overloads; calls without a text and values are passed on unchanged.
  override query(...given: unknown[]): never {
    const [text, values, ...rest] = given;
    const name = typeof text === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined;
    const passed = name === undefined ? given : [{ name, text, values }, ...rest];
    return super.query(...(passed as Parameters<Client['query']>)) as never;
  }
}
