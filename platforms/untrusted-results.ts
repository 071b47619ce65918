/**
 * Validates what an adapter returns before other code reads it (docs/contract/platforms.md#what-platforms-send).
 * Platform data is untrusted even in successful responses.
 */
import {
  type ConnectedAccount,
  type ConnectionLimits,
  type Json,
  PlatformFailure,
  type Published,
} from './contract.ts';
import type { ImageFacts, TextFacts } from './content-facts.ts';
import type { OauthAccount } from './connect.ts';
import type { MetricName, PostMetrics, MetricsReading, ReadPost } from './metrics.ts';
import {
  ACCOUNT_ID_MAX,
  isStorable,
  POST_ID_MAX,
  untrustedCount,
  untrustedId,
  untrustedName,
  untrustedUrl,
} from './untrusted.ts';

/** Maximum number of accounts to choose from after one consent. */
const ACCOUNTS_MAX = 1_000;

/** Maximum characters of `ref`, as JSON. */
const REF_MAX = 4_096;

/** Maximum number of scopes of one credential. */
const SCOPES_MAX = 100;

/** Maximum values of the limits that a server sets; a larger number counts as this one. */
const TEXT_LIMITS = { maxLength: 1_000_000, maxBytes: 10_000_000 } as const;
const IMAGE_LIMITS = { min: 20, max: 20, maxBytes: 100 * 1_048_576, maxPixels: 1_000_000_000, altTextMax: 10_000 };

/** Maximum fixed length of a link that a server may set; larger values are ignored. */
const URL_LENGTH_MAX = 2_048;

/** Maximum number of media types in a server's list, and their format. */
const TYPES_MAX = 50;
const IMAGE_TYPE = /^image\/[\w.+-]{1,60}$/;

/** More than any post has; sums of 90,000 posts are exact in JavaScript, and those of 90 million fit into a bigint. */
const METRIC_MAX = 100_000_000_000;

/**
 * Validates a published part. Its permalink is null if the platform's value is unusable.
 *
 * @throws PlatformFailure `unknown` when it has no usable id: it may be published, and a read-back may find it
 */
export function checkedPublished(name: string, published: Published): Published {
  const { platformPostId, url, ref, provenId, isFound } = published;
  const id = untrustedId(platformPostId, POST_ID_MAX);
  if (id === null || !isStorable(ref, REF_MAX)) {
    throw new PlatformFailure('unknown', `${name} answered with a post id that cannot be stored.`);
  }
  const proven = provenId === undefined ? null : untrustedId(provenId, POST_ID_MAX);
  return {
    platformPostId: id,
    url: untrustedUrl(url),
    ...(ref !== undefined && { ref }),
    ...(proven !== null && { provenId: proven }),
    ...(isFound === true && { isFound }),
  };
}

/** @throws PlatformFailure `unavailable` when it cannot be stored; nothing has been published at that point */
export function checkedPrepared(name: string, prepared: Json): Json {
  if (isStorable(prepared)) return prepared;
  throw new PlatformFailure('unavailable', `${name} answered an upload with data that cannot be stored.`);
}

/** Validates a credential to store. @throws PlatformFailure `unavailable` when it is too large */
export function checkedCredential<Credential>(name: string, credential: Credential): Credential {
  if (isStorable(credential)) return credential;
  throw new PlatformFailure('unavailable', `${name} answered with an access token that cannot be stored.`);
}

