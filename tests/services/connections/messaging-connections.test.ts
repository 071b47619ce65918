/**
 * Channels for direct messages: the settings that the operator must add, and connecting the same number or address
 * twice.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { startWorld } from '../../harness/world.ts';
import { MAILBOX, startFakeMail } from '../../platforms/fakes/fake-mail.ts';
import { BOT_SCOPES, startFakeSlack } from '../../platforms/fakes/fake-slack.ts';
import { startFakeTwilio, TWILIO } from '../../platforms/fakes/fake-twilio.ts';

const now = () => world.clock.now();
const [slack, twilio, mail] = [await startFakeSlack({ now }), await startFakeTwilio({ now }), await startFakeMail()];
afterAll(() => Promise.all([slack.close(), twilio.close(), mail.close()]));
const world = await startWorld({
  env: {
    SLACK_API_URL: slack.url,
    TWILIO_API_URL: twilio.url,
    TWILIO_ACCOUNT_SID: TWILIO.accountSid,
    TWILIO_AUTH_TOKEN: TWILIO.authToken,
    TWILIO_FROM: TWILIO.from,
    SMTP_URL: mail.url,
    SMTP_FROM: `The Bells <${MAILBOX.from}>`,
  },
});
const unconfigured = await startWorld();
slack.addChannel('C0BELLS', 'bells');
slack.addBot('xoxb-bells', BOT_SCOPES);

const SMS = { platformId: 'sms', credentials: { to: '+15550100123' } };
const EMAIL = { platformId: 'email', credentials: { to: 'reader@bells.example' } };
const SLACK = { platformId: 'slack', credentials: { botToken: 'xoxb-bells', channelId: 'C0BELLS' } };

it('validation returns the number of segments of a text message, which Twilio charges for', async () => {
  const { body } = await world.rest('POST /connections', { body: { ...SMS, slug: 'counted' } });
  const validate = async (text: string) => {
    const asked = { text, connectionSlugs: [body.connection.slug, world.sandboxSlug] };
    return (await world.rest('POST /posts/validate', { body: asked })).body.results;
  };

  const [long, onTheSandbox] = await validate('a'.repeat(161));
  const [short] = await validate('Ding');

  expect([long.segments, short.segments]).toEqual([2, 1]);
  expect(onTheSandbox).not.toHaveProperty('segments');
});

describe('an install without the settings', () => {
  it.each([
    [SMS, '"sms"', 'TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM'],
    [EMAIL, '"email"', 'SMTP_URL, SMTP_FROM'],
  ])('names the settings that its operator must add for %j', async (body, platform, settings) => {
    const answer = await unconfigured.rest('POST /connections', { body });

    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    expect(answer.body.message).toBe(
      `platformId: ${platform} is not set up on this install. Its operator must set ${settings}.`,
    );
  });

  it('does not offer to connect them', async () => {
    const connectOf = async (here: typeof world) => {
      const { body } = await here.rest('GET /platforms');
      const platforms: { id: string; kind: string; connect: string[] }[] = body.platforms;
      return platforms.filter(({ kind }) => kind === 'messaging').map(({ id, connect }) => [id, connect]);
    };

    expect(await connectOf(unconfigured)).toEqual([
      ['slack', ['credentials']],
      ['sms', []],
      ['email', []],
    ]);
    expect(await connectOf(world)).toEqual([
      ['slack', ['credentials']],
      ['sms', ['credentials']],
      ['email', ['credentials']],
    ]);
  });
});

describe('the same account connected twice into a profile', () => {
  it.each([
    [SMS, 'sms-15550100123'],
    [EMAIL, 'email-reader-bells-example'],
  ])('creates two connections: %j', async (body, slug) => {
    const { id: profileId } = await world.profile();

    const first = await world.rest('POST /connections', { body: { ...body, profileId } });
    const second = await world.rest('POST /connections', { body: { ...body, profileId } });

    expect([first.body.connection.slug, second.body.connection.slug]).toEqual([slug, `${slug}-2`]);
  });

  it('is a conflict on Slack', async () => {
    const { id: profileId } = await world.profile();

    await world.rest('POST /connections', { body: { ...SLACK, profileId } });
    const second = await world.rest('POST /connections', { body: { ...SLACK, profileId } });

    expect([second.status, second.body.error]).toEqual([409, 'connection_conflict']);
  });

  it('can move to a profile that already has the same number', async () => {
    const [from, to] = [await world.profile(), await world.profile()];
    await world.rest('POST /connections', { body: { ...SMS, profileId: to.id, slug: 'theirs' } });
    const { body } = await world.rest('POST /connections', { body: { ...SMS, profileId: from.id, slug: 'ours' } });

    const moved = await world.rest(`PATCH /connections/${body.connection.id}`, { body: { profileId: to.id } });

    expect([moved.status, moved.body.connection?.profileId]).toEqual([200, to.id]);
  });
});
