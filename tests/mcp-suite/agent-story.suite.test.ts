/** An agent that knows only the address, from its first 401 to the one after the owner revokes it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { verifyWebhook } from '../../client/verify-webhook.ts';
import { callsTo } from '../crash/server-process.ts';
import type { Browser } from '../harness/browser.ts';
import { plain } from '../harness/images.ts';
import { signedInBrowser } from '../harness/owner.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { aHost, agree } from '../oauth/agent-host.ts';

const { owned } = inject('mcp');
const { rest } = callsTo(owned);
const ENDPOINT = `${owned}/mcp`;
const SLUG = 'bells-sandbox';

const host = aHost();
const asked: string[] = [];
const ID = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;

let browser: Browser;
let receiver: Receiver;
let webhookSecret: string;
let profileId: string;
let client: Client;
let postId: string;
let sendAt: Date;

/**
 * The set-up by operator and owner before any agent comes: a profile with a connection, and one connection outside it.
 */
beforeAll(async () => {
  browser = await signedInBrowser({ url: owned });
  profileId = (await rest('POST /profiles', { body: { name: 'Bells' } })).body.profile.id;
  await rest('POST /connections', { body: { platformId: 'sandbox', credentials: {}, slug: SLUG, profileId } });
});

const advance = (seconds: number) => rest('POST /simulation/clock', { body: { advanceSeconds: seconds } });
const now = async () => new Date((await rest('GET /simulation/clock')).body.now);

function newClient(): Client {
  const opened = new Client(
    { name: 'ringer', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  );
  opened.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { yes: true } };
  });
  return opened;
}

const transport = () => new StreamableHTTPClientTransport(new URL(ENDPOINT), { authProvider: host.provider });

// eslint-disable-next-line typescript/no-explicit-any -- tests compare whole bodies and read known fields
async function call(name: string, input: Record<string, unknown> = {}): Promise<any> {
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: input });
  expect({ isError: isError ?? false, content }).toMatchObject({ isError: false });
  return structuredContent;
}

it('learns from the 401 where to ask, registers, and asks', async () => {
  const { status, headers } = await fetch(ENDPOINT, { method: 'POST', body: '{}' });
  expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('resource_metadata=')]);

  await expect(newClient().connect(transport())).rejects.toThrow(UnauthorizedError);

  expect(host.stored['client']).toMatchObject({ client_id: ID, client_name: 'Host' });
  expect(host.asked).toHaveLength(1);
});

it('is granted access by the owner, to one profile', async () => {
  const agentTransport = transport();
  await agentTransport.finishAuth(await agree(browser, host.asked[0], profileId));
  client = newClient();
  await client.connect(transport());

  expect((await call('list_connections')).connections).toEqual([expect.objectContaining({ slug: SLUG, profileId })]);
});

it('reads the guide to good posts, and a prompt for it', async () => {
  const { contents } = await client.readResource({ uri: 'skill://social-posting/SKILL.md' });
  const { messages } = await client.getPrompt({
    name: 'draft_post',
    arguments: { topic: 'Noon', connectionSlug: SLUG },
  });

  expect(contents).toEqual([expect.objectContaining({ text: expect.stringContaining('name: social-posting') })]);
  expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: expect.stringContaining(`"${SLUG}"`) } }]);
});

it('learns what is wrong with a text that is too long, and that the shorter one is valid', async () => {
  const verdict = async (text: string) => (await call('validate_post', { text, connectionSlugs: [SLUG] })).results[0];

  expect(await verdict('Dong '.repeat(101))).toMatchObject({
    ok: false,
    length: 504,
    maxLength: 500,
    error: { code: 'platform_rejected', message: expect.stringMatching(/504.*500|500.*504/) },
  });
  expect(await verdict('Dong '.repeat(12))).toMatchObject({ ok: true, error: null });
});

