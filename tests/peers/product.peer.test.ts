/**
 * The product as `npm start` runs it, over each of its surfaces, against real servers: they list exactly what was
 * posted.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../client/index.ts';
import { freePort, launchProcess, type ServerProcess } from '../crash/server-process.ts';
import { waitUntil } from '../crash/wait-until.ts';
import { peerScript, snacScript } from './ensure-peers.ts';
import { openOnPds, openOnSnac, type PeerAccount } from './peer-accounts.ts';

/** One surface of the product; all accept and return the same bodies. */
interface Surface {
  create(input: { text: string; connectionSlugs: string[]; scheduledFor?: string }): Promise<unknown>;
  get(postId: string): Promise<{ post: { status: string } }>;
  delete(postId: string): Promise<unknown>;
}

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/) as string;
const HTTP = expect.stringMatching(/^https?:/) as string;

let product: ServerProcess;
let dataDir: string;
let key: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'carillon-product-'));
  const settings = {
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    // The tests poll more often than the rate limit permits.
    RATE_LIMIT_PER_MINUTE: '100000',
  };
  product = launchProcess(settings, ['npm', 'start']);
  const startedAt = performance.now();
  await waitUntil('the product is ready', async () => {
    if (product.child.exitCode !== null) throw new Error(`npm start ended: ${product.stderr()}`);
    return product.get('/readyz').then(
      ({ status }) => status === 200,
      () => false,
    );
  });
  console.log(`npm start was ready after ${Math.round(performance.now() - startedAt)} ms`);
  key = /crl_live_\w+/.exec(product.stdout())?.[0] ?? '';
});

afterAll(async () => {
  await product.stop();
  await rm(dataDir, { recursive: true, force: true });
});

function overRest(): Surface {
  const call = async (operation: `${string} /${string}`, body?: unknown) => {
    const answer = await product.rest(operation, { key, ...(body === undefined ? {} : { body }) });
    expect(answer.status).toBe(200);
    return answer.body;
  };
  return {
    create: (input) => call('POST /posts', input),
    get: (postId) => call(`GET /posts/${postId}`),
    delete: (postId) => call(`DELETE /posts/${postId}`),
  };
}

