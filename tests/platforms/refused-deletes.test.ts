/**
 * The result of a refused delete (docs/contract/posts.md#refused-deletes), on every platform that has a delete:
 * the post stays sent.
 */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { PLATFORM_IDS, type PlatformId, platformOf } from '../../platforms/registry.ts';
import { type ScriptedAnswer, scriptNetwork } from '../harness/scripted-network.ts';
import { START } from '../harness/test-clock.ts';
import { startWorld } from '../harness/world.ts';
import { PROXY_ANSWERS, shownAnswer } from './proxy-answers.ts';
import { startPlatformServers } from './servers/index.ts';
import { sandboxServer } from './servers/sandbox.ts';

const started = await startPlatformServers({ now: () => START });
afterAll(() => started[Symbol.asyncDispose]());
const world = await startWorld({ env: started.env });
const network = scriptNetwork(world);
const servers = [...started.all, sandboxServer(world)];

beforeEach(() => {
  network.script = null;
});

interface Row {
  readonly platformId: PlatformId;
  /** The platform's name for the error. */
  readonly refusal: string;
  readonly answer: ScriptedAnswer;
}

const row = (platformId: PlatformId, refusal: string, status: number, json: unknown): Row => ({
  platformId,
  refusal,
  answer: { status, json },
});
const graph = (status: number, code: number) =>
  row('facebook', `error ${code}`, status, { error: { message: 'Refused', code } });
const discord = (status: number, code: number) => row('discord', `code ${code}`, status, { code, message: 'Refused' });
const telegram = (error_code: number, description: string) =>
  row('telegram', description, error_code, { ok: false, error_code, description });

/** An invalid access token, as each platform documents it. */
const DEAD: readonly Row[] = [
  row('bluesky', 'ExpiredToken', 400, { error: 'ExpiredToken', message: 'Token has expired' }),
  row('bluesky', '401', 401, { error: 'AuthenticationRequired', message: 'Refused' }),
  row('mastodon', '401', 401, { error: 'The access token was revoked' }),
  row('linkedin', '401', 401, { code: 'REVOKED_ACCESS_TOKEN', message: 'The token was revoked', status: 401 }),
  graph(400, 190),
  graph(400, 102),
  row('x', '401', 401, { title: 'Unauthorized', detail: 'Unauthorized', status: 401 }),
  row('x', 'unsupported-authentication', 403, {
    type: 'https://api.x.com/2/problems/unsupported-authentication',
    detail: 'Refused',
  }),
  row('reddit', '401', 401, { message: 'Unauthorized', error: 401 }),
  telegram(401, 'Unauthorized'),
  telegram(404, 'Not Found'),
  discord(401, 50_027),
  discord(404, 10_015),
];

/** Errors about the post. */
const REFUSED: readonly Row[] = [
  row('bluesky', '403', 403, { error: 'Forbidden', message: 'Refused' }),
  row('mastodon', '403', 403, { error: 'This action is outside the authorized scopes' }),
  row('mastodon', '422', 422, { error: 'Refused' }),
  row('linkedin', '403', 403, { code: 'ACCESS_DENIED', message: 'Not enough permissions to access', status: 403 }),
  graph(403, 200),
  graph(400, 10),
  row('x', '403', 403, { title: 'Forbidden', detail: 'Forbidden', status: 403 }),
  row('reddit', '403', 403, { message: 'Forbidden', error: 403 }),
  telegram(400, 'Bad Request: message can’t be deleted for everyone'),
  telegram(400, 'Bad Request: not enough rights'),
  telegram(403, 'Forbidden: bot was kicked from the channel chat'),
  discord(403, 50_013),
  discord(403, 50_001),
  row('discord', '403 without a code', 403, {}),
  { platformId: 'nostr', refusal: 'blocked', answer: { status: 400, text: 'blocked: deletions are not taken' } },
];

/** Responses that leave open whether the post is gone: answers of proxies, and unconfirmed successes. */
const UNCONFIRMED: readonly Row[] = [
  ...(['bluesky', 'mastodon', 'linkedin', 'facebook', 'x', 'reddit', 'telegram', 'discord'] as const).flatMap(
    (platformId) => PROXY_ANSWERS.map((answer) => ({ platformId, refusal: shownAnswer(answer), answer })),
  ),
  row('x', 'errors alone', 200, { errors: [{ title: 'Internal', detail: 'Refused' }] }),
  row('x', 'deleted: false', 200, { data: { deleted: false } }),
  row('facebook', 'success: false', 200, { success: false }),
  row('telegram', 'result: false', 200, { ok: true, result: false }),
];

