/** Secrets come from the system's random number generator, and are too long to guess. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../server/system-random.ts';
import { makeSecret } from '../../services/keys/key-secret.ts';
import { newWebhookSecret } from '../../services/webhooks/new-secret.ts';

const random = systemRandom({ now: () => new Date('2026-11-21T09:00:00Z') } as Parameters<typeof systemRandom>[0]);

describe('the product', () => {
  it('uses no predictable random number generator', () => {
    const files = globSync('{server,services,routers,mcp,console,platforms,jobs,entities,client,cli}/**/*.ts');
    const guessable = files.filter((file) => /Math\.random|pseudoRandomBytes/.test(readFileSync(file, 'utf8')));

    expect(files.length).toBeGreaterThan(300);
    expect(guessable).toEqual([]);
  });

  it('creates no secret twice', () => {
    const secrets = Array.from({ length: 2_000 }, () => makeSecret('live', random));

    expect(new Set(secrets).size).toBe(secrets.length);
  });

  it.each([
    ['API keys', () => makeSecret('live', random).replace('crl_live_', ''), 62],
    ['webhook secrets', () => newWebhookSecret(random).replace('whsec_', ''), 64],
  ])('gives %s more than 128 bits, with every character equally likely', (_name, make, characters) => {
    const drawn = Array.from({ length: 2_000 }, make);
    const [first = ''] = drawn;
    const counts = new Map<string, number>();
    for (const character of drawn.join('')) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = (drawn.length * first.length) / characters;

    expect(first.length * Math.log2(characters)).toBeGreaterThan(128);
    expect(counts.size).toBe(characters);
    // Far beyond chance. The last character of 32 bytes in base64url has fewer values than the others.
    const farOff = [...counts.values()].filter((count) => Math.abs(count - expected) > expected * 0.35);
    expect(farOff).toEqual([]);
  });
});
