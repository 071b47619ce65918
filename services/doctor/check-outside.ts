/** Checks from outside in: the public address through its proxies, and the clock against that of another server. */
import { NotSentError } from '../../platforms/http.ts';
import type { Context } from '../context.ts';
import { type CheckOutcome, failed, notChecked, ok, warning } from './check.ts';

/** Path at which an install answers a nonce. */
export const IDENTITY_PATH = '/.well-known/carillon';

const TIMEOUT_MS = 10_000;
/** Seconds between the clocks of two servers. */
const CLOCK = { warning: 30, failed: 300 } as const;

/** What the install answers to its own request. */
export interface Identity {
  /** Signature of the nonce, which only a process with the keys of this install can make. */
  readonly signature: string;
  /** How the request arrived, after the proxies that are trusted. */
  readonly protocol: string;
  readonly isForwarded: boolean;
}

/** What the request to the own public address found; shared by two checks. */
export type PublicAnswer = { readonly identity: Identity } | { readonly outcome: CheckOutcome };

export async function askPublicUrl(context: Context): Promise<PublicAnswer> {
  const { config, random, clock, signer } = context;
  const { publicUrl } = config;
  const nonce = random.bytes(16).toString('base64url');
  const request = context.fetch(`${publicUrl}${IDENTITY_PATH}?nonce=${nonce}`, { signal: clock.deadline(TIMEOUT_MS) });
  const answer = await request.catch((error: Error) => error);
  if (answer instanceof Error) {
    const isGuarded = answer instanceof NotSentError && answer.message.includes('OUTBOUND_ALLOW');
    if (isGuarded) {
      return {
        outcome: notChecked(
          `PUBLIC_URL ${publicUrl} leads to an address of a private network from here, which the guard refuses.`,
          'Open it from another network, or allow its address in OUTBOUND_ALLOW.',
        ),
      };
    }
    const measured = `PUBLIC_URL ${publicUrl} could not be reached: ${answer.message}`;
    return { outcome: failed(measured, 'Check DNS, the certificate, the proxy and the firewall.') };
  }
  const identity = (await answer.json().catch(() => null)) as Identity | null;
  if (answer.ok && typeof identity?.signature === 'string' && signer.isSigned('identity', nonce, identity.signature)) {
    return { identity };
  }
  const action = 'Point PUBLIC_URL and the proxy to this install. Every process needs the same ENCRYPTION_KEYS.';
  return { outcome: failed(`${publicUrl} answered HTTP ${answer.status}, and not as this install.`, action) };
}

export function checkPublicUrl({ config }: Context, answer: PublicAnswer): CheckOutcome {
  return 'outcome' in answer ? answer.outcome : ok(`${config.publicUrl} answers as this install.`);
}

export function checkProxy({ config }: Context, answer: PublicAnswer): CheckOutcome {
  const { trustProxy, publicUrl } = config;
  if (trustProxy === true) {
    return warning('TRUST_PROXY=true trusts every caller.', 'Set the number of proxies, or their addresses.');
  }
  if ('outcome' in answer) return notChecked('PUBLIC_URL was not reached.');
  const { isForwarded, protocol } = answer.identity;
  if (isForwarded && trustProxy === undefined) {
    return warning(
      'A proxy forwards requests, and TRUST_PROXY is not set: limits by address count the proxy as one caller.',
      'Set TRUST_PROXY to the number of proxies.',
    );
  }
  if (!isForwarded && trustProxy !== undefined) {
    return warning(
      'TRUST_PROXY is set, and no X-Forwarded-For arrived.',
      'Let the proxy set X-Forwarded-For, or unset TRUST_PROXY if there is none.',
    );
  }
  const expected = new URL(publicUrl).protocol.slice(0, -1);
  if (isForwarded && protocol !== expected) {
    return warning(
      `Requests arrive as ${protocol}, and PUBLIC_URL is ${expected}.`,
      'Let the proxy set X-Forwarded-Proto.',
    );
  }
  return ok(isForwarded ? `Requests arrive through a trusted proxy, as ${protocol}.` : 'No proxy forwards requests.');
}

/** Compares the clock with the Date header of a configured server. */
export async function checkClock(context: Context): Promise<CheckOutcome> {
  const { config, clock } = context;
  if (config.clock === 'manual') return notChecked('The manual clock is set by hand.');
  const origin = clockSource(context);
  if (origin === null) return notChecked('No other server is configured whose clock could be compared.');
  const answer = await context.fetch(origin, { signal: clock.deadline(TIMEOUT_MS) }).catch((error: Error) => error);
  if (answer instanceof Error) return notChecked(`${origin} could not be reached: ${answer.message}`);
  await answer.body?.cancel();
  const theirs = Date.parse(answer.headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return notChecked(`${origin} sends no Date header.`);
  const seconds = Math.round((clock.now().getTime() - theirs) / 1000);
  const measured = `The clock differs by ${seconds} s from that of ${origin}.`;
  if (Math.abs(seconds) < CLOCK.warning) return ok(measured);
  const action = 'Synchronize the clock with NTP; on PostgreSQL that of the database server.';
  return Math.abs(seconds) < CLOCK.failed ? warning(measured, action) : failed(measured, action);
}

function clockSource({ config, platforms }: Context): string | null {
  if (config.polish !== null) return new URL(config.polish.baseUrl).origin;
  const apps = config.apps as object as Readonly<Record<string, unknown>>;
  const endpoints = config.endpoints as object as Readonly<Record<string, string>>;
  const configured = Object.values(platforms).find(({ settings }) => apps[settings?.app?.id ?? ''] != null);
  const [name] = Object.keys(configured?.settings?.endpoints ?? {});
  return name === undefined ? null : (endpoints[name] ?? null);
}
