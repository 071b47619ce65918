/** Checks the credentials that a customer has typed, or starts the platform's authorization flow. */
import { ConnectSession } from '../../entities/connect-session.ts';
import { tables } from '../../entities/tables.ts';
import { zodDetails } from '../../errors/zod-details.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { type AnyPlatform, type ConnectedAccount, type JsonObject, PlatformFailure } from '../../platforms/contract.ts';
import type { CredentialField } from '../../platforms/credential-fields.ts';
import type { OauthAccount, OauthConnect, OauthRequest, Typed } from '../../platforms/connect.ts';
import { withScheme } from '../../platforms/origin.ts';
import type { ScopedCredential } from '../../platforms/scopes.ts';
import { checkCredentials, checkAccount } from '../connections/check-credentials.ts';
import type { Context } from '../context.ts';
import type { HostedPlatform } from './connectable-platforms.ts';
import { customerMessage } from './customer-message.ts';
import { failSession } from './end-session.ts';
import { storeFlow } from './flow.ts';
import { linkAccount } from './link-account.ts';
import { callbackUrl, oauthIo } from './oauth-io.ts';
import { type Outcome, TRIES_MAX } from './outcome.ts';
import { newSecret } from './new-secret.ts';

/** @param raw the submitted value of each field, as typed */
export async function tryCredentials(
  context: Context,
  session: ConnectSession,
  offered: HostedPlatform,
  raw: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const { fields, oauth } = offered.hosted;
  const typed = readFields(fields, raw);
  const missing = fields.find(({ name, required }) => required && typed[name] === undefined);
  if (missing !== undefined) return { kind: 'refused', message: `${missing.label}: please fill this in.` };
  if (oauth === undefined) {
    const malformed = problemOf(offered, typed);
    if (malformed !== null) return { kind: 'refused', message: malformed };
  }
  if (!(await countTry(context, session))) return { kind: 'ended' };
  return oauth === undefined
    ? link(context, session, offered.platform, () => checkCredentials(context, offered.platform, typed))
    : begin(context, session, offered, oauth, typed);
}

/** Checks the credential from the platform's authorization page, and completes the session with its account. */
export function linkGranted(
  context: Context,
  session: ConnectSession,
  { platform, hosted }: HostedPlatform,
  { credentials, scopes }: OauthAccount<unknown>,
): Promise<Outcome> {
  const { alternative } = hosted;
  return link(context, session, platform, async () => {
    const account =
      alternative === undefined
        ? await checkCredentials(context, platform, credentials)
        : await checkAccount(context, (io) => alternative.connectAccount(credentials as JsonObject, io));
    return scopes === undefined ? account : withScopes(account, scopes);
  });
}

/** The account with the granted scopes in its credential. */
function withScopes(account: ConnectedAccount<unknown>, scopes: readonly string[]): ConnectedAccount<unknown> {
  const scoped: ScopedCredential = { grantedScopes: scopes };
  return { ...account, credential: { ...Object(account.credential), ...scoped } };
}

/** Completes the session with the account that `check` returns. */
async function link(
  context: Context,
  session: ConnectSession,
  platform: AnyPlatform,
  check: () => Promise<ConnectedAccount<unknown>>,
): Promise<Outcome> {
  try {
    const account = await check();
    await linkAccount(context, session.id, platform, account);
    return { kind: 'ended' };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return refuse(context, session, customerMessage(error));
  }
}

/** Records that the platform has refused. */
export async function refuse(context: Context, session: ConnectSession, message: string): Promise<Outcome> {
  const changes = { refused: true, flow: null };
  await context.db.em().nativeUpdate(ConnectSession, { id: session.id, status: 'pending' }, changes);
  return { kind: 'refused', message };
}

async function begin(
  context: Context,
  session: ConnectSession,
  { platform }: HostedPlatform,
  oauth: OauthConnect<unknown>,
  typed: Typed,
): Promise<Outcome> {
  const request: OauthRequest = {
    redirectUri: callbackUrl(context, platform.id),
    // The id identifies which of the browser's sessions an answer is for; the rest cannot be guessed.
    state: `${session.id}.${newSecret(context)}`,
    verifier: newSecret(context),
  };
  try {
    const { url, memo } = await oauth.begin(typed, request, oauthIo(context, platform.id));
    const { state, verifier } = request;
    await storeFlow(context, session, { step: 'away', platformId: platform.id, state, verifier, memo });
    return { kind: 'away', url };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return refuse(context, session, customerMessage(error));
  }
}

/** Counts one try. Returns false when the session has ended, and ends it after too many tries. */
async function countTry(context: Context, session: ConnectSession): Promise<boolean> {
  const row = await tables(context.db.queries)
    .updateTable('connect_sessions')
    .set((of) => ({ tries: of('tries', '+', 1) }))
    .where('id', '=', session.id)
    .where('status', '=', 'pending')
    .where('expires_at', '>', context.clock.now().toISOString())
    .returning('tries')
    .executeTakeFirst();
  if (row === undefined) return false;
  if (row.tries <= TRIES_MAX) return true;
  await failSession(context, session, 'connect_failed');
  return false;
}

function readFields(fields: readonly CredentialField[], raw: Readonly<Record<string, string>>): Typed {
  const filled = fields.flatMap(({ name, kind }) => {
    const text = (raw[name] ?? '').trim();
    return text === '' ? [] : [[name, kind === 'server' ? withScheme(text) : text]];
  });
  return Object.fromEntries(filled) as Typed;
}

/** Names malformed fields by their labels on the page; null when none is malformed. */
function problemOf({ platform, hosted }: HostedPlatform, typed: Typed): string | null {
  const parsed = platform.credentials.safeParse(typed);
  if (parsed.success) return null;
  const [detail] = zodDetails(parsed.error, undefined, []);
  const label = hosted.fields.find(({ name }) => name === detail?.path)?.label ?? 'What you typed';
  return `${label}: expected ${detail?.expected ?? 'something else'}.`;
}
