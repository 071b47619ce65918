/** Finds the connection that a command names by its slug or id. */
import { CommandError } from './failure.ts';
import type { Client } from './signed-in.ts';
import { plainLine } from './terminal-text.ts';

type Connection = Awaited<ReturnType<Client['connections']['list']['query']>>['connections'][number];

/** @throws CommandError for no connection, and for several: profiles may have connections with the same slug */
export async function connectionNamed(client: Client, name: string): Promise<Connection> {
  const matches: Connection[] = [];
  let cursor: string | null = null;
  do {
    const page: { connections: Connection[]; nextCursor: string | null } = await client.connections.list.query(
      cursor === null ? {} : { cursor },
    );
    matches.push(...page.connections.filter(({ id, slug }) => id === name || slug === name));
    cursor = page.nextCursor;
  } while (cursor !== null);
  const [first, ...others] = matches;
  if (first === undefined) {
    throw new CommandError(
      'notFound',
      `No connection has the slug or id "${plainLine(name)}".`,
      'List them with: carillon connections',
    );
  }
  if (others.length === 0) return first;
  throw new CommandError(
    'usage',
    `${matches.length} connections have the slug "${name}".`,
    'Name the one by its id (carillon connections).',
  );
}
