/** Checks of the services that the operator has configured. None of them sends or changes anything that stays. */
import { stat } from 'node:fs/promises';
import { MailFailure } from '../../platforms/mail.ts';
import { PlatformFailure } from '../../platforms/contract.ts';
import type { AnyPlatform } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { platformIo } from '../platform-io.ts';
import { type Check, type CheckOutcome, failed, notChecked, ok, runCheck, warning } from './check.ts';

const TIMEOUT_MS = 10_000;

/** What is written to the store of images and removed again. */
const PROBE = Buffer.from('carillon doctor');

export async function checkMail({ mail, clock }: Context): Promise<CheckOutcome> {
  if (mail === null) return notChecked('No mail server is configured.');
  try {
    await mail.verify(clock.deadline(TIMEOUT_MS));
    return ok('The mail server accepts the connection and the credentials; nothing was sent.');
  } catch (error) {
    const reply = error instanceof MailFailure && error.reply !== null ? `reply ${error.reply}` : 'no answer';
    return failed(`The mail server refused the session (${reply}).`, 'Check SMTP_URL: host, port, user and password.');
  }
}

export async function checkMediaStore({ media, random, config }: Context): Promise<CheckOutcome> {
  const where = config.mediaStore.kind === 's3' ? `The bucket ${config.mediaStore.bucket}` : 'The folder of images';
  if (config.mediaStore.kind === 'file' && (await stat(config.dataDir).catch(() => null)) === null) {
    return notChecked(`${config.dataDir} does not exist yet.`, 'The first start creates it.');
  }
  const key = random.uuid();
  try {
    await media.put(key, PROBE, 'image/png');
    const read = await media.get(key);
    await media.delete(key);
    if (read !== null && PROBE.equals(read)) return ok(`${where} was written, read and cleared.`);
    return failed(`${where} returned other bytes than were written.`, 'Check MEDIA_STORE.');
  } catch (error) {
    await media.delete(key).catch(() => undefined);
    const { name } = (error as Error & { cause?: Error }).cause ?? (error as Error);
    return failed(
      `${where} could not be used (${name}).`,
      'Check MEDIA_STORE, its credentials and their rights to put, get and delete.',
    );
  }
}

export async function checkModel(context: Context): Promise<CheckOutcome> {
  const { polish } = context.config;
  if (polish === null) return notChecked('No model is configured.');
  const headers: Record<string, string> =
    polish.apiKey === undefined ? {} : { authorization: `Bearer ${polish.apiKey}` };
  const answer = await context
    .fetch(`${polish.baseUrl.replace(/\/$/, '')}/models`, {
      headers,
      signal: context.clock.deadline(TIMEOUT_MS),
    })
    .catch((error: Error) => error);
  if (answer instanceof Error) {
    return failed(
      `The model endpoint could not be reached: ${answer.message}`,
      'Check AI_BASE_URL and OUTBOUND_ALLOW.',
    );
  }
  if (answer.status === 401 || answer.status === 403) {
    return failed(`The model endpoint answered HTTP ${answer.status}.`, 'Check AI_API_KEY.');
  }
  if (answer.status === 404) return notChecked('The model endpoint has no list of models.');
  if (!answer.ok) return failed(`The model endpoint answered HTTP ${answer.status}.`, 'Check AI_BASE_URL.');
  const body = (await answer.json().catch(() => null)) as { data?: { id?: unknown }[] } | null;
  const has = Array.isArray(body?.data) && body.data.some((model) => model?.id === polish.model);
  return has
    ? ok(`The endpoint offers the model ${polish.model}.`)
    : warning(`The endpoint does not list the model ${polish.model}.`, 'Check AI_MODEL.');
}

/** One check for each app that is configured. Platforms that share an app are checked once. */
export async function checkPlatforms(context: Context): Promise<Check[]> {
  const { apps } = context.config;
  const checks = new Map<string, Promise<Check>>();
  for (const platform of Object.values(context.platforms)) {
    const app = platform.settings?.app;
    const isSet = app !== undefined && (apps as object as Readonly<Record<string, unknown>>)[app.id] != null;
    if (!isSet || checks.has(app.id)) continue;
    const sharing = Object.values(context.platforms).filter((other) => other.settings?.app?.id === app.id);
    const checking = sharing.find(({ checkApp }) => checkApp !== undefined) ?? platform;
    checks.set(
      app.id,
      runCheck(`platform ${app.id}`, () => checkApp(context, checking)),
    );
  }
  return Promise.all(checks.values());
}

async function checkApp(context: Context, platform: AnyPlatform): Promise<CheckOutcome> {
  const { name, settings } = platform;
  if (platform.checkApp === undefined) return notChecked(`The app at ${name} cannot be checked without an account.`);
  try {
    await platform.checkApp(platformIo(context, TIMEOUT_MS));
    return ok(`${name} accepts the app.`);
  } catch (error) {
    const words = error instanceof PlatformFailure ? error.message : (error as Error).name;
    const names = Object.keys(settings?.app?.settings ?? {}).join(', ');
    return failed(
      `${name} does not accept the app: ${words}`,
      `Compare ${names} with ${settings?.app?.registerAt ?? 'its page'}.`,
    );
  }
}
