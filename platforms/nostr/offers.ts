/** What the offers of an event to several relays mean together. */
import { type FailureKind, PlatformFailure } from '../contract.ts';
import { platformWords } from '../http.ts';
import type { Offer } from './relay.ts';

/**
 * What a refusal with this prefix means (NIP-01, "machine-readable prefix"); others are final. After its own error a
 * relay may have stored the event all the same.
 */
const PREFIXES: ReadonlyMap<string, FailureKind> = new Map([
  ['rate-limited', 'unavailable'],
  ['error', 'unknown'],
]);

/**
 * The failure of an event that no relay accepted. It is final only when every relay refused it for good: the rules of one say
 * nothing about another, which may accept the event later.
 */
export function refusalOf(offers: readonly Offer[]): PlatformFailure {
  const words = platformWords(offers.map(inWords).join(' '));
  const kinds = new Set(offers.map(kindOf));
  const kind = (['unknown', 'unavailable'] as const).find((one) => kinds.has(one));
  return new PlatformFailure(kind ?? 'rejected', words);
}

/** The failure of a deletion that not every relay accepted; null when all did. */
export function deletionFailure(offers: readonly Offer[]): PlatformFailure | null {
  const missing = offers.filter(({ outcome }) => outcome !== 'accepted');
  if (missing.length === 0) return null;
  const isFinal = missing.every((offer) => kindOf(offer) === 'rejected');
  return new PlatformFailure(isFinal ? 'rejected' : 'unavailable', platformWords(missing.map(inWords).join(' ')));
}

function kindOf({ outcome, words }: Offer): FailureKind {
  if (outcome === 'unknown') return 'unknown';
  if (outcome !== 'refused') return 'unavailable';
  return PREFIXES.get(words.split(':')[0] ?? '') ?? 'rejected';
}

function inWords({ relay, outcome, words }: Offer): string {
  const said = words === '' ? 'It gave no reason.' : words;
  return outcome === 'refused' ? `${relay} refused: ${said}` : `${relay}: ${said}`;
}
