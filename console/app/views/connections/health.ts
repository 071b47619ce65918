/** The health of a login, from what the service knows of it. */
import type { Connection } from '../../data/connections.ts';

export const HEALTHS = ['active', 'ending', 'reconnect'] as const;

/** `ending`: works now and ends soon. `reconnect`: nothing goes out before the account is connected again. */
export type Health = (typeof HEALTHS)[number];

/** A login that ends within this time is worth a warning. */
const SOON_MS = 7 * 86_400_000;

type Login = Pick<Connection, 'reconnectRequired' | 'credentialEndsAt'>;

export function healthOf({ reconnectRequired, credentialEndsAt }: Login, now: number): Health {
  if (reconnectRequired !== null) return 'reconnect';
  if (credentialEndsAt === null) return 'active';
  const left = new Date(credentialEndsAt).getTime() - now;
  if (left <= 0) return 'reconnect';
  return left < SOON_MS ? 'ending' : 'active';
}

export const HEALTH_WORDS: Readonly<Record<Health, string>> = {
  active: 'active',
  ending: 'ends soon',
  reconnect: 'reconnect',
};

export const HEALTH_TONES: Readonly<Record<Health, string>> = {
  active: 'badge badge-good',
  ending: 'badge badge-wait',
  reconnect: 'badge badge-bad',
};
