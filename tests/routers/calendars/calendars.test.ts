/** The private calendars of an account: their addresses, what they show, and who may read them. */
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { refusal, UNKNOWN_ID, UUID } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const DAY_MS = 86_400_000;
const iso = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();

/** Reads an address of this install, which names its public origin. */
async function read(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(world.url + new URL(url).pathname, { method, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function makeCalendar(key: string, body: object = {}) {
  return (await world.rest('POST /calendars', { key, body })).body.calendar;
}

/** The events of a file, as a parser for calendar applications reads them. */
function eventsIn(file: string) {
  const calendar = new ICAL.Component(ICAL.parse(file));
  return calendar.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component);
    return {
      uid: event.uid,
      summary: event.summary,
      description: event.description,
      start: event.startDate.toJSDate().toISOString(),
      status: component.getFirstPropertyValue('status'),
      stamp: String(component.getFirstPropertyValue('dtstamp')),
      modified: String(component.getFirstPropertyValue('last-modified')),
      url: component.getFirstPropertyValue('url'),
      categories: component.getFirstProperty('categories')?.getValues() ?? [],
    };
  });
}

describe('POST /calendars', () => {
  it('gives the address once and stores only its hash', async () => {
    const { key } = await accountWithSandbox(world);

    const { status, body } = await world.rest('POST /calendars', { key, body: { name: 'Bells' } });

    expect(status).toBe(200);
    const { url, ...shown } = body.calendar;
    expect(url).toMatch(/^http:\/\/localhost:3000\/calendars\/cal_[\w-]{43}\.ics$/);
    const at = world.clock.now().toISOString();
    const facts = { profileId: null, connectionId: null, mode: 'live', freeSlots: true, createdAt: at, renewedAt: at };
    expect(shown).toEqual({ id: UUID, name: 'Bells', ...facts });
    expect((await world.rest('GET /calendars', { key })).body).toEqual({
      calendars: [shown],
      limit: 100,
      nextCursor: null,
    });
    const rows = await world.sql('select * from calendars where id = $1', [shown.id]);
    expect(JSON.stringify(rows)).not.toContain(url.slice(-40, -4));
  });

  it('is for those who may read what the calendar shows', async () => {
    const { key } = await accountWithSandbox(world);
    const { profile } = (await world.rest('POST /profiles', { key, body: { name: 'Bells' } })).body;
    const minted = async (...scopes: string[]) => {
      const { body } = await world.rest(`POST /profiles/${profile.id}/keys`, {
        key,
        body: { name: 'narrow', type: 'live', scopes },
      });
      return body.secret as string;
    };
    const [writer, poster] = [await minted('posts:write'), await minted('posts:write', 'posts:read')];
    const lacks = (scope: string) => ({
      status: 403,
      body: refusal(
        'forbidden',
        `This key or access token lacks ${scope}. Use one that has it, or ask the owner to grant it.`,
      ),
    });
    const shown = await makeCalendar(key, { profileId: profile.id });

    expect(await world.rest('POST /calendars', { key: writer, body: {} })).toMatchObject(lacks('posts:read'));
    expect(await world.rest(`POST /calendars/${shown.id}/renew`, { key: writer })).toMatchObject(lacks('posts:read'));
    expect(await world.rest('POST /calendars', { key: poster, body: {} })).toMatchObject(lacks('connections:read'));
    expect(await world.rest(`POST /calendars/${shown.id}/renew`, { key: poster })).toMatchObject(
      lacks('connections:read'),
    );
    expect((await world.rest('POST /calendars', { key: poster, body: { freeSlots: false } })).status).toBe(200);
    expect((await read(shown.url)).status).toBe(200);
  });

  it('refuses more than 100 calendars in an account', async () => {
    const { key } = await makeAccount(world);
    for (let made = 0; made < 100; made += 1) await makeCalendar(key);

    const { status, body } = await world.rest('POST /calendars', { key, body: {} });

    const message =
      'The account has 100 calendars; the limit is 100. Revoke one with DELETE /calendars/{calendarId} first.';
    expect({ status, body }).toEqual({ status: 403, body: refusal('limit_exceeded', message) });
  });
});