/** @throws PlatformFailure `rejected` when the account has no id or no visible name */
export function checkedAccount<Credential>(
  name: string,
  account: ConnectedAccount<Credential>,
): ConnectedAccount<Credential> {
  const { platformAccountId, followsAccountId, limits } = account;
  const id = untrustedId(platformAccountId, ACCOUNT_ID_MAX);
  if (id === null) {
    const message = `${name} gives this account an id that is empty, longer than ${ACCOUNT_ID_MAX} characters or not printable, so it cannot be connected.`;
    throw new PlatformFailure('rejected', message);
  }
  const handle = untrustedName(account.handle);
  if (handle === '') {
    const message = `${name} gives this account a name without visible characters. Rename the account there, then connect it again.`;
    throw new PlatformFailure('rejected', message);
  }
  const follows = untrustedId(followsAccountId, ACCOUNT_ID_MAX);
  const ownLimits = limits && checkedLimits(limits);
  return {
    platformAccountId: id,
    handle,
    credential: checkedCredential(name, account.credential),
    ...(ownLimits !== undefined && { limits: ownLimits }),
    ...(follows !== null && { followsAccountId: follows }),
  };
}

/** Validates the accounts that a customer may choose from; an account without a visible name is numbered. */
export function checkedAccounts<Input>(accounts: readonly OauthAccount<Input>[]): readonly OauthAccount<Input>[] {
  return accounts.slice(0, ACCOUNTS_MAX).map(({ label, credentials, scopes }, index) => ({
    label: untrustedName(label) || `Account ${index + 1}`,
    credentials,
    ...(scopes !== undefined && { scopes: scopes.slice(0, SCOPES_MAX).map(untrustedName) }),
  }));
}

/**
 * Validates the metrics of the requested posts. An invalid number is dropped, which reads as null. A post that had metrics and
 * has none now is left out: a platform may list a deleted post no longer, or withhold what it has reported.
 */
export function checkedReading(posts: readonly ReadPost[], reading: MetricsReading): MetricsReading {
  const known = posts.flatMap(({ platformPostId: id, previous = {} }) => {
    const given = reading.get(id);
    if (given === undefined) return [];
    const metrics = given === 'gone' ? given : checkedMetrics(given);
    return metrics !== 'gone' && losesAll(metrics, previous) ? [] : [[id, metrics] as const];
  });
  return new Map(known);
}

function losesAll(metrics: PostMetrics, previous: PostMetrics): boolean {
  return Object.keys(metrics).length === 0 && Object.keys(previous).length > 0;
}

function checkedMetrics(metrics: PostMetrics): PostMetrics {
  const entries = Object.entries(metrics).flatMap(([metric, value]) => {
    const count = untrustedCount(value);
    return count === undefined || count > METRIC_MAX ? [] : [[metric as MetricName, count] as const];
  });
  return Object.fromEntries(entries);
}

/** Undefined when no limit remains. */
function checkedLimits({ text, images }: ConnectionLimits): ConnectionLimits | undefined {
  const limits = {
    ...(text !== undefined && { text: checkedText(text) }),
    ...(images !== undefined && { images: checkedImages(images) }),
  };
  const filled = Object.entries(limits).filter(([, facts]) => Object.keys(facts).length > 0);
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

function checkedText(text: Partial<TextFacts>): Partial<TextFacts> {
  const urlLength = untrustedCount(text.urlLength);
  const isUsable = urlLength !== undefined && urlLength >= 1 && urlLength <= URL_LENGTH_MAX;
  return { ...bounded(text, TEXT_LIMITS), ...(isUsable && { urlLength }) };
}

function checkedImages(images: Partial<ImageFacts>): Partial<ImageFacts> {
  const types = images.types?.filter((type) => IMAGE_TYPE.test(type)).slice(0, TYPES_MAX) ?? [];
  return { ...bounded(images, IMAGE_LIMITS), ...(types.length > 0 && { types }) };
}

/** Keeps the integers from 1 among these limits, each capped at its maximum. */
function bounded(limits: object, maxima: Readonly<Record<string, number>>): Record<string, number> {
  const entries = Object.entries(maxima).flatMap(([limit, max]) => {
    const value = untrustedCount((limits as Record<string, unknown>)[limit]) ?? 0;
    return value < 1 ? [] : [[limit, Math.min(value, max)] as const];
  });
  return Object.fromEntries(entries);
}