async function overMcp(): Promise<Surface> {
  const client = new Client({ name: 'carillon-peers', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${product.url}/mcp`), {
    requestInit: { headers: { 'x-api-key': key } },
  });
  await client.connect(transport);
  // A client checks answers against the output schemas only after it has read them.
  await client.listTools();
  const call = async <Body>(name: string, input: object) => {
    const result = await client.callTool({ name, arguments: { ...input } });
    expect(result.isError ?? false).toBe(false);
    return result.structuredContent as Body;
  };
  return {
    create: (input) => call('create_post', input),
    get: (postId) => call('get_post', { postId }),
    delete: (postId) => call('delete_post', { postId }),
  };
}

function overTypedClient(): Surface {
  const client = createClient({ url: product.url, apiKey: key });
  return {
    create: (input) => client.posts.create.mutate(input),
    get: (postId) => client.posts.get.query({ postId }),
    delete: (postId) => client.posts.delete.mutate({ postId }),
  };
}

const SURFACES = [
  ['REST', overRest],
  ['MCP', overMcp],
  ['the typed client', overTypedClient],
] as const;

interface Created {
  readonly results: { readonly postId: string; readonly url: string }[];
}

function resultFor(slug: string, status: 'sent' | 'scheduled', scheduledFor: string | null): unknown {
  const fixed = { threadCount: 0, hasFirstComment: false, error: null };
  return { connectionSlug: slug, status, postId: UUID, url: status === 'sent' ? HTTP : null, scheduledFor, ...fixed };
}

describe.each([
  ['bluesky', peerScript('bluesky/start-pds.mjs'), openOnPds],
  ['mastodon', snacScript(), openOnSnac],
] as const)('%s', (platformId, script, open) => {
  describe.skipIf(script === undefined)('a real server', () => {
    let account: PeerAccount;

    beforeAll(async () => {
      account = await open(script ?? '');
    });

    afterAll(() => account?.stop());

    it('connects over REST', async () => {
      const body = { platformId, credentials: account.credentials, slug: platformId, description: 'A real account' };

      const answer = await product.rest('POST /connections', { key, body });

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        connection: {
          id: UUID,
          slug: platformId,
          platformId,
          description: 'A real account',
          timezone: 'UTC',
          queueSlots: [],
          profileId: null,
          rewriteMode: 'inherit',
          queuePaused: false,
          nextSlotAt: null,
          reconnectRequired: null,
          handle: expect.stringMatching(/^alice/),
          createdAt: expect.any(String),
          // Only some platforms give tokens that end and are renewed.
          credentialRenewsAt: expect.toBeOneOf([null, expect.any(String)]),
          credentialEndsAt: null,
        },
      });
    });

    it.each(SURFACES)(
      'lists exactly what is posted over %s, now and at a time, until it is deleted',
      async (name, reach) => {
        const surface = await reach();
        const before = await account.texts();
        const [now, later] = [`now over ${name}`, `later over ${name}`];

        const sent = (await surface.create({ text: now, connectionSlugs: [platformId] })) as Created;

        expect(sent).toEqual({ results: [resultFor(platformId, 'sent', null)] });
        expect(await account.texts()).toEqual([...before, now].toSorted());

        const scheduledFor = new Date(Date.now() + 2_000).toISOString();
        const scheduled = (await surface.create({
          text: later,
          connectionSlugs: [platformId],
          scheduledFor,
        })) as Created;
        expect(scheduled).toEqual({ results: [resultFor(platformId, 'scheduled', scheduledFor)] });
        const [{ postId }] = scheduled.results as [Created['results'][0]];
        await waitUntil('it is sent', async () => (await surface.get(postId)).post.status === 'sent');
        expect(await account.texts()).toEqual([...before, now, later].toSorted());

        for (const { results } of [sent, scheduled]) {
          const [result] = results;
          expect(await surface.delete(result?.postId ?? '')).toEqual({
            id: result?.postId,
            status: 'deleted',
            deletedAt: TIME,
          });
        }
        expect(await account.texts()).toEqual(before);
      },
    );
  });
});

describe('the sandbox', () => {
  it.each(SURFACES)('shows on its public page what is posted over %s, until it is deleted', async (name, reach) => {
    const surface = await reach();
    const text = `Hello from <b>${name}</b> & company`;

    const { results } = (await surface.create({ text, connectionSlugs: ['sandbox'] })) as Created;

    expect(results).toEqual([resultFor('sandbox', 'sent', null)]);
    const [{ url, postId }] = results as [Created['results'][0]];
    const shown = `Hello from &lt;b&gt;${name}&lt;/b&gt; &amp; company`;
    const timeline = url.slice(0, url.lastIndexOf('/'));
    for (const page of [url, timeline]) {
      const response = await fetch(page);
      expect([page, response.status]).toEqual([page, 200]);
      expect(await response.text()).toContain(shown);
    }

    await surface.delete(postId);

    expect((await fetch(url)).status).toBe(410);
    expect(await (await fetch(timeline)).text()).not.toContain(shown);
  });
});

describe('a stop of npm start', () => {
  it('is forwarded and exits with status 0', async () => {
    const surface = overRest();
    const posting = surface.create({ text: 'under way [[slow 1000]]', connectionSlugs: ['sandbox'] });
    await waitUntil('it is being sent', async () => {
      const { body } = await product.rest('GET /posts?status=processing', { key });
      return body.posts.length === 1;
    });

    expect(await product.stop()).toMatchObject({ code: 0, signal: null });

    expect(await posting).toEqual({ results: [resultFor('sandbox', 'sent', null)] });
  });
});
