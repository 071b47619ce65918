/** All credentials that act for a profile or show its content end with the profile. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { makeLink } from '../harness/connect-links.ts';
import { connectSandbox } from '../harness/connections.ts';
import { eventsAbout } from '../harness/posts.ts';
import { IMAGE } from '../harness/tenant.ts';
import { startWorld, type World } from '../harness/world.ts';
import { callTool, refresh, signIn, tokensFor } from '../oauth/agents.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});

async function customer() {
  const { id } = await world.profile();
  const { secret } = await world.key({ profileId: id });
  const connection = await connectSandbox(world, { key: world.liveKey, slug: `bells-${id.slice(-6)}`, profileId: id });
  return { id, secret, connection, end: () => world.rest(`DELETE /profiles/${id}`) };
}

async function upload(key: string): Promise<string> {
  const { body } = await world.rest('POST /media', { key, raw: IMAGE, headers: { 'content-type': 'image/png' } });
  return body.media.id;
}

const bytesOf = async () => {
  const [row] = await world.sql<{ bytes: number }>('select sum(media_bytes)::int as bytes from accounts');
  return row?.bytes;
};

describe('a deleted profile ends', () => {
  it('its keys, also those that an agent with access to the whole account has minted for it', async () => {
    const { id, secret, end } = await customer();
    const minted = await world.rest(`POST /profiles/${id}/keys`, { body: { name: 'Customer', type: 'live' } });

    await end();

    for (const key of [secret, minted.body.secret]) expect((await world.rest('GET /posts', { key })).status).toBe(401);
  });

  it('the access of agents limited to it, with the next request', async () => {
    const { id, end } = await customer();
    const tokens = await tokensFor(world, await signIn(world), { reach: id });
    expect((await callTool(world, tokens.access, 'list_connections')).status).toBe(200);

    await end();

    expect((await callTool(world, tokens.access, 'list_connections')).status).toBe(401);
    expect((await refresh(world, tokens.clientId, tokens.refresh)).body.error).toBe('invalid_grant');
    const [grant] = await world.sql<{ revoked_at: unknown }>(
      'select revoked_at from oauth_grants where profile_id = $1',
      [id],
    );
    expect(grant?.revoked_at).not.toBe(null);
  });

  it('the requests for approval of its keys, also for posts that left it with their connection, and keeps the drafts', async () => {
    const { id, connection, end } = await customer();
    const { secret: key } = await world.key({ profileId: id, approval: 'required' });
    const body = { text: 'May I?', connectionSlugs: [connection.slug] };
    const asked = await world.rest('POST /posts', { key, body });
    const { postId } = asked.body.results[0];
    const another = await world.key({ approval: 'required' });
    const spared = await world.rest('POST /posts', {
      key: another.secret,
      body: { ...body, connectionSlugs: [world.sandboxSlug] },
    });
    await world.rest(`PATCH /connections/${connection.id}`, { body: { profileId: null } });

    await end();

    const { body: left } = await world.rest('GET /approvals');
    expect(left.approvals.map((one: { postId: string }) => one.postId)).toEqual([spared.body.results[0].postId]);
    const approved = await world.rest(`POST /posts/${postId}/approve`, { body: {} });
    expect([approved.status, approved.body.error]).toEqual([409, 'approval_not_pending']);
    expect((await world.rest(`GET /posts/${postId}`)).body.post).toMatchObject({
      status: 'draft',
      approval: { state: 'void', decidedBy: null, reason: 'The key or agent that asked has ended.' },
    });
    expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.approval_requested']);
  });

  it('its open connect sessions: an unopened link, and an open page', async () => {
    const { id, end } = await customer();
    const [closed, open] = [
      await makeLink(world, { platform: 'sandbox' }, { profileId: id }),
      await makeLink(world, { platform: 'sandbox' }, { profileId: id }),
    ];
    const browser = openBrowser(world);
    const page = await browser.get(open.path);
    const form = page.location === null ? page : await browser.get(page.location);

    await end();

    const late = await openBrowser(world).get(closed.path);
    const pressed = await browser.press(form, 'Connect');
    for (const link of [closed, open]) {
      expect(await link.read()).toMatchObject({ status: 'failed', error: 'connect_failed', connectionId: null });
    }
    expect(late.text).not.toContain('>Connect</button>');
    expect(pressed.location).toContain('error=connect_failed');
    const kept = await world.sql('select id from connections where profile_id = $1 and deleted_at is null', [id]);
    expect(kept).toEqual([]);
  });

  it('access to its images, for every key at once, and their storage with housekeeping', async () => {
    const { secret, end } = await customer();
    const before = await bytesOf();
    const mediaId = await upload(secret);
    expect((await world.rest(`GET /media/${mediaId}`)).status).toBe(200);

    await end();

    for (const call of [`GET /media/${mediaId}`, `GET /media/${mediaId}/raw`, `DELETE /media/${mediaId}`] as const)
      expect((await world.rest(call)).status).toBe(404);
    const body = { text: 'Ding', connectionSlugs: [world.sandboxSlug], media: [{ id: mediaId }] };
    expect((await world.rest('POST /posts', { body })).body.error).toBe('invalid_media');
    await world.housekeep();
    expect([await bytesOf(), await world.media.get(mediaId)]).toEqual([before, null]);
  });

  it('the storage of images that only its drafts use, which can no longer be sent', async () => {
    const { secret, connection, end } = await customer();
    const before = await bytesOf();
    const body = {
      text: 'Draft',
      connectionSlugs: [connection.slug],
      isDraft: true,
      media: [{ id: await upload(secret) }],
    };
    await world.rest('POST /posts', { key: secret, body });

    await end();
    await world.housekeep();

    expect(await bytesOf()).toBe(before);
  });

  it('but not the images of posts that have left it with their connection', async () => {
    const { secret, connection, end } = await customer();
    const mediaId = await upload(secret);
    const scheduledFor = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
    const body = { text: 'Moved', connectionSlugs: [connection.slug], scheduledFor, media: [{ id: mediaId }] };
    const created = await world.rest('POST /posts', { key: secret, body });
    await world.rest(`PATCH /connections/${connection.id}`, { body: { profileId: null } });

    await end();
    await world.housekeep();
    await world.advance(3_600_000);

    const { body: read } = await world.rest(`GET /posts/${created.body.results[0].postId}`);
    expect(read.post).toMatchObject({ status: 'sent' });
    expect(await world.media.get(mediaId)).not.toBe(null);
  });
});
