/** mcp: a page of 25 posts as a tool call, in both eras of the protocol, against the same page over REST. */
import { connectSandboxes, HEADERS, publish } from '../api.ts';
import { createDatabase, createFolder } from '../databases.ts';
import { type Ask, load, WARM_UP_SECONDS } from '../load.ts';
import { prepareOnPostgres, startOnPostgres } from '../processes.ts';
import { alternate, costsOf } from '../rounds.ts';
import type { Row } from '../row.ts';
import { COPY_POSTS } from '../stored-posts.ts';

const LIMIT = 25;
const TOOL = 'list_posts';

/** The revision without sessions. Older clients name no revision. */
const MODERN = '2026-07-28';

export const mcp: Row = {
  name: 'mcp',
  run: async () => {
    await using database = await createDatabase();
    await using folder = await createFolder();
    const [postId] = await prepareOnPostgres(database.url, folder.path, async (origin) =>
      publish(origin, await connectSandboxes(origin, 1)),
    );
    await using install = await startOnPostgres(database.url, folder.path, 'web');
    await database.client.query(COPY_POSTS, [postId]);
    await database.client.query('vacuum analyze');
    const rest = load({ url: `${install.origin}/api/v2/posts?limit=${LIMIT}`, headers: HEADERS });
    const compare = async (row: string, ask: Ask) => {
      await load(ask, WARM_UP_SECONDS)();
      const cost = costsOf(install, database.client);
      const costs = { ours: cost, baseline: cost };
      return alternate({ row, ours: load(ask), baseline: rest, unit: 'calls/s', target: 0.8, rounds: 5, costs });
    };
    return [
      await compare(`mcp, ${MODERN}, to REST`, callInModern(install.origin)),
      await compare('mcp, older revisions, to REST', callInOlder(install.origin)),
    ];
  },
};

function callInModern(origin: string): Ask {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': TOOL };
  return toolCall(origin, headers, { _meta: meta });
}

function callInOlder(origin: string): Ask {
  return toolCall(origin, {}, {});
}

function toolCall(origin: string, headers: Record<string, string>, besides: object): Ask {
  const params = { name: TOOL, arguments: { limit: LIMIT }, ...besides };
  return {
    url: `${origin}/mcp`,
    headers: { ...HEADERS, accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  };
}