describe('GET /calendars/{secret}.ics', () => {
  it('shows sent, failed and scheduled posts and free slots, with text that stays text', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const slot = { weekday: new Date(world.clock.now().getTime() + 2 * DAY_MS).getUTCDay() || 7, time: '09:00' };
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { timezone: 'UTC', slots: [slot] } });
    const sent = await makePost(world, 'sandbox', {
      key,
      text: 'Ding; dong, \\ "bells"\r\nBEGIN:VEVENT 🔔',
      tags: ['a', 'b'],
    });
    const failed = await makePost(world, 'sandbox', { key, text: '[[reject]] Clang' });
    const at = iso(3 * DAY_MS);
    const later = await makePost(world, 'sandbox', { key, text: 'Tölt '.repeat(60), scheduledFor: at });
    const { url } = await makeCalendar(key, { name: 'Bells, and; more' });

    const { status, headers, text } = await read(url);

    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/calendar; charset=utf-8',
      'private, no-cache',
    ]);
    expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(Math.max(...text.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
    const events = eventsIn(text);
    const byUid = new Map(events.map((event) => [event.uid, event]));
    expect(byUid.get(`post-${sent.postId}@localhost`)).toMatchObject({
      summary: 'Ding; dong, \\ "bells" (sandbox)',
      description: 'Ding; dong, \\ "bells"\nBEGIN:VEVENT 🔔\n\nSent on sandbox (sandbox)',
      status: 'CONFIRMED',
      url: sent.url,
      categories: ['a', 'b'],
    });
    expect(byUid.get(`post-${failed.postId}@localhost`)).toMatchObject({ status: 'CANCELLED', url: null });
    expect(byUid.get(`post-${later.postId}@localhost`)).toMatchObject({
      start: at.replace(/\.\d+/, '.000'),
      status: 'CONFIRMED',
    });
    const slots = events.filter(({ uid }) => uid.startsWith('slot-'));
    expect(slots.length).toBeGreaterThanOrEqual(4);
    expect(slots[0]).toMatchObject({ summary: 'Free slot (sandbox)', status: 'TENTATIVE' });
    expect(text).toContain(String.raw`X-WR-CALNAME:Bells\, and\; more`);
  });

  it('keeps the UID of a post that moves, and says when it was changed', async () => {
    const { key } = await accountWithSandbox(world);
    const post = await makePost(world, 'sandbox', { key, scheduledFor: iso(DAY_MS) });
    const { url } = await makeCalendar(key);
    const [before] = eventsIn((await read(url)).text);
    world.clock.advance(60_000);
    await world.rest(`POST /posts/${post.postId}/reschedule`, { key, body: { scheduledFor: iso(2 * DAY_MS) } });

    const [after] = eventsIn((await read(url)).text);

    expect(after?.uid).toBe(before?.uid);
    expect(after?.start).not.toBe(before?.start);
    expect(Date.parse(after?.modified ?? '') - Date.parse(before?.modified ?? '')).toBe(60_000);
    expect(after?.stamp).toBe(after?.modified);
  });

  it('answers 304 to the tag of what it shows, and the file again once that changes', async () => {
    const { key } = await accountWithSandbox(world);
    await makePost(world, 'sandbox', { key, scheduledFor: iso(DAY_MS) });
    const { url } = await makeCalendar(key);
    const tag = (await read(url)).headers.get('etag') ?? '';

    const same = await read(url, { 'if-none-match': `"other", W/${tag}` });
    const head = await read(url, {}, 'HEAD');
    await makePost(world, 'sandbox', { key, scheduledFor: iso(DAY_MS) });
    const changed = await read(url, { 'if-none-match': tag });

    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', tag]);
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', tag]);
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(tag);
  });

  it('shows only its profile, its connection, its account and its mode', async () => {
    const { key, id: accountId } = await makeAccount(world);
    const profile = await world.profile('A', accountId);
    const inProfile = await connectSandbox(world, { key, slug: 'inside', profileId: profile.id });
    const own = await connectSandbox(world, { key, slug: 'own' });
    await connectSandbox(world, { key: (await makeAccount(world)).key, slug: 'other' });
    const at = { scheduledFor: iso(DAY_MS) };
    const posted = await makePost(world, 'inside', { key, profileId: profile.id, ...at });
    const postedToOwn = await makePost(world, 'own', { key, ...at });
    const scoped = await world.key({ accountId, profileId: profile.id });
    const shown = async (by: string, body: object = {}) =>
      eventsIn((await read((await makeCalendar(by, body)).url)).text)
        .map(({ uid }) => uid.slice('post-'.length, -'@localhost'.length))
        .toSorted();

    expect(await shown(key)).toEqual([posted.postId, postedToOwn.postId].toSorted());
    expect(await shown(scoped.secret)).toEqual([posted.postId]);
    expect(await shown(key, { profileId: profile.id })).toEqual([posted.postId]);
    expect(await shown(key, { connectionId: own.id })).toEqual([postedToOwn.postId]);
    expect(await shown(scoped.secret, { connectionId: inProfile.id })).toEqual([posted.postId]);
  });

  it('shows the latest 500 posts of the past 60 days and the next 500 to come', async () => {
    const { key, id: accountId, connection } = await accountWithSandbox(world);
    await makePost(world, 'sandbox', { key });
    const copy = (status: string, column: string, step: string) => `
      insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text,
        tags, thread, created_at, ${column})
      select gen_random_uuid(), account_id, connection_id, connection_slug, platform_id, mode, '${status}',
        n::text, '', tags, thread, created_at, $2::timestamptz ${step}
      from posts, generate_series(1, 600) n where account_id = $1 and text = 'Hello'`;
    const now = world.clock.now();
    await world.sql(copy('sent', 'sent_at', "- n * interval '1 hour'"), [accountId, now]);
    await world.sql(copy('scheduled', 'scheduled_for', "+ n * interval '1 hour'"), [accountId, now]);
    const { url } = await makeCalendar(key, { connectionId: connection.id });

    const texts = eventsIn((await read(url)).text).map(({ summary }) => summary.replace(' (sandbox)', ''));

    // The post that was sent just now is one of the 500.
    const past = Array.from({ length: 499 }, (_, index) => String(499 - index));
    const ahead = Array.from({ length: 500 }, (_, index) => String(index + 1));
    expect(texts.filter((text) => text !== 'Hello')).toEqual([...past, ...ahead]);
  });
});

