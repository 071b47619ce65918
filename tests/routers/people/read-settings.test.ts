/** people.readSettings shows the settings of the install to people, and no secret to anyone. */
import { describe, expect, it } from 'vitest';
import { consoleCalls } from '../../harness/console-calls.ts';
import { OPERATOR, OWNER_ENV, PASSWORD } from '../../harness/owner.ts';
import { signIn } from '../../oauth/agents.ts';
import { LIVE_KEY, PUBLIC_URL, startWorld, TEST_KEY } from '../../harness/world.ts';

const SECRETS = {
  X_CLIENT_SECRET: 'secret-of-x-3f1c',
  SLACK_CLIENT_SECRET: 'secret-of-slack-77aa',
  TWILIO_AUTH_TOKEN: 'token-of-twilio-0b1d',
  AI_API_KEY: 'key-of-ai-41d9',
  METRICS_TOKEN: 'token-of-metrics-9c2e',
};

const world = await startWorld({
  env: {
    ...OWNER_ENV,
    ...SECRETS,
    X_CLIENT_ID: 'our-x-app',
    SLACK_CLIENT_ID: 'our-slack-app',
    TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
    TWILIO_FROM: '+15550100123',
    SMTP_URL: 'smtps://bells:password-of-mail-55fe@mail.example:465',
    SMTP_FROM: 'posts@bells.example',
    AI_BASE_URL: 'https://hidden-c0de.example/v1',
    AI_MODEL: 'polisher-1',
    ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
  },
});

interface Shown {
  name: string;
  isSecret: boolean;
  isSet: boolean;
  value: string | null;
}

async function read() {
  const { status, body } = await (await consoleCalls(world))('people.readSettings');
  expect(status).toBe(200);
  const settings = body.groups.flatMap((group: { settings: Shown[] }) => group.settings) as Shown[];
  const named = (name: string) => settings.find((setting) => setting.name === name);
  return { body, settings, named };
}

describe('people.readSettings', () => {
  it('gives every setting with its value or default', async () => {
    const { settings, named } = await read();

    expect(settings.length).toBe(world.context.config.settings.length);
    expect(named('X_CLIENT_ID')).toMatchObject({ isSecret: false, isSet: true, value: 'our-x-app' });
    expect(named('DEFAULT_PLAN')).toMatchObject({ isSecret: false, isSet: false, value: 'unlimited' });
    expect(named('MESSAGES_PER_DAY')).toMatchObject({ isSet: false, value: null });
    expect(named('PUBLIC_URL')).toMatchObject({ isSet: true, value: PUBLIC_URL });
  });

  it('says of a secret only whether it is set', async () => {
    const { settings, named, body } = await read();

    for (const name of [...Object.keys(SECRETS), 'SMTP_URL', 'AI_BASE_URL', 'ENCRYPTION_KEYS', 'OWNER_PASSWORD']) {
      expect(named(name)).toMatchObject({ isSecret: true, isSet: true, value: null });
    }
    expect(named('DATABASE_URL')).toMatchObject({ isSecret: true, value: null });
    expect(settings.filter(({ isSecret, value }) => isSecret && value !== null)).toEqual([]);
    const text = JSON.stringify(body);
    const hidden = [
      ...Object.values(SECRETS),
      'password-of-mail-55fe',
      'hidden-c0de',
      Buffer.alloc(32, 7).toString('base64'),
      PASSWORD,
      OPERATOR,
      LIVE_KEY,
      TEST_KEY,
    ];
    expect(hidden.filter((secret) => text.includes(secret))).toEqual([]);
  });

  it('says which platforms are ready, what the others lack, and what to register', async () => {
    const { body } = await read();
    const of = (id: string) => body.platforms.find((platform: { id: string }) => platform.id === id);

    expect(of('x')).toEqual({
      id: 'x',
      name: 'X',
      isReady: true,
      missingSettings: [],
      optionalSettings: [],
      registerAppAt: 'https://developer.x.com/en/portal/dashboard',
      redirectUri: `${PUBLIC_URL}/connect/callback/x`,
      docs: 'docs/platforms/x.md',
    });
    expect(of('linkedin')).toMatchObject({
      isReady: false,
      missingSettings: ['LINKEDIN_CLIENT_ID', 'LINKEDIN_CLIENT_SECRET'],
      redirectUri: `${PUBLIC_URL}/connect/callback/linkedin`,
    });
    expect(of('discord')).toMatchObject({
      isReady: true,
      optionalSettings: ['DISCORD_CLIENT_ID', 'DISCORD_CLIENT_SECRET', 'DISCORD_BOT_TOKEN'],
    });
    expect(of('sandbox')).toMatchObject({ isReady: true, registerAppAt: null, redirectUri: null });
  });

  it.each(['editor', 'viewer'] as const)('refuses an %s', async (role) => {
    const { browser } = await signIn(world, undefined, role);

    const { status } = await (await consoleCalls(world, browser))('people.readSettings');

    expect(status).toBe(403);
  });

  it('is no operation for keys', async () => {
    const answer = await fetch(`${world.url}/trpc/people.readSettings?input=%7B%7D`, {
      headers: { 'x-api-key': world.liveKey },
    });

    expect(answer.status).toBe(404);
  });
});
