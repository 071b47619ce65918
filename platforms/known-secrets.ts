/** Collects the secrets of one call to a platform: of the login, of the install's apps, and those that are sent on the way. */
import type { FetchInit, PlatformIo } from './contract.ts';

/** Fields of logins and apps that are no secrets. Any other text in them is one, so that a new field is hidden by default. */
const PUBLIC_FIELDS: ReadonlySet<string> = new Set(
  (
    'kind service pds origin instanceUrl issuer tokenUrl home clientId grantedScopes scopes expiresAt identifier did ' +
    'username target subreddit accountId accountSid from pageId userId organizationId chatId channelId guildId botId ' +
    'webhookId to subject'
  ).split(' '),
);

/** Names of parameters that carry a secret. */
const SECRET_PARAMETER = /token|secret|password|code|verifier|assertion/i;

/** Nested objects are looked into this deep; no login has more. */
const DEPTH_MAX = 8;

export interface KnownSecrets extends Iterable<string> {
  /** Adds the secrets of a login, or of anything else that is not shown. */
  add(value: unknown): void;
  /** Adds what a request carries. */
  addRequest(url: string | URL, init: FetchInit): void;
}

/** Begins with the secrets of the install: its apps at the platforms, and its mail server's. */
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

/** The address of a webhook names a public host: only the parts that open it are secret. */
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
