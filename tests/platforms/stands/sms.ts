/** An account at Twilio, and a recipient of text messages. */
import { startFakeTwilio, TWILIO } from '../fakes/fake-twilio.ts';
import type { Stand, StandOptions } from './stand.ts';

export async function startSmsStand(options: StandOptions): Promise<Stand> {
  const server = await startFakeTwilio(options);

  return {
    platformId: 'sms',
    maxLength: 1_600,
    // Each is eleven UTF-16 units.
    maxFamilies: 145,
    credentials: { to: '+15550100123' },
    env: {
      TWILIO_API_URL: server.url,
      TWILIO_ACCOUNT_SID: TWILIO.accountSid,
      TWILIO_AUTH_TOKEN: TWILIO.authToken,
      TWILIO_FROM: TWILIO.from,
    },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    existing: async () => server.messages().map(({ body }) => body),
    revoke: null,
    lastImages: async () => [],
    close: () => server.close(),
  };
}