async function sentPost(platformId: PlatformId, text = 'to be deleted') {
  const server = servers.find((one) => one.platformId === platformId);
  const { id: profileId } = await world.profile();
  const body = { platformId, credentials: server?.credentials, profileId };
  const { connection } = (await world.rest('POST /connections', { body })).body;
  const asked = { text: `${text} ${profileId}`, connectionSlugs: [connection.slug], profileId };
  const { results } = (await world.rest('POST /posts', { body: asked })).body;
  expect(results[0].status).toBe('sent');
  return { postId: results[0].postId as string, connectionId: connection.id as string };
}

/** Answers everything except a renewal, which no platform grants here. */
function refuseWith({ platformId, answer }: Row): void {
  const isRenewal = (url: URL) =>
    !['telegram', 'discord'].includes(platformId) && /token|refreshSession|createSession/.test(url.pathname);
  network.script = (url) =>
    isRenewal(url) ? { status: 400, json: { error: 'invalid_grant', message: 'Refused' } } : answer;
}

async function deleted(postId: string) {
  const { status, body } = await world.rest(`DELETE /posts/${postId}`);
  network.script = null;
  const { post } = (await world.rest(`GET /posts/${postId}`)).body;
  return [status, body.error, post.status, post.deletedAt];
}

const reconnectOf = async (id: string) =>
  (await world.rest(`GET /connections/${id}`)).body.connection.reconnectRequired;

it('covers every platform that has a delete', () => {
  const withDelete = PLATFORM_IDS.filter((id) => platformOf(world.context.platforms, id).remove !== undefined);
  const shown = (rows: readonly Row[]) => [...new Set(rows.map(({ platformId }) => platformId))].toSorted();

  // The credentials of the sandbox and of Nostr cannot expire.
  expect([...shown(DEAD), 'sandbox', 'nostr'].toSorted()).toEqual(withDelete.toSorted());
  expect([...shown(REFUSED), 'sandbox'].toSorted()).toEqual(withDelete.toSorted());
});

describe('a dead access token', () => {
  it.for(DEAD)('of $platformId ($refusal) answers reconnect_required, and the post stays sent', async (refused) => {
    const { postId, connectionId } = await sentPost(refused.platformId);
    refuseWith(refused);

    expect(await deleted(postId)).toEqual([422, 'reconnect_required', 'sent', null]);
    expect(await reconnectOf(connectionId)).not.toBe(null);
  });
});

describe('a refusal that is about the post', () => {
  it.for(REFUSED)('of $platformId ($refusal) answers platform_rejected, and the post stays sent', async (refused) => {
    const { postId, connectionId } = await sentPost(refused.platformId);
    refuseWith(refused);

    expect(await deleted(postId)).toEqual([422, 'platform_rejected', 'sent', null]);
    expect(await reconnectOf(connectionId)).toBe(null);
  });

  it('of the sandbox answers platform_rejected, and the post stays sent', async () => {
    const { postId } = await sentPost('sandbox', '[[refuse-delete]]');

    expect(await deleted(postId)).toEqual([422, 'platform_rejected', 'sent', null]);
  });
});

describe('a response that does not confirm the delete', () => {
  it.for(UNCONFIRMED)('on $platformId ($refusal) is no delete, and the post stays sent', async (unconfirmed) => {
    const { postId, connectionId } = await sentPost(unconfirmed.platformId);
    refuseWith(unconfirmed);

    expect(await deleted(postId)).toEqual([503, 'platform_unavailable', 'sent', null]);
    expect(await reconnectOf(connectionId)).toBe(null);
  });
});

describe('a post that was deleted on the platform itself', () => {
  it.for<Row>([
    row('mastodon', '404', 404, { error: 'Record not found' }),
    row('linkedin', '404', 404, { message: 'Not found', status: 404 }),
    row('facebook', 'error 100.33', 400, { error: { message: 'Refused', code: 100, error_subcode: 33 } }),
    row('x', '404', 404, { title: 'Not Found Error' }),
    row('x', 'resource-not-found', 200, { errors: [{ type: 'https://api.x.com/2/problems/resource-not-found' }] }),
  ])('on $platformId ($refusal) counts as deleted', async (gone) => {
    const { postId } = await sentPost(gone.platformId);
    refuseWith(gone);

    expect(await deleted(postId)).toEqual([200, undefined, 'deleted', expect.any(String)]);
  });

  it('on a Mastodon server that says so with a web page counts as deleted while its API answers', async () => {
    const { postId } = await sentPost('mastodon');
    network.script = ({ pathname }) =>
      pathname === '/api/v1/instance'
        ? { status: 200, json: { uri: 'bells.example' } }
        : { status: 404, text: '<h1>404 Not Found</h1>' };

    expect(await deleted(postId)).toEqual([200, undefined, 'deleted', expect.any(String)]);
  });
});
