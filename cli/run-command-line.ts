/** Runs one command line to its exit code. */
import type { Call } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { failureOf, UnknownSendError } from './failure.ts';
import type { Io } from './io.ts';
import { parseCommand } from './program.ts';
import { painter, plainText } from './terminal-text.ts';

/**
 * Standard output holds the answer, and with `--json` nothing but its JSON; progress and errors go to standard error.
 *
 * @param args without the name of the program
 * @returns an exit code of exit-codes.ts
 */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommand(args, io.stdout.columns);
  if (!('command' in parsed)) {
    io.stdout.write(parsed.out);
    io.stderr.write(parsed.error);
    return parsed.isUsageError ? EXIT_CODES.usage.code : EXIT_CODES.ok.code;
  }
  const { command, operands, rest, options } = parsed;
  const isJson = options['json'] === true;
  const report = (line: string) => io.stderr.write(`${plainText(line)}\n`);
  const print = (line: string) => io.stdout.write(`${line}\n`);
  const call: Call = { io, operands, rest, options, raw: args.slice(1), isJson, report, print };
  try {
    const answer = await command.run(call);
    if (answer !== undefined) io.stdout.write(isJson ? `${JSON.stringify(answer.body, null, 2)}\n` : answer.text);
    for (const hint of answer?.hints ?? []) report(hint);
    return answer?.exitCode ?? EXIT_CODES.ok.code;
  } catch (error) {
    return fail(error, call, command.name);
  }
}

function fail(error: unknown, { io, isJson, report }: Call, name: string): number {
  // Who interrupts a command expects no error, unless the work may have been done all the same.
  if (io.signal.aborted && !(error instanceof UnknownSendError)) return EXIT_CODES.failed.code;
  const { exitCode, message, hint, body } = failureOf(error);
  if (isJson) io.stdout.write(`${JSON.stringify(body, null, 2)}\n`);
  const color = painter(io.stderr, io.env);
  io.stderr.write(`${color('red', plainText(message === '' ? `See: carillon ${name} --help` : message))}\n`);
  if (hint !== undefined) report(hint);
  return exitCode;
}
