/** The parser, made from the list of commands. */
import { Command, CommanderError, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { CommandSpec, Options, OptionSpec } from './command.ts';
import { COMMANDS, GROUPS } from './commands.ts';

/** A parsed command. */
export interface Parsed {
  readonly command: CommandSpec;
  readonly operands: readonly (string | undefined)[];
  readonly rest: readonly string[];
  readonly options: Options;
}

/** Text that the parser prints: help, the version, or what is wrong. */
export interface Printed {
  readonly out: string;
  readonly error: string;
  readonly isUsageError: boolean;
}

const ENVIRONMENT = `
Environment:
  CARILLON_URL, CARILLON_KEY  install and key, in place of the stored login
  OPERATOR_TOKEN              the operator's token; default: the one in DATA_DIR
  NO_COLOR                    print no colors

A key, token or password is never an argument: other users of a machine see arguments.
`;

/** Parses the arguments of a run, or gives what to print in its place. */
export function parseCommand(args: readonly string[], columns: number): Parsed | Printed {
  let parsed: Parsed | undefined;
  let [out, error] = ['', ''];
  const root = new Command('carillon')
    .description('Publish posts to many platforms at once, from the command line.')
    .version(packageJson.version);
  const groups = new Map<string, Command>([['', root]]);
  root.configureOutput({
    writeOut: (text) => (out += text),
    writeErr: (text) => (error += text),
    getOutHelpWidth: () => columns,
    getErrHelpWidth: () => columns,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
  root
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('Help: carillon --help')
    .addHelpText('after', ENVIRONMENT);
  for (const command of COMMANDS) add(groups, command, (found) => (parsed = found));
  try {
    root.parse([...args], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return { out, error, isUsageError: thrown.exitCode !== 0 || args.length === 0 };
  }
  return parsed ?? { out, error: error === '' ? root.helpInformation() : error, isUsageError: true };
}

function add(groups: Map<string, Command>, spec: CommandSpec, found: (parsed: Parsed) => void): void {
  const words = spec.name.split(' ');
  const command = groupOf(groups, words.slice(0, -1))
    .command(words.at(-1) ?? '')
    .description(spec.summary);
  for (const operand of spec.operands ?? []) command.argument(operand);
  for (const option of spec.options ?? []) command.addOption(optionOf(option));
  if (spec.hasNoJson !== true) command.option('--json', 'Print the answer of the API as JSON.');
  command.action(() => {
    const all = command.processedArgs as (string | string[] | undefined)[];
    const rest = all.find((operand) => Array.isArray(operand)) ?? [];
    const operands = all.map((operand) => (Array.isArray(operand) ? undefined : operand));
    found({ command: spec, operands, rest, options: command.opts() });
  });
}

function groupOf(groups: Map<string, Command>, words: readonly string[]): Command {
  const name = words.join(' ');
  const known = groups.get(name);
  if (known !== undefined) return known;
  const group = groupOf(groups, words.slice(0, -1))
    .command(words.at(-1) ?? '')
    .description(GROUPS[name] ?? '');
  groups.set(name, group);
  return group;
}

function optionOf({ flags, text, isRepeated = false }: OptionSpec): Option {
  const option = new Option(flags, text);
  return isRepeated
    ? option.argParser<string[] | undefined>((value: string, before: string[] | undefined) => [
        ...(before ?? []),
        value,
      ])
    : option;
}
