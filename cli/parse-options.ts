/** Parses the arguments of a command; wrong ones are reported with the usage. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { UsageError } from './operator-client.ts';

/** @throws UsageError */
export function parseOptions<const Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
