/** GET /connect-sessions lists links and how far each has come; DELETE withdraws one. */
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../../harness/browser.ts';
import { destination, makeLink } from '../../harness/connect-links.ts';
import { refusal, UNKNOWN_ID } from '../../harness/expected.ts';
import { startWorld, type RestAnswer } from '../../harness/world.ts';

const world = await startWorld();

const idsOf = ({ body }: RestAnswer): string[] => body.connectSessions.map(({ id }: { id: string }) => id);

describe('GET /connect-sessions', () => {
  it('gives pages, newest first, by profile and status, without the links', async () => {
    const profileId = (await world.profile()).id;
    const links = [];
    for (let count = 0; count < 3; count += 1) links.push(await makeLink(world, {}, { profileId }));
    const [first, second, third] = links.map(({ sessionId }) => sessionId);
    await makeLink(world);

    const page = await world.rest(`GET /connect-sessions?profileId=${profileId}&limit=2`);
    const rest = await world.rest(`GET /connect-sessions?profileId=${profileId}&cursor=${page.body.nextCursor}`);

    expect([idsOf(page), page.body.nextCursor]).toEqual([[third, second], second]);
    expect([idsOf(rest), rest.body.nextCursor]).toEqual([[first], null]);
    const read = await world.rest(`GET /connect-sessions/${first}`);
    expect(rest.body.connectSessions).toEqual([read.body.connectSession]);
    expect(JSON.stringify(page.body)).not.toContain('/connect/');
  });

  it('counts a link as expired once its time is over, and not as pending', async () => {
    const profileId = (await world.profile()).id;
    const { sessionId } = await makeLink(world, {}, { profileId });
    world.clock.advance(900_000);

    const of = (status: string) => world.rest(`GET /connect-sessions?profileId=${profileId}&status=${status}`);

    expect([idsOf(await of('pending')), idsOf(await of('expired'))]).toEqual([[], [sessionId]]);
  });

  it('refuses an unknown profile', async () => {
    const { status, body } = await world.rest(`GET /connect-sessions?profileId=${UNKNOWN_ID}`);

    expect(status).toBe(400);
    expect(body).toEqual(refusal('invalid_request', `profileId: no profile of yours has the id ${UNKNOWN_ID}.`));
  });

  it('refuses an unknown status', async () => {
    expect((await world.rest('GET /connect-sessions?status=open')).status).toBe(400);
  });
});

describe('DELETE /connect-sessions/{connectSessionId}', () => {
  it('withdraws a link that no one has opened', async () => {
    const link = await makeLink(world);

    const { status, body } = await world.rest(`DELETE /connect-sessions/${link.sessionId}`);

    expect(status).toBe(200);
    expect(body.connectSession).toMatchObject({ id: link.sessionId, status: 'failed', error: 'cancelled' });
    const page = await openBrowser(world).get(link.path);
    expect(page.status).toBe(410);
    expect(page.text).toContain('This link was withdrawn.');
  });

  it('sends a customer who is on the page back with the error', async () => {
    const link = await makeLink(world, { platform: 'sandbox' });
    const browser = openBrowser(world);
    const page = await browser.get(link.path);

    await world.rest(`DELETE /connect-sessions/${link.sessionId}`);

    const { location } = await browser.press(page, 'Connect');
    expect(destination(location)[1]).toMatchObject({ error: 'cancelled' });
  });

  it('leaves a session that has ended as it is', async () => {
    const link = await makeLink(world, { platform: 'sandbox' });
    const browser = openBrowser(world);
    await browser.press(await browser.get(link.path), 'Connect');

    const { status, body } = await world.rest(`DELETE /connect-sessions/${link.sessionId}`);

    expect([status, body.connectSession]).toEqual([200, await link.read()]);
    expect(body.connectSession.status).toBe('connected');
  });

  it('404 for a session that does not exist', async () => {
    expect((await world.rest(`DELETE /connect-sessions/${UNKNOWN_ID}`)).status).toBe(404);
  });
});
