/** The shape of a command. Parsing, help, completions and the man page come from the list of commands. */
import type { Io } from './io.ts';

export interface OptionSpec {
  /** As commander writes it: `--to <slug>`, `--draft`. */
  readonly flags: string;
  readonly text: string;
  /** Whether it may be given several times; its value is then a list. */
  readonly isRepeated?: boolean;
}

/** What a command answers. */
export interface Answer {
  /** Printed with `--json`. */
  readonly body: unknown;
  /** Printed without it. */
  readonly text: string;
  /** Printed on standard error after it: what the person can do next. */
  readonly hints?: readonly string[];
  /** 0 unless set; see exit-codes.ts. */
  readonly exitCode?: number;
}

/** One run of a command. */
export interface Call {
  readonly io: Io;
  /** The operands, in order; undefined for one that was left out. */
  readonly operands: readonly (string | undefined)[];
  /** The operands that a last, repeatable operand takes. */
  readonly rest: readonly string[];
  readonly options: Options;
  /** The arguments as they were given, after the first word of the command. */
  readonly raw: readonly string[];
  /** Whether the answer is to be JSON. */
  readonly isJson: boolean;
  /** Tells a person how far a wait or an upload is. Not part of the answer. */
  readonly report: (line: string) => void;
  /** Prints a line of an answer that has no end. */
  readonly print: (line: string) => void;
}

/** The options by their long names in camel case. */
export interface Options {
  readonly [name: string]: string | boolean | string[] | undefined;
}

export interface CommandSpec {
  /** One or two words: `post`, `posts show`. */
  readonly name: string;
  readonly summary: string;
  /** As commander writes them: `<post id>`, `[text]`, `<file...>`. */
  readonly operands?: readonly string[];
  readonly options?: readonly OptionSpec[];
  /** Whether it prints text only. */
  readonly hasNoJson?: boolean;
  /** The answer; undefined when the command has printed everything. */
  readonly run: (call: Call) => Promise<Answer | undefined>;
}

/** An option that takes a value, by its name on the command line. Undefined when it was left out. */
export function valueOf({ options }: Pick<Call, 'options'>, name: string): string | undefined {
  const value = options[keyOf(name)];
  return typeof value === 'string' ? value : undefined;
}

/** The values of a repeatable option. */
export function valuesOf({ options }: Pick<Call, 'options'>, name: string): string[] {
  const values = options[keyOf(name)];
  return Array.isArray(values) ? values : [];
}

/** Whether a flag was given. */
export function hasFlag({ options }: Pick<Call, 'options'>, name: string): boolean {
  return options[keyOf(name)] === true;
}

/** Whether an option was given, with or without a value. */
export function isGiven({ options }: Pick<Call, 'options'>, name: string): boolean {
  const value = options[keyOf(name)];
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** `first-comment` is stored as `firstComment`. */
function keyOf(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}
