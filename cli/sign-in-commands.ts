/** `login`, `logout` and `whoami`. */
import { endLogin, signInWithBrowser } from './browser-login.ts';
import { type Answer, type Call, type CommandSpec, hasFlag, valueOf } from './command.ts';
import { failureOf } from './failure.ts';
import { UsageError } from './operator-client.ts';
import { type Client, clientFor, originOf, signIn } from './signed-in.ts';
import { type KeyLogin, loginFile, readLogin, removeLogin, type StoredLogin, storeLogin } from './stored-login.ts';
import { facts } from './terminal-text.ts';

export const SIGN_IN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'login',
    summary: 'Sign in to an install through the browser, or store a key for it.',
    options: [
      {
        flags: '--url <origin>',
        text: 'Address of the install. Default: CARILLON_URL, then that of the stored login.',
      },
      { flags: '--key', text: 'Ask for a key. Without a terminal, the key is read from standard input.' },
      { flags: '--print', text: 'Print the address to sign in at, and open no browser.' },
    ],
    run: login,
  },
  { name: 'logout', summary: 'End the sign-in, or delete the stored key, which itself stays valid.', run: logout },
  { name: 'whoami', summary: 'Show the install, how you are signed in, and the account.', run: whoami },
];

async function login(call: Call): Promise<Answer> {
  const { io } = call;
  const stored = await readLogin(io.env).catch(() => undefined);
  const address = valueOf(call, 'url') ?? io.env['CARILLON_URL'] ?? stored?.url;
  if (address === undefined) throw new UsageError('Name the install with --url, e.g. https://bells.example.');
  const url = originOf(address, '--url');
  const withKey = hasFlag(call, 'key') || !io.stdin.isTTY;
  const made = withKey ? await keyLogin(call, url) : await signInWithBrowser(io, url, (at) => show(call, at));
  const file = await storeLogin(io.env, made);
  const what = withKey ? 'The key is stored in' : 'Tokens are stored in';
  return { body: { url, file }, text: `You are signed in to ${url}. ${what} ${file}.\n` };
}

async function keyLogin({ io }: Call, url: string): Promise<KeyLogin> {
  const key = (io.stdin.isTTY ? ((await io.askSecret(`Key for ${url}`)) ?? '') : await io.stdin.read()).trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('No key was given. Paste one, or send it to standard input.');
  const given = { url, key };
  await kindOf(clientFor(io, given), given);
  return given;
}

function show(call: Call, address: string): void {
  call.report(`Sign in at ${address}`);
  if (!hasFlag(call, 'print')) call.io.openBrowser(address);
}

async function logout({ io }: Call): Promise<Answer> {
  const stored = await readLogin(io.env).catch(() => undefined);
  const isGrant = stored !== undefined && 'clientId' in stored;
  // The tokens must not outlive the file unnoticed; an install that is gone must not keep the file.
  const ended =
    isGrant &&
    (await endLogin(io, stored).then(
      () => true,
      () => false,
    ));
  const removed = await removeLogin(io.env);
  const file = loginFile(io.env);
  const text = !removed
    ? 'No login was stored.\n'
    : !isGrant
      ? `${file} is deleted. Revoke the key if others may have it.\n`
      : ended
        ? `You are signed out, and ${file} is deleted.\n`
        : `${file} is deleted. The install did not answer: revoke the command line under Agents there.\n`;
  return { body: { removed }, text };
}

async function whoami({ io }: Call): Promise<Answer> {
  const signedIn = await signIn(io);
  const { kind, account } = await kindOf(clientFor(io, signedIn), signedIn);
  const by = 'key' in signedIn ? { key: { prefix: signedIn.key.slice(0, 14), kind } } : { grant: { kind } };
  const cap = account?.caps.postsPerDay ?? null;
  const text = facts([
    ['install', signedIn.url],
    ['key', 'key' in by ? `${by.key.prefix}… (${kind})` : null],
    ['signed in', 'key' in by ? null : `through the browser (${kind})`],
    ['account', account?.id ?? null],
    ['plan', account?.plan ?? null],
    ['posts today', account === null ? null : `${account.usage.postsToday}${cap === null ? '' : ` of ${cap}`}`],
  ]);
  return { body: { url: signedIn.url, ...by, account }, text };
}

type Account = Awaited<ReturnType<Client['account']['get']['query']>>['account'];

/** What a login reaches: `limited` for a key or grant whose scopes do not let it ask. */
type Kind = 'account' | 'profile' | 'test' | 'limited';

/** What the refusals of this one operation say of a valid key or access token. */
const REFUSALS: readonly (readonly [text: string, kind: Kind])[] = [
  ['limited to one profile', 'profile'],
  ['in test mode', 'test'],
];

/** Asks the install about a login. @throws when it does not know the key, or the grant has ended */
async function kindOf(client: Client, given: StoredLogin): Promise<{ kind: Kind; account: Account | null }> {
  try {
    const { account } = await client.account.get.query({});
    return { kind: 'account', account };
  } catch (error) {
    const { body, message } = failureOf(error);
    if ((body as { error: string }).error !== 'forbidden') throw error;
    if ('key' in given && given.key.startsWith('crl_test_')) return { kind: 'test', account: null };
    // The scopes are checked first, so a missing one does not say whether the key reaches the account or a profile.
    return { kind: REFUSALS.find(([text]) => message.includes(text))?.[1] ?? 'limited', account: null };
  }
}