it('schedules a post with an image from an address, and repeats the request without a second post', async () => {
  receiver = await startReceiver(200, afterAll);
  const { body } = await rest('POST /webhooks', { body: { url: receiver.url, events: ['post.sent'] } });
  webhookSecret = body.webhook.secret;
  const { media } = await call('upload_media_from_url', { url: await imageAddress(), altText: 'A bell' });
  sendAt = new Date((await now()).getTime() + 3_600_000);
  const wish = {
    text: 'Twelve strokes at noon',
    connectionSlugs: [SLUG],
    media: [{ id: media.id }],
    scheduledFor: sendAt.toISOString(),
    idempotencyKey: 'noon-1',
  };

  const [first, again] = [await call('create_post', wish), await call('create_post', wish)];

  expect(first.results).toEqual([expect.objectContaining({ connectionSlug: SLUG, status: 'scheduled', postId: ID })]);
  expect(again).toEqual(first);
  postId = first.results[0].postId;
  expect((await call('list_posts', { status: 'scheduled' })).posts).toHaveLength(1);
});

it('reads the post as sent at its time, with an automatically refreshed token', async () => {
  const before = host.stored['tokens'];
  await advance(3_700);

  const { post } = await call('get_post', { postId });

  expect(post).toMatchObject({
    status: 'sent',
    scheduledFor: sendAt.toISOString(),
    url: expect.stringContaining(owned),
  });
  expect((await fetch(post.url)).status).toBe(200);
  expect(host.stored['tokens']).not.toEqual(before);
  expect(host.asked).toHaveLength(1);
});

it('shares the news: the webhook has received it, signed', async () => {
  const [delivery] = receiver.received;
  const { raw, headers } = delivery ?? { raw: '', headers: {} };

  const event = await verifyWebhook(raw, headers, webhookSecret, { now: await now() });

  expect(receiver.received).toHaveLength(1);
  expect(event).toMatchObject({ event: 'post.sent', post: { id: postId, profileId } });
});

it('reads the outcome', async () => {
  await advance(3_600);
  const { latest } = await call('get_post_metrics', { postId });
  const { totals } = await call('get_analytics');

  expect(latest).toMatchObject({ likes: expect.any(Number) });
  expect(totals).toMatchObject({ posts: 1 });
});

it('deletes the post after a person has confirmed', async () => {
  const answer = await call('delete_post', { postId });

  expect(asked).toEqual([expect.stringContaining(`delete_post {"postId":"${postId}"}`)]);
  expect(answer).toMatchObject({ id: postId, status: 'deleted' });
});

it('is named in the audit entry of every change', async () => {
  const { client_id: clientId } = host.stored['client'] as { client_id: string };
  const { body } = await rest(`GET /audit?actorKind=oauth_client&actorId=${clientId}&outcome=ok`);

  const actor = { kind: 'oauth_client', id: clientId, name: 'Host' };
  const post = { type: 'post', ids: [postId] };
  const common = { id: ID, at: expect.any(String), actor, surface: 'mcp', outcome: 'ok', mode: 'live', profileId };
  const entries = body.entries.filter(({ surface }: { surface: string }) => surface === 'mcp');
  expect(entries).toEqual([
    { ...common, operation: 'posts.delete', object: post, requestId: ID },
    { ...common, operation: 'posts.create', object: post, requestId: ID },
    { ...common, operation: 'posts.create', object: post, requestId: ID },
    { ...common, operation: 'media.uploadFromUrl', object: { type: 'media', ids: [ID] }, requestId: ID },
  ]);
});

it('gets 401 on its next request after the owner revokes it', async () => {
  const page = await browser.get('/owner/agents');
  const panel = page.text.split('<section ').find((text) => text.includes('Only the profile Bells')) ?? '';
  const { access_token: token } = host.stored['tokens'] as { access_token: string };

  const pressed = await browser.press({ ...page, text: panel }, 'Revoke');

  expect(pressed.status).toBe(303);
  await expect(client.callTool({ name: 'list_connections', arguments: {} })).rejects.toThrow(UnauthorizedError);
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(ENDPOINT, { method: 'POST', body: '{}', headers })).status).toBe(401);
  expect(host.stored['tokens']).toBeUndefined();
  expect(host.asked).toHaveLength(2);
});

/** Address of an image, served until the file ends. */
async function imageAddress(): Promise<string> {
  const bytes = await plain(40, 30).png().toBuffer();
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end(bytes),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/bell.png`;
}
