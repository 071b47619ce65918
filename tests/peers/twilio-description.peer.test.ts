/**
 * The SMS adapter's requests, and the fake's answers, against Twilio's own description of its API. The oracle keeps no
 * list of messages, so only the fake tests the search for a lost one.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sms } from '../../platforms/sms/index.ts';
import { messageView, TWILIO } from '../platforms/fakes/fake-twilio.ts';
import { headPart, sessionOf, testIo } from '../platforms/harness.ts';
import { type Oracle, oracleFor, startOracle } from './scripted-oracle.ts';

const description = oracleFor('twilio.json');
const now = () => new Date(Date.UTC(2026, 10, 21, 9));
const TO = '+15550100123';
const SERVICE = `MG${'f'.repeat(32)}`;
const MESSAGES = '/2010-04-01/Accounts/{AccountSid}/Messages.json';

describe.skipIf(description === undefined)('requests to Twilio', () => {
  let oracle: Oracle;

  beforeAll(async () => {
    if (description === undefined) return;
    const made = { sid: `SM${'a'.repeat(32)}`, to: TO, createdAt: now(), direction: 'outbound-api' as const };
    const answers = {
      'GET /2010-04-01/Accounts/{Sid}.json': () =>
        [200, { sid: TWILIO.accountSid, friendly_name: 'Bells', status: 'active', type: 'Full' }] as const,
      [`POST ${MESSAGES}`]: ({ body }: { readonly body: unknown }) => {
        const {
          From: from = null,
          MessagingServiceSid: service = null,
          Body: text = '',
        } = body as {
          From?: string;
          MessagingServiceSid?: string;
          Body?: string;
        };
        return [201, messageView({ ...made, from, messagingServiceSid: service, body: text })] as const;
      },
    };
    const basic = `Basic ${Buffer.from(`${TWILIO.accountSid}:${TWILIO.authToken}`).toString('base64')}`;
    oracle = await startOracle(description, answers, {
      accountSid_authToken: ({ headers }) => headers['authorization'] === basic,
    });
  });
  afterAll(() => oracle?.close());

  const io = (from = TWILIO.from) =>
    testIo(now, { TWILIO_API_URL: oracle.url }, 10_000, { twilio: { ...TWILIO, from } });
  const session = sessionOf({ platformAccountId: TO, handle: TO, credential: { to: TO } });
  const wrong = () => oracle.seen.filter(({ bad }) => bad !== undefined);

  it('match its description when an account is read', async () => {
    await sms.connectAccount({ to: TO }, io());

    expect([wrong(), oracle.seen.at(-1)?.k]).toEqual([[], 'GET /2010-04-01/Accounts/{Sid}.json']);
  });

  it.each([
    ['from a number', TWILIO.from, { To: TO, From: TWILIO.from, Body: 'Ding 🔔 & dong' }],
    ['from a messaging service', SERVICE, { To: TO, MessagingServiceSid: SERVICE, Body: 'Ding 🔔 & dong' }],
  ])('match its description when a message is sent %s', async (_case, from, form) => {
    const published = await sms.publish(session, headPart('Ding 🔔 & dong', 'token', now()), io(from));

    expect([wrong(), oracle.seen.at(-1)]).toEqual([[], { k: `POST ${MESSAGES}`, body: form }]);
    expect(published.platformPostId).toBe(`SM${'a'.repeat(32)}`);
  });
});
