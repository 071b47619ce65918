/** An account at Twilio, and a recipient of text messages. */
import { startFakeTwilio, TWILIO } from '../fakes/fake-twilio.ts';
import type { PlatformServer, PlatformServerOptions } from './platform-server.ts';

export async function startSmsServer(options: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeTwilio(options);

  return {
    platformId: 'sms',
    maxLength: 1_600,
    // Each is eleven UTF-16 units.
    maxFamilies: 145,
    credentials: { to: '+15550100123' },
    env: {
      TWILIO_API_URL: fake.url,
      TWILIO_ACCOUNT_SID: TWILIO.accountSid,
      TWILIO_AUTH_TOKEN: TWILIO.authToken,
      TWILIO_FROM: TWILIO.from,
    },
    textMeeting: (fault, text) => {
      fake.faults.push(fault);
      return text;
    },
    existing: async () => fake.messages().map(({ body }) => body),
    revoke: null,
    lastImages: async () => [],
    close: () => fake.close(),
  };
}
