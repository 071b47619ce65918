/**
 * `doctor`: checks an install through its running server, or without it what the environment and the data folder show
 * (docs/guide/doctor.md). Exit codes are those of monitoring plugins: 0 ok, 1 warnings, 2 failures.
 */
import type { CheckStatus, DoctorReport } from '../services/doctor/check.ts';
import { type Environment, NoServerError, operatorClient, type Request, UsageError } from './operator-client.ts';
import { parseOptions } from './parse-options.ts';

const OPTIONS = { url: { type: 'string' }, json: { type: 'boolean' } } as const;

const EXIT_CODES = { ok: 0, warning: 1, failed: 2 } as const;

/** @returns what to print, and the exit code */
export async function doctorCommand(
  request: Request,
  args: string[],
  env: Environment,
): Promise<{ output: string; exitCode: number }> {
  const { values, positionals } = parseOptions(args, OPTIONS);
  if (positionals.length > 0) throw new UsageError('');
  const report = await readReport(request, values, env);
  const output = values.json === true ? `${JSON.stringify(report, null, 2)}\n` : describe(report);
  return { output, exitCode: EXIT_CODES[report.status] };
}

async function readReport(
  request: Request,
  values: { url?: string | undefined },
  env: Environment,
): Promise<DoctorReport> {
  try {
    const client = await operatorClient(request, values, env);
    return (await client.call('GET', '/doctor')) as DoctorReport;
  } catch (error) {
    // An address that the operator names must answer.
    if (!(error instanceof NoServerError) || values.url !== undefined) throw error;
    const { runOfflineDoctor } = await import('../server/doctor.ts');
    return runOfflineDoctor(env);
  }
}

const SIGNS: Readonly<Record<CheckStatus, string>> = {
  ok: 'ok         ',
  warning: 'warning    ',
  failed: 'FAILED     ',
  'not checked': 'not checked',
};

function describe({ status, version, checks }: DoctorReport): string {
  const lines = checks.flatMap((check) => [
    `${SIGNS[check.status]}  ${check.name.padEnd(18)}${check.measured}`,
    ...(check.action === null ? [] : [`${' '.repeat(31)}→ ${check.action}`]),
  ]);
  return `${[...lines, `Carillon ${version}: ${status}`].join('\n')}\n`;
}
