/**
 * Messages of a process that died: the recovery searches for each one if the platform allows it, and sends none twice.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { platformOf } from '../../../platforms/registry.ts';
import { openSession } from '../../../services/connections/open-session.ts';
import { platformIo } from '../../../services/platform-io.ts';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import type { ClaimedSend } from '../../../services/sending/claimed-send.ts';
import { keepPrepared } from '../../../services/sending/ledger.ts';
import { sendPost } from '../../../services/sending/send-post.ts';
import { storeDiscord } from '../../harness/connections.ts';
import { awayOnce, withoutCommitAnswers } from '../../harness/interleave.ts';
import { plain } from '../../harness/images.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { MAILBOX, startFakeMail } from '../../platforms/fakes/fake-mail.ts';
import { startFakeDiscord } from '../../platforms/fakes/fake-discord.ts';
import { BOT_SCOPES, startFakeSlack } from '../../platforms/fakes/fake-slack.ts';
import { startFakeTwilio, TWILIO } from '../../platforms/fakes/fake-twilio.ts';

const now = () => world.clock.now();
const [slack, twilio, mail] = [await startFakeSlack({ now }), await startFakeTwilio({ now }), await startFakeMail()];
const discord = await startFakeDiscord({ now });
afterAll(() => Promise.all([slack.close(), twilio.close(), mail.close(), discord.close()]));
const world = await startWorld({
  env: {
    SLACK_API_URL: slack.url,
    TWILIO_API_URL: twilio.url,
    TWILIO_ACCOUNT_SID: TWILIO.accountSid,
    TWILIO_AUTH_TOKEN: TWILIO.authToken,
    TWILIO_FROM: TWILIO.from,
    SMTP_URL: mail.url,
    SMTP_FROM: MAILBOX.from,
    DISCORD_API_URL: discord.url,
    DISCORD_CLIENT_ID: 'our-app',
    DISCORD_CLIENT_SECRET: 'our-secret',
    DISCORD_BOT_TOKEN: 'token-of-the-bot',
  },
});
const CREDENTIALS = {
  slack: { botToken: 'xoxb-bells', channelId: 'C0BELLS' },
  sms: { to: '+15550100123' },
  email: { to: 'reader@bells.example' },
};
const sentTo = () => ({
  slack: slack.messages().length,
  sms: twilio.messages().length,
  email: mail.messages().length,
});
type Channel = keyof typeof CREDENTIALS;
const CHANNELS = Object.keys(CREDENTIALS) as Channel[];

beforeAll(async () => {
  slack.addChannel('C0BELLS', 'bells');
  slack.addBot('xoxb-bells', BOT_SCOPES);
  for (const platformId of CHANNELS) {
    const body = { platformId, slug: platformId, credentials: CREDENTIALS[platformId] };
    await world.rest('POST /connections', { body });
  }
});

let before: ReturnType<typeof sentTo>;
beforeEach(() => {
  before = sentTo();
});

let posts = 0;

/** A post that a worker has claimed and that is not sent yet. */
async function claimedPost(channel: string, mediaIds: readonly string[] = [], words?: string): Promise<ClaimedSend> {
  const scheduledFor = new Date(now().getTime() + 1_000).toISOString();
  posts += 1;
  const body = { text: words ?? `number ${posts}`, connectionSlugs: [channel], scheduledFor, mediaIds };
  await world.rest('POST /posts', { body });
  world.clock.advance(1_000);
  const { sends } = await claimDueSends(world.context);
  const [claimed] = sends;
  if (claimed === undefined) throw new Error('nothing was due');
  return claimed;
}

/** Makes the call of a claimed send and stops before settling it, like a process that dies. */
async function call({ connection, post, attempt }: ClaimedSend): Promise<void> {
  if (attempt === null) throw new Error('no ledger row is open');
  const platform = platformOf(world.context.platforms, post.platformId);
  const part = { ...attempt, step: attempt.step, text: post.text };
  await platform.publish(openSession(world.context, platform, connection), part, platformIo(world.context, 10_000));
}

/** Lets another worker recover the send. Returns the outcome of the post. */
async function recover(claimed: ClaimedSend) {
  await world.sql('update posts set claimed_until = $2 where id = $1', [claimed.post.id, now()]);
  await world.runDue();
  const { body } = await world.rest(`GET /posts/${claimed.post.id}`);
  const attempts = await world.rest(`GET /posts/${claimed.post.id}/attempts`);
  return [body.post.status, body.post.error?.code ?? null, attempts.body.attempts.length];
}

it.each<[Channel, unknown[]]>([
  ['slack', ['failed', 'outcome_unknown', 1]],
  ['sms', ['sent', null, 1]],
  ['email', ['failed', 'outcome_unknown', 1]],
])('a message to %s that was sent is not sent again: %j', async (channel, outcome) => {
  const claimed = await claimedPost(channel);
  await call(claimed);

  expect(await recover(claimed)).toEqual(outcome);
  expect(sentTo()).toEqual({ ...before, [channel]: before[channel] + 1 });
});

