/**
 * The post of a request for approval that a person edits in Compose: it goes out once, under its id, and the one who asked
 * finds the answer there (docs/guide/approvals.md#decide).
 */
import { createTRPCClient, httpLink } from '@trpc/client';
import { describe, expect, it } from 'vitest';
import type { Api, Inputs } from '../../console/app/data/api-types.ts';
import { sendApproval } from '../../console/app/views/compose/send-approval.ts';
import type { AppRouter } from '../../routers/index.ts';
import { NO_POST } from '../harness/expected.ts';
import { accountWithSandbox, connectSandbox } from '../harness/connections.ts';
import { noise } from '../harness/images.ts';
import { eventsAbout, sandboxOf } from '../harness/posts.ts';
import { startWorld } from '../harness/world.ts';

type Fields = Partial<Inputs['posts']['create']>;

/** An account with a sandbox, and the profile whose agent asks. */
type Tenant = Awaited<ReturnType<typeof accountWithSandbox>> & { readonly profileId?: string };

const HOUR = 3_600_000;
const world = await startWorld();
const iso = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();

function apiOf(key: string): Api {
  const headers = { 'x-api-key': key };
  const client = createTRPCClient<AppRouter>({ links: [httpLink({ url: `${world.url}/trpc`, headers })] });
  return client as unknown as Api;
}

/** An account whose agent asks for a post, and what a person does with the post in Compose. */
async function asked(fields: Fields = {}, tenant?: Tenant) {
  const account: Tenant = tenant ?? (await accountWithSandbox(world));
  const { key, connection, id: accountId, profileId = null } = account;
  const { secret: agent } = await world.key({ accountId, profileId, approval: 'required' });
  const input = { text: 'Ding dnog', connectionSlugs: ['sandbox'], ...fields };
  const { body } = await world.rest('POST /posts', { key: agent, body: input });
  const { postId, approval } = body.results[0];
  const { requestedAt } = approval;
  const api = apiOf(key);
  return {
    key,
    agent,
    postId: postId as string,
    post: async () => (await api.posts.get.query({ postId })).post,
    /** What the agent reads. */
    read: async () => {
      const answer = await world.rest(`GET /posts/${postId}`, { key: agent });
      const { status, text, scheduledFor, approval: latest } = answer.body.post;
      return { status, text, scheduledFor, state: latest.state, reason: latest.reason };
    },
    events: async () => (await eventsAbout(world, postId)).map(({ name }) => name),
    textsUp: async () => (await sandboxOf(world, connection.id)).map(({ text }) => text),
    /** Sends it with other fields. @param followsPlan whether it goes out as asked */
    send: async (changes: Fields, followsPlan: boolean, by = api) => {
      const { scheduledFor } = changes;
      const at = typeof scheduledFor === 'string' ? Date.parse(scheduledFor) : null;
      const plan = { scheduledFor: null, queue: false };
      const answering = {
        postId,
        connectionId: connection.id,
        requestedAt,
        requestedBy: 'A key',
        plan,
        followsPlan,
        at,
      };
      const { results } = await sendApproval(by, {
        key: `${postId} ${JSON.stringify(changes)}`,
        input: { ...input, ...changes },
        approval: answering,
      });
      return results;
    },
  };
}

/** The result of the post; its other fields are those of a post that is not up. */
const result = (postId: string, fields: object) => ({
  ...NO_POST,
  connectionSlug: 'sandbox',
  postId,
  error: null,
  ...fields,
});

