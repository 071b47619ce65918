/**
 * Threads' own Graph API: accounts with tokens that expire and can be renewed after one day, and posts with or
 * without images.
 */
import { type Consent, createConsent } from './fake-consent.ts';
import {
  type FakeAccount,
  type FakeContainers,
  type FakeContainersOptions,
  graphRefusal,
  startFakeContainers,
} from './fake-containers.ts';
import type { WireAnswer, WireCall } from './wire.ts';

export interface FakeThreads extends FakeContainers {
  /** Threads' consent page. */
  readonly consent: Consent;
}

interface Token {
  readonly account: FakeAccount;
  readonly madeAt: number;
  readonly seconds: number;
}

const TEXT_MAX = 500;
const HOUR = 3_600;
const SIXTY_DAYS = 5_184_000;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

export async function startFakeThreads(options: FakeContainersOptions): Promise<FakeThreads> {
  const { now } = options;
  const consent = createConsent(',');
  const accounts: FakeAccount[] = [];
  const tokens = new Map<string, Token>();

  function issue(account: FakeAccount, kind: string, seconds: number): WireAnswer {
    const token = `${kind}-${account.username}-${tokens.size + 1}`;
    tokens.set(token, { account, madeAt: now().getTime(), seconds });
    account.tokens.add(token);
    const isShort = seconds === HOUR;
    const more = isShort ? { user_id: Number(account.id) } : { token_type: 'bearer', expires_in: seconds };
    return { status: 200, json: { access_token: token, ...more } };
  }

  function redeem(call: WireCall): WireAnswer {
    const form = new URLSearchParams(call.bytes.toString());
    const clientId = form.get('client_id') ?? '';
    const isApp = consent.apps.get(clientId)?.clientSecret === form.get('client_secret');
    const who = isApp && form.get('grant_type') === 'authorization_code' ? consent.redeem(clientId, form) : null;
    const account = accounts.find(({ username }) => username === who);
    if (account !== undefined) return issue(account, 'short', HOUR);
    const json = { error_type: 'OAuthException', code: 400, error_message: 'Invalid authorization code' };
    return { status: 400, json };
  }

  function exchange({ query }: WireCall, path: string): WireAnswer {
    const name = query.get('access_token') ?? '';
    const isRenewal = path === '/refresh_access_token';
    const token = tokens.get(name);
    const grant = isRenewal ? 'th_refresh_token' : 'th_exchange_token';
    const isApp = [...consent.apps.values()].some(({ clientSecret }) => clientSecret === query.get('client_secret'));
    const ageSeconds = (now().getTime() - (token?.madeAt ?? 0)) / 1_000;
    if (token?.account.tokens.has(name) !== true || ageSeconds >= token.seconds) {
      return graphRefusal({ code: 190, message: `Error validating access token ${name}` });
    }
    if (query.get('grant_type') !== grant || !(isRenewal || isApp) || (isRenewal && ageSeconds < 86_400)) {
      return graphRefusal({ code: 100, message: '(#100) The token cannot be exchanged' });
    }
    return issue(token.account, 'long', SIXTY_DAYS);
  }

  const fake = await startFakeContainers(options, {
    root: '/v1.0',
    edges: { posts: 'threads', publish: 'threads_publish', limit: 'threads_publishing_limit' },
    text: 'text',
    state: { field: 'status', problem: 'error_message' },
    website: 'https://www.threads.net/@someone/post',
    imagesMax: 20,
    imageTypes: ['image/jpeg', 'image/png'],
    ratio: [0.1, 10],
    problemOf: (fields) => {
      const type = fields.get('media_type') ?? '';
      const hasImage = fields.has('image_url');
      if (!['TEXT', 'IMAGE', 'CAROUSEL'].includes(type) || hasImage !== (type === 'IMAGE')) {
        return { code: 100, message: '(#100) Param media_type must be one of {TEXT, IMAGE, CAROUSEL}' };
      }
      if (lengthOf(fields.get('text') ?? '') <= TEXT_MAX) return null;
      return { code: 100, message: 'Param text must be at most 500 characters long.' };
    },
    elsewhere: (call) => {
      switch (`${call.method} ${call.path}`) {
        case 'GET /oauth/authorize':
          return withSuffix(consent.authorize(call.query));
        case 'POST /oauth/access_token':
          return redeem(call);
        case 'GET /access_token':
        case 'GET /refresh_access_token':
          return exchange(call, call.path);
        default:
          return undefined;
      }
    },
  });
  return {
    ...fake,
    consent,
    addAccount: (id, username, token) => {
      const account = fake.addAccount(id, username, token);
      accounts.push(account);
      tokens.set(token, { account, madeAt: now().getTime(), seconds: SIXTY_DAYS });
      return account;
    },
  };
}

/** Threads appends two characters to its codes that are not part of them. */
function withSuffix(answer: WireAnswer): WireAnswer {
  const location = answer.headers?.['location'];
  if (location === undefined) return answer;
  const url = new URL(location);
  const code = url.searchParams.get('code');
  if (code !== null) url.searchParams.set('code', `${code}#_`);
  return { ...answer, headers: { location: url.href } };
}

/** Counts code points, but an emoji as its bytes. */
function lengthOf(text: string): number {
  const isEmoji = (segment: string) => /^\p{RGI_Emoji}$/v.test(segment);
  return [...segmenter.segment(text)].reduce(
    (sum, { segment }) => sum + (isEmoji(segment) ? Buffer.byteLength(segment) : [...segment].length),
    0,
  );
}
