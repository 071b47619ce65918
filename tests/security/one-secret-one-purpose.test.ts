/** Each secret serves one purpose: what was signed, encrypted or created for one is refused everywhere else. */
import { describe, expect, it } from 'vitest';
import { SIGNING_LABELS, SIGNING_PURPOSES } from '../../services/credentials/signer.ts';
import { makeLink } from '../harness/connect-links.ts';
import { OPERATOR, OWNER_ENV, signedInBrowser } from '../harness/owner.ts';
import { registerWebhook } from '../harness/receiver.ts';
import { startWorld } from '../harness/world.ts';
import { signIn, tokensFor } from '../oauth/agents.ts';

const METRICS = 'metrics-token-of-at-least-32-characters';
const world = await startWorld({ env: { ...OWNER_ENV, METRICS_TOKEN: METRICS } });

describe('what is signed', () => {
  it('for one purpose is refused for every other', () => {
    const { signer } = world.context;
    const accepted = SIGNING_PURPOSES.flatMap((made) =>
      SIGNING_PURPOSES.filter((asked) => signer.isSigned(asked, 'a text', signer.sign(made, 'a text'))).map(
        (asked) => `${made} for ${asked}`,
      ),
    );

    expect(accepted).toEqual(SIGNING_PURPOSES.map((purpose) => `${purpose} for ${purpose}`));
    expect(new Set(Object.values(SIGNING_LABELS)).size).toBe(SIGNING_PURPOSES.length);
  });
});

describe('what is encrypted', () => {
  it('for one row is refused for every other', () => {
    const { vault } = world.context;
    const sealed = vault.seal({ accessToken: 'x' }, 'row-1');

    expect(() => vault.open(sealed, 'row-2')).toThrow('unable to authenticate data');
  });
});

describe('a secret', () => {
  /** Every secret that a caller can hold, by its purpose. */
  async function secretsByPurpose(): Promise<Record<string, string>> {
    const person = await signIn(world);
    const { access, refresh, clientId } = await tokensFor(world, person, { scope: 'posts:read' });
    const owner = await signedInBrowser(world);
    const link = await makeLink(world);
    const webhook = await registerWebhook(world, 'http://127.0.0.1:9/hook');
    const cookie = owner.cookies.get('carillon') ?? '';
    return {
      'API key': world.liveKey,
      'operator token': OPERATOR,
      'metrics token': METRICS,
      'access token': access,
      'refresh token': refresh,
      'client id': clientId,
      'sign-in cookie': cookie,
      'secret in the sign-in cookie': cookie.split('.')[0] ?? '',
      'connect link': link.path.split('/').at(-1) ?? '',
      'webhook secret': webhook.secret,
      ...Object.fromEntries(
        SIGNING_PURPOSES.map((purpose) => [`signature for ${purpose}`, world.context.signer.sign(purpose, 'x')]),
      ),
    };
  }

  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const statusOf = async (path: string, init: RequestInit = {}) =>
    (await fetch(world.url + path, { redirect: 'manual', ...init })).status;

  /** Every entry point, with the only secret that it accepts. */
  const GATES: Record<string, { readonly opensTo: string; readonly isOpen: (secret: string) => Promise<boolean> }> = {
    'the REST API': {
      opensTo: 'API key',
      isOpen: async (secret) => (await statusOf('/api/v2/posts', { headers: { 'x-api-key': secret } })) === 200,
    },
    'the operator’s endpoints': {
      opensTo: 'operator token',
      isOpen: async (secret) => (await statusOf('/operator/accounts', { headers: bearer(secret) })) === 200,
    },
    'the metrics': {
      opensTo: 'metrics token',
      isOpen: async (secret) => (await statusOf('/metrics', { headers: bearer(secret) })) === 200,
    },
    'the pages of the owner': {
      opensTo: 'sign-in cookie',
      isOpen: async (secret) => (await statusOf('/owner', { headers: { cookie: `carillon=${secret}` } })) === 200,
    },
    'the typed client': {
      opensTo: 'API key',
      isOpen: async (secret) =>
        (await statusOf('/trpc/posts.list?input={}', { headers: { 'x-api-key': secret } })) === 200,
    },
  };

  it.for(Object.entries(GATES))('opens %s only when it was created for that', async ([, { opensTo, isOpen }]) => {
    const secrets = await secretsByPurpose();
    const opening: string[] = [];
    for (const [purpose, secret] of Object.entries(secrets)) if (await isOpen(secret)) opening.push(purpose);

    expect(opening).toEqual([opensTo]);
  });

  it('is never used for two purposes: all that the service creates differ', async () => {
    const secrets = Object.values(await secretsByPurpose());

    expect(new Set(secrets).size).toBe(secrets.length);
  });
});
