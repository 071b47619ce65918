/** The columns that a statement would return, as the database describes them without running it. */
import { Client } from 'pg';
import type { Database } from '../../entities/orm.ts';
import { tables } from '../../entities/tables.ts';
import { sql } from 'kysely';
import { databaseUrl } from './database.ts';

/** Name and type of each column, in order. @throws the error of the database when it cannot prepare the text */
export async function describeStatement(database: Database, text: string): Promise<[name: string, type: string][]> {
  const fields =
    database.lite === undefined ? await describeOnServer(database, text) : await describeLite(database, text);
  const { rows } = await sql<{ oid: string; type: string }>`
    select oid::text as oid, format_type(oid, null) as type from pg_type`.execute(tables(database.em()));
  const names = new Map(rows.map(({ oid, type }) => [oid, type]));
  return fields.map(({ name, dataTypeID }) => [name, names.get(String(dataTypeID)) ?? String(dataTypeID)]);
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

async function describeLite({ lite }: Database, text: string): Promise<readonly Field[]> {
  // It takes several messages, between which the maintenance of the database could send its own.
  return (await lite?.runExclusive(() => lite.describeQuery(text)))?.resultFields ?? [];
}

async function describeOnServer(database: Database, text: string): Promise<readonly Field[]> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(tables(database.em()));
  const client = new Client({ connectionString: databaseUrl(rows[0]?.name ?? '') });
  await client.connect();
  try {
    return await new Promise((resolve, reject) => {
      client.query(new Description(text, resolve, reject));
    });
  } finally {
    await client.end();
  }
}

/** The messages of the extended protocol that the driver has no method for. */
interface Connection {
  parse(message: { text: string; name: string; types: never[] }): void;
  describe(message: { type: 'S'; name: string }): void;
  sync(): void;
}

/** What the driver calls in place of a query. */
class Description {
  readonly text: string;
  readonly resolve: (fields: readonly Field[]) => void;
  readonly reject: (error: Error) => void;
  fields: readonly Field[] = [];

  constructor(text: string, resolve: (fields: readonly Field[]) => void, reject: (error: Error) => void) {
    this.text = text;
    this.resolve = resolve;
    this.reject = reject;
  }

  submit(connection: unknown): void {
    const protocol = connection as Connection;
    protocol.parse({ text: this.text, name: '', types: [] });
    protocol.describe({ type: 'S', name: '' });
    protocol.sync();
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.fields = fields;
  }

  handleReadyForQuery(): void {
    this.resolve(this.fields);
  }

  handleError(error: Error): void {
    this.reject(error);
  }
}
