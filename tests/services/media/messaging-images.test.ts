/** Images of posts to channels: attached to an email, uploaded to Slack before the message, refused by SMS. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noise, plain } from '../../harness/images.ts';
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
    SMTP_FROM: MAILBOX.from,
  },
});

beforeAll(async () => {
  slack.addChannel('C0BELLS', 'bells');
  slack.addBot('xoxb-bells', BOT_SCOPES);
  const connect = (body: object) => world.rest('POST /connections', { body });
  await connect({ platformId: 'sms', slug: 'phone', credentials: { to: '+15550100123' } });
  await connect({ platformId: 'email', slug: 'mail', credentials: { to: 'reader@bells.example' } });
  await connect({ platformId: 'slack', slug: 'slack', credentials: { botToken: 'xoxb-bells', channelId: 'C0BELLS' } });
});

async function upload(bytes: Buffer, type: string): Promise<string> {
  const headers = { 'content-type': `image/${type}` };
  const { body } = await world.rest('POST /media?altText=A%20bell', { raw: bytes, headers });
  return body.media.id;
}

async function post(slug: string, mediaIds: readonly string[]) {
  const { body } = await world.rest('POST /posts', { body: { text: 'look', connectionSlugs: [slug], mediaIds } });
  return body.results[0];
}

/** The ledger's record of the prepared images. */
async function preparedOf(postId: string): Promise<unknown> {
  const [row] = await world.sql<{ prepared: unknown }>('select prepared from attempts where post_id = $1', [postId]);
  return row?.prepared;
}

it('an email has them attached, in a type that email clients show, and the ledger stores no bytes', async () => {
  const id = await upload(await plain(30, 20).webp().toBuffer(), 'webp');

  const result = await post('mail', [id]);

  const raw = mail.messages().at(-1)?.raw ?? '';
  expect(result).toMatchObject({ status: 'sent', url: null, error: null });
  expect(raw).toMatch(/^Content-Type: image\/(jpeg|png); name=/im);
  expect(raw.replace(/=\r\n/g, '')).toContain('alt=3D"A bell"');
  expect(await preparedOf(result.postId)).toEqual({});
});

it('five large ones fit into the size limit of an email server', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    ids.push(
      await upload(
        await noise(1600 + count, 1200)
          .jpeg({ quality: 95 })
          .toBuffer(),
        'jpeg',
      ),
    );
  }

  const result = await post('mail', ids);

  const raw = mail.messages().at(-1)?.raw ?? '';
  expect(result.error).toBe(null);
  expect(raw.match(/^Content-ID:/gim)?.length).toBe(5);
  expect(raw.length).toBeLessThan(10_240_000);
});

it('an email whose answer was lost is not sent again, and the post reports it', async () => {
  mail.faults.push('drops_after');
  const before = mail.messages().length;

  const result = await post('mail', [await upload(await plain(30, 20).png().toBuffer(), 'png')]);

  expect([result.status, result.error.code, mail.messages().length - before]).toEqual(['failed', 'outcome_unknown', 1]);
});

it('Slack gets them with their alt texts', async () => {
  const result = await post('slack', [await upload(await plain(30, 20).png().toBuffer(), 'png')]);

  expect(result).toMatchObject({ status: 'sent', url: null });
  expect(slack.messages().at(-1)?.files).toMatchObject([{ filename: 'image-1.png', altText: 'A bell' }]);
  expect(await preparedOf(result.postId)).toEqual({ fileIds: [slack.files().at(-1)?.id] });
});

it('SMS has none, and nothing is stored', async () => {
  const result = await post('phone', [await upload(await plain(30, 20).png().toBuffer(), 'png')]);

  expect(result).toMatchObject({ status: 'failed', postId: null, error: { code: 'media_unsupported' } });
  expect(twilio.messages()).toEqual([]);
});