it.each<[Channel, unknown[]]>([
  ['slack', ['failed', 'outcome_unknown', 1]],
  ['sms', ['scheduled', null, 1]],
  ['email', ['failed', 'outcome_unknown', 1]],
])('a message to %s that was not sent is not sent by its recovery: %j', async (channel, outcome) => {
  const claimed = await claimedPost(channel);

  expect(await recover(claimed)).toEqual(outcome);
  expect(sentTo()).toEqual(before);
});

it('a message that was not sent is not taken for the one before with the same text', async () => {
  const first = await claimedPost('sms', [], 'the server is down');
  await world.context.sends.send(first);
  const second = await claimedPost('sms', [], 'the server is down');

  expect(await recover(second)).toEqual(['failed', 'outcome_unknown', 1]);
  expect(sentTo()).toEqual({ ...before, sms: before.sms + 1 });
});

it('a lost message is not taken for one with the same text of another connection to the number', async () => {
  const body = { platformId: 'sms', slug: 'sms-again', credentials: CREDENTIALS.sms };
  await world.rest('POST /connections', { body });
  const first = await makePost(world, 'sms', { text: 'the server is up' });
  twilio.faults.push('drops_before');

  const second = await makePost(world, 'sms-again', { text: 'the server is up' });

  expect([first.status, second.status, second.error?.code]).toEqual(['sent', 'failed', 'outcome_unknown']);
  expect(sentTo()).toEqual({ ...before, sms: before.sms + 1 });
});

it.each(CHANNELS)(
  'a message to %s whose claim was stored without an answer is sent: no call was made',
  async (channel) => {
    const scheduledFor = new Date(now().getTime() + 1_000).toISOString();
    const { body } = await world.rest('POST /posts', {
      body: { text: 'unanswered', connectionSlugs: [channel], scheduledFor },
    });
    const [{ postId }] = body.results;
    world.clock.advance(1_000);
    const stored = () => world.sql('select status, tries, claim from posts where id = $1', [postId]);
    const waiting = await stored();

    await expect(claimDueSends(withoutCommitAnswers(world.context))).rejects.toThrow('Connection terminated');

    await expect.poll(stored).toEqual(waiting);
    await world.runDue();
    expect(sentTo()).toEqual({ ...before, [channel]: before[channel] + 1 });
    const { body: ledger } = await world.rest(`GET /posts/${postId}/attempts`);
    expect(ledger.attempts).toMatchObject([{ step: 'head', state: 'accepted' }]);
  },
);

const image = async (): Promise<string> => {
  const raw = await plain(30, 20).png().toBuffer();
  const { body } = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } });
  return body.media.id;
};

it.each<Channel>(['slack', 'email'])(
  'a message to %s whose images were not ready was never sent, so it is sent with them',
  async (channel) => {
    const claimed = await claimedPost(channel, [await image()]);

    expect(await recover(claimed)).toEqual(['sent', null, 1]);
    expect(sentTo()).toEqual({ ...before, [channel]: before[channel] + 1 });
    expect(channel === 'email' ? mail.messages().at(-1)?.raw : 'Content-ID:').toContain('Content-ID:');
  },
);

it('an email whose images were ready may have been sent, so it is not sent again', async () => {
  const claimed = await claimedPost('email', [await image()]);
  if (claimed.attempt === null) throw new Error('no ledger row is open');
  await keepPrepared(world.context, claimed, claimed.attempt, { images: 1 });

  expect(await recover(claimed)).toEqual(['failed', 'outcome_unknown', 1]);
  expect(sentTo()).toEqual(before);
});

it.each<[string, boolean, unknown[]]>([
  ['is found without them if it was sent', true, ['sent', null, 1]],
  ['stays to be sent if it was not', false, ['scheduled', null, 1]],
])('a message to a channel of Discord whose images are gone %s', async (_what, isSent, outcome) => {
  const [account] = await world.sql<{ id: string }>('select id from accounts');
  const { id } = await storeDiscord(world, account?.id ?? '', `news-${isSent}`);
  const login = { kind: 'bot', channelId: '700', guildId: '800', botId: '900' };
  await world.sql('update connections set credentials = $2 where id = $1', [id, world.context.vault.seal(login, id)]);
  discord.channels.splice(0, Infinity, { id: '700', guildId: '800', name: 'news', type: 0, position: 0 });
  discord.clear();
  const mediaId = await image();
  const claimed = await claimedPost(`news-${isSent}`, [mediaId]);
  if (claimed.attempt === null) throw new Error('no ledger row is open');
  await keepPrepared(world.context, claimed, claimed.attempt, {});
  if (isSent) await call(claimed);
  await world.sql(`update media set state = 'removed' where id = $1`, [mediaId]);

  expect(await recover(claimed)).toEqual(outcome);
  expect(discord.messages()).toHaveLength(isSent ? 1 : 0);
});

it('a repeat waits for a database that goes away before its call, and ends as the call does', async () => {
  const claimed = await claimedPost('email');
  const again = { ...claimed, post: { ...claimed.post, generation: 1 } };

  const { last } = await sendPost(awayOnce(world.context, 'may_have_arrived is not false', 'before'), again);

  expect(last?.outcome).toMatchObject({ state: 'accepted' });
  expect(sentTo()).toEqual({ ...before, email: before.email + 1 });
});