describe('an address', () => {
  const gone = { status: 404, text: 'There is no such calendar, or its address was renewed.\n' };

  it('stops working when it is renewed, and the new one works', async () => {
    const { key } = await accountWithSandbox(world);
    const { id, url } = await makeCalendar(key);

    const { status, body } = await world.rest(`POST /calendars/${id}/renew`, { key, body: {} });

    expect(status).toBe(200);
    expect(await read(url)).toMatchObject(gone);
    expect((await read(body.calendar.url)).status).toBe(200);
  });

  it('answers an unknown secret like a revoked one', async () => {
    const { key } = await accountWithSandbox(world);
    const { id, url } = await makeCalendar(key);
    expect(await world.rest(`DELETE /calendars/${id}`, { key })).toMatchObject({
      status: 200,
      body: { id, deleted: true },
    });

    for (const address of [
      url,
      `http://x/calendars/cal_${'A'.repeat(43)}.ics`,
      'http://x/calendars/x',
      `http://x/calendars/${UNKNOWN_ID}.ics`,
    ]) {
      expect(await read(address)).toMatchObject(gone);
    }
    const message = `No calendar of yours has the id ${id}.`;
    expect((await world.rest(`DELETE /calendars/${id}`, { key })).body).toEqual(refusal('not_found', message));
  });

  it('ends with the key that made it, and with its profile', async () => {
    const { key, id: accountId } = await makeAccount(world);
    const [a, b] = [await world.profile('A', accountId), await world.profile('B', accountId)];
    const scoped = await world.key({ accountId, profileId: a.id });
    const ofKey = await makeCalendar(scoped.secret);
    const ofProfile = await makeCalendar(key, { profileId: b.id });

    await world.rest(`DELETE /keys/${scoped.id}`, { key });
    await world.rest(`DELETE /profiles/${b.id}`, { key });

    expect((await world.rest('GET /calendars', { key })).body.calendars).toEqual([]);
    expect(await read(ofKey.url)).toMatchObject(gone);
    expect(await read(ofProfile.url)).toMatchObject(gone);
  });

  it('is not in the log, also when it is percent-encoded', async () => {
    const lines: string[] = [];
    await using install = await startWorld({ onLog: (line) => lines.push(line) });
    const { body } = await install.rest('POST /calendars', { body: {} });

    const { pathname } = new URL(body.calendar.url);
    for (const path of [pathname, pathname.replace('cal_', '%63al_')])
      expect(await (await fetch(install.url + path)).text()).toContain('BEGIN:VCALENDAR');

    expect(lines.join('')).toContain('"path":"/calendars/…"');
    expect(lines.join('')).not.toContain(body.calendar.url.slice(-40, -4));
  });

  it('is limited by network, whether it is known or not', async () => {
    await using install = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '3' } });
    const guess = () => fetch(`${install.url}/calendars/cal_${'A'.repeat(43)}.ics`);

    const answers = [await guess(), await guess(), await guess(), await guess()];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 429]);
    expect(answers[3]?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    for (const answer of answers) await answer.text();
  });
});
