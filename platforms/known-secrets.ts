/** Collects the secrets of one platform call: from the credential, from the install's apps, and from the requests. */
import type { FetchInit, PlatformIo } from './contract.ts';

/**
 * Fields of credentials and apps that are not secret. All other text in them is secret, so a new field is hidden
 * by default.
 */
const PUBLIC_FIELDS: ReadonlySet<string> = new Set(
  (
    'kind service pds origin instanceUrl issuer tokenUrl home clientId grantedScopes scopes expiresAt identifier did ' +
    'username target subreddit accountId accountSid from pageId userId organizationId chatId channelId guildId botId ' +
    'webhookId to subject relays relaysSince publicKey'
  ).split(' '),
);

/** Names of parameters that carry a secret. */
const SECRET_PARAMETER = /token|secret|password|code|verifier|assertion/i;

/** Maximum depth of nested objects that are searched; no credential is deeper. */
const DEPTH_MAX = 8;

export interface KnownSecrets extends Iterable<string> {
  /** Adds the secrets of a credential or of any other confidential value. */
  add(value: unknown): void;
  /** Adds the secrets that a request carries. */
  addRequest(url: string | URL, init: FetchInit): void;
}

/** Starts with the secrets of the install: its platform apps and its mail server. */
export function createKnownSecrets({ apps, mail }: Pick<PlatformIo, 'apps' | 'mail'>): KnownSecrets {
  const known = new Set<string>();
  const add = (value: unknown) => {
    for (const secret of secretsIn(value)) known.add(secret);
  };
  add(apps);
  add(mail?.secrets);
  return {
    add,
    addRequest: (url, { headers = {}, body }) => {
      for (const [name, value] of Object.entries(headers)) {
        if (name.toLowerCase() === 'authorization') add(authorizationSecrets(value));
      }
      const query = URL.parse(url)?.searchParams;
      for (const parameters of [query, body]) {
        if (parameters instanceof URLSearchParams) add(parameterSecrets(parameters));
      }
    },
    [Symbol.iterator]: () => known.values(),
  };
}

function secretsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return secretsOfText(value);
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    PUBLIC_FIELDS.has(field) ? [] : secretsIn(inner, depth + 1),
  );
}

/** The URL of a webhook contains a public host name: only the parts that grant access are secret. */
function secretsOfText(text: string): string[] {
  const url = /^https?:/i.test(text.trim()) ? URL.parse(text.trim()) : null;
  if (url === null) return [text, text.trim()];
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  const opening = segments.filter((segment, index) => index === segments.length - 1 || segment.length >= 24);
  return [...opening, ...url.searchParams.values(), url.password].filter((part) => part !== '');
}

function authorizationSecrets(header: string): string[] {
  const [scheme = '', value = ''] = header.split(' ', 2);
  if (scheme.toLowerCase() !== 'basic') return [value];
  const pair = Buffer.from(value, 'base64').toString();
  const password = pair.slice(pair.indexOf(':') + 1);
  return [value, password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parameterSecrets(parameters: URLSearchParams): string[] {
  return [...parameters].flatMap(([name, value]) => (SECRET_PARAMETER.test(name) ? [value] : []));
}