describe('sending it', () => {
  it('at the time that was asked for approves it with the changes', async () => {
    const scheduledFor = iso(24 * HOUR);
    const { postId, send, read, events } = await asked({ scheduledFor });

    const results = await send({ text: 'Ding dong' }, true);

    expect(results).toEqual([result(postId, { status: 'scheduled', scheduledFor })]);
    expect(await read()).toEqual({
      status: 'scheduled',
      text: 'Ding dong',
      scheduledFor,
      state: 'approved',
      reason: null,
    });
    expect(await events()).toEqual(['post.approval_requested', 'post.approved']);
  });

  it('at another time approves it as it was asked for', async () => {
    const { postId, send, read, events } = await asked({ scheduledFor: iso(24 * HOUR) });
    const scheduledFor = iso(48 * HOUR);

    const results = await send({ scheduledFor }, false);

    expect(results).toEqual([result(postId, { status: 'scheduled', scheduledFor })]);
    expect(await read()).toEqual({
      status: 'scheduled',
      text: 'Ding dnog',
      scheduledFor,
      state: 'approved',
      reason: null,
    });
    expect(await events()).toEqual(['post.approval_requested', 'post.approved']);
  });

  it('at another time with changes sends the edited draft', async () => {
    const { postId, send, read } = await asked({ scheduledFor: iso(24 * HOUR) });
    const scheduledFor = iso(48 * HOUR);

    const results = await send({ text: 'Ding dong', scheduledFor }, false);

    expect(results).toEqual([result(postId, { status: 'scheduled', scheduledFor })]);
    expect(await read()).toEqual({
      status: 'scheduled',
      text: 'Ding dong',
      scheduledFor,
      state: 'void',
      reason: 'The draft was edited.',
    });
  });

  it('as a draft edits it and ends the request', async () => {
    const { postId, send, read, post } = await asked({ thread: ['One'] });

    const results = await send({ thread: ['One', 'Two'], tags: ['Bells'], isDraft: true }, false);

    expect(results).toEqual([result(postId, { status: 'draft' })]);
    expect(await post()).toMatchObject({ thread: ['One', 'Two'], tags: ['bells'] });
    expect(await read()).toMatchObject({ status: 'draft', state: 'void', reason: 'The draft was edited.' });
  });

  it('with other words for an image changes only them', async () => {
    const tenant = await accountWithSandbox(world);
    const raw = await noise(10, 10).png().toBuffer();
    const upload = { key: tenant.key, raw, headers: { 'content-type': 'image/png' } };
    const { id } = (await world.rest('POST /media?altText=A%20bel', upload)).body.media;
    const { send, read, post } = await asked({ media: [{ id }] }, tenant);

    const results = await send({ media: [{ id, altText: 'A bell' }] }, true);

    expect(results).toMatchObject([{ status: 'sent', error: null }]);
    expect((await post()).media).toMatchObject([{ id, altText: 'A bell' }]);
    expect(await read()).toMatchObject({ text: 'Ding dnog', state: 'approved' });
  });

  it('by someone who may not approve sends it under its id, and ends the request', async () => {
    const tenant = await accountWithSandbox(world);
    const { id: profileId } = await world.profile('Acme', tenant.id);
    await connectSandbox(world, { key: tenant.key, profileId, slug: 'acme' });
    const { secret } = await world.key({ accountId: tenant.id, profileId });
    const { postId, send, read } = await asked({ connectionSlugs: ['acme'] }, { ...tenant, profileId });

    const results = await send({ text: 'Ding dong' }, true, apiOf(secret));

    expect(results).toMatchObject([{ status: 'sent', postId }]);
    expect(await read()).toMatchObject({
      status: 'sent',
      text: 'Ding dong',
      state: 'void',
      reason: 'The draft was edited.',
    });
  });

  it('into a queue without slots leaves the request as it is', async () => {
    const { send, read } = await asked();

    const results = await send({ text: 'Ding dong', queue: true }, false);

    const error = { code: 'queue_empty', message: expect.any(String) };
    expect(results).toEqual([result(expect.any(String) as never, { ...NO_POST, error })]);
    expect(await read()).toMatchObject({ status: 'draft', text: 'Ding dnog', state: 'pending' });
  });

  it('at a time that has passed leaves the request as it is', async () => {
    const { send, read } = await asked();

    await expect(send({ text: 'Ding dong', scheduledFor: iso(-HOUR) }, false)).rejects.toThrow('scheduledFor');

    expect(await read()).toMatchObject({ status: 'draft', text: 'Ding dnog', state: 'pending' });
  });

  it.each([
    ['approved', true, 'Ding dnog', false],
    ['approved with changes', true, 'Ding dong', false],
    ['edited and published', false, 'Ding dong', false],
    ['edited and scheduled', false, 'Ding dong', true],
  ])('twice, because the answer was lost, sends it once: %s', async (_how, followsPlan, text, isLater) => {
    const { send, textsUp } = await asked();
    const changes = { text, ...(isLater && { scheduledFor: iso(HOUR) }) };

    const first = await send(changes, followsPlan);
    const again = await send(changes, followsPlan);
    await world.advance(2 * HOUR);

    expect(again).toEqual(first);
    expect(await textsUp()).toEqual([text]);
  });

  it('after another person sent it sends nothing', async () => {
    const { key, postId, send, textsUp } = await asked();
    await world.rest(`POST /posts/${postId}/approve`, { key, body: {} });

    const sending = send({ text: 'Ding dong' }, true);

    await expect(sending).rejects.toThrow('is approved since');
    expect(await textsUp()).toEqual(['Ding dnog']);
  });

  it.each([true, false])('sends nothing while a newer request waits that was not read', async (followsPlan) => {
    const { agent, postId, send, read } = await asked();
    world.clock.advance(1_000);
    await world.rest(`PATCH /posts/${postId}`, { key: agent, body: { text: 'Something else' } });
    await world.rest(`POST /posts/${postId}/publish`, { key: agent, body: {} });

    const sending = send({ text: 'Ding dong' }, followsPlan);

    await expect(sending).rejects.toThrow('Read the post again, then decide.');
    expect(await read()).toMatchObject({ status: 'draft', text: 'Something else', state: 'pending' });
  });

  it('asks again when the one who asked edits it', async () => {
    const { agent, postId, send, read } = await asked();
    world.clock.advance(1_000);

    const results = await send({ text: 'Ding dong' }, true, apiOf(agent));

    expect(results).toMatchObject([{ status: 'draft', postId, approval: { state: 'pending', requestedAt: iso(0) } }]);
    expect(await read()).toMatchObject({ status: 'draft', text: 'Ding dong', state: 'pending' });
  });
});
