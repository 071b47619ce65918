/** The credential of a Nostr account: its secret key, and the relays that its posts go to. */
import { z } from 'zod';
import { fieldFacts } from '../credential-fields.ts';
import { readSecretKey } from './identifiers.ts';

/** Most relays of a connection: each post goes to all of them at once. */
const RELAYS_MAX = 10;

/** Relays for accounts that name none. */
const DEFAULT_RELAYS = 'wss://relay.damus.io wss://nos.lol wss://relay.primal.net';

export const NostrCredentialsInput = z.strictObject({
  secretKey: z
    .string()
    .trim()
    .max(200)
    .refine((text) => readSecretKey(text) !== undefined, { error: 'a secret key: nsec1… or 64 hexadecimal digits' })
    .describe('Secret key of the account, nsec1… or 64 hexadecimal digits. Who has it is the account.')
    .register(fieldFacts, { label: 'Secret key', kind: 'secret' }),
  relays: z
    .string()
    .trim()
    .max(2_000)
    .refine((text) => readRelays(text) !== undefined, {
      error: `1 to ${RELAYS_MAX} addresses of relays, such as wss://nos.lol, separated by spaces`,
    })
    .default(DEFAULT_RELAYS)
    .describe(`Addresses of 1 to ${RELAYS_MAX} relays, separated by spaces. Default ${DEFAULT_RELAYS}.`)
    .register(fieldFacts, { label: 'Relays', kind: 'text' }),
});
export type NostrCredentialsInput = z.output<typeof NostrCredentialsInput>;

/** The credential that is stored, encrypted, for a connection. */
export interface NostrCredential {
  /** 64 hexadecimal digits. */
  readonly secretKey: string;
  /** 64 hexadecimal digits. */
  readonly publicKey: string;
  readonly relays: readonly string[];
  /** ISO instant since which posts go to these relays. Absent in old credentials. */
  readonly relaysSince?: string;
}

/** The addresses in a list, each once; undefined when one is wrong, or there are none or too many. */
export function readRelays(text: string): readonly string[] | undefined {
  const addresses = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(relayAddress);
  const relays = [...new Set(addresses)];
  const isComplete = relays.every((relay) => relay !== undefined);
  return isComplete && relays.length >= 1 && relays.length <= RELAYS_MAX ? relays : undefined;
}

function relayAddress(text: string): string | undefined {
  const url = URL.parse(text);
  const isRelay = url !== null && /^wss?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isRelay ? url.href.replace(/\/$/, '') : undefined;
}
