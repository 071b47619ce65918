/** Runs every check that is possible, beside each other, and reports them in a fixed order. */
import type { Context } from '../context.ts';
import { type Check, type CheckOutcome, type DoctorReport, notChecked, reportOf, runCheck } from './check.ts';
import { checkDatabase, checkDatabaseClock, checkFleet, checkSchema, databaseNotOpened } from './check-database.ts';
import { checkBackups, checkKeys, checkRuntime, checkStorage, checkWebhooks } from './check-install.ts';
import { askPublicUrl, checkClock, checkProxy, checkPublicUrl } from './check-outside.ts';
import { checkMail, checkMediaStore, checkModel, checkPlatforms } from './check-services.ts';

export interface DoctorInput {
  /** Version of the runtime, and the version that the package pins. */
  readonly node: { readonly running: string; readonly wanted: string };
  readonly machineNow: () => Date;
  /** What prevented the database from being opened; null when it is open. */
  readonly databaseProblem: CheckOutcome | null;
  /** Whether this is the running server, so that its public address can answer. */
  readonly isServing: boolean;
}

export async function runDoctor(context: Context, input: DoctorInput): Promise<DoctorReport> {
  const { databaseProblem, isServing, node } = input;
  const withDatabase = (work: () => Promise<CheckOutcome>) => () =>
    databaseProblem === null ? work() : databaseNotOpened();
  const asked = isServing
    ? await askPublicUrl(context)
    : { outcome: notChecked('The server does not run.', 'Start it, and run the doctor again.') };
  const checks: readonly [string, () => Promise<CheckOutcome> | CheckOutcome][] = [
    ['runtime', () => checkRuntime(node.running, node.wanted)],
    ['database', () => databaseProblem ?? checkDatabase(context)],
    ['schema', withDatabase(() => checkSchema(context))],
    ['versions', withDatabase(() => checkFleet(context))],
    ['database clock', withDatabase(() => checkDatabaseClock(context, input.machineNow))],
    ['clock', () => checkClock(context)],
    ['data folder', () => checkStorage(context)],
    ['encryption keys', withDatabase(() => checkKeys(context))],
    ['backups', () => checkBackups(context)],
    ['public URL', () => checkPublicUrl(context, asked)],
    ['proxy', () => checkProxy(context, asked)],
    ['mail', () => checkMail(context)],
    ['images', () => checkMediaStore(context)],
    ['model', () => checkModel(context)],
    ['webhooks', withDatabase(() => checkWebhooks(context))],
  ];
  const done: Check[] = await Promise.all(checks.map(([name, work]) => runCheck(name, work)));
  return reportOf(context.version, [...done, ...(await checkPlatforms(context))]);
}
