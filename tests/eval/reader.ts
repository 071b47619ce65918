/**
 * A scripted client that knows only what a model would have read: what the person wrote, the list of tools, and the answers
 * so far. An identifier that it has not read cannot be sent, and after a wrong call it goes on only if the answer reply how.
 */
import { AssertionError, equal, ok } from 'node:assert/strict';
import type { Client } from '@modelcontextprotocol/client';

// eslint-disable-next-line typescript/no-explicit-any -- tasks read known fields of answers
type Answer = any;

export interface Call {
  readonly tool: string;
  readonly isError: boolean;
  /** Characters of the text that the model gets. */
  readonly characters: number;
}

interface Mistake {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Arguments whose values name something that exists. */
const NAMING = new Set(['connectionSlugs', 'connection', 'platform']);

export class Reader {
  readonly calls: Call[] = [];
  readonly #client: Client;
  readonly #read: string[];
  #mistake: Mistake | null = null;

  private constructor(client: Client, read: string[]) {
    this.#client = client;
    this.#read = read;
  }

  /** @param ask what the person wrote */
  static async of(client: Client, ask: string): Promise<Reader> {
    const { tools } = await client.listTools();
    return new Reader(client, [ask, JSON.stringify(tools)]);
  }

  /** Calls a tool that must succeed, and reads its answer. */
  async call(tool: string, input: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    this.#mustHaveRead(input);
    this.#mustFollowFrom(tool, input);
    const { text, isError } = await this.#send(tool, input);
    if (isError) throw new AssertionError({ message: `${tool} was refused: ${text}` });
    this.#mistake = null;
    return JSON.parse(text.split('\n')[0] ?? '') as Answer;
  }

  /** Calls a tool wrongly. The answer must be this error, and name what the next call does differently. */
  async mistake(tool: string, input: Readonly<Record<string, unknown>>, code: string): Promise<string> {
    this.#mustFollowFrom(tool, input);
    const { text, isError } = await this.#send(tool, input);
    equal(isError ? text.split(':')[0] : 'no error', code, text);
    this.#mistake = { tool, input, text };
    return text;
  }

  /** Gives up after a mistake: the answer itself is what the person needs to know. */
  report(text: string): string {
    this.#mistake = null;
    return text;
  }

  async #send(tool: string, input: Readonly<Record<string, unknown>>): Promise<{ text: string; isError: boolean }> {
    const answer = await this.#client.callTool({ name: tool, arguments: { ...input } });
    const parts = (answer.content as { text?: string }[]).map((part) => part.text ?? JSON.stringify(part));
    const text = parts.join('\n');
    this.#read.push(text);
    this.calls.push({ tool, isError: answer.isError ?? false, characters: text.length });
    return { text, isError: answer.isError ?? false };
  }

  #mustHaveRead(input: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(input)) {
      for (const leaf of leaves(value)) {
        if (!ID.test(leaf) && !NAMING.has(name)) continue;
        ok(
          this.#read.some((text) => text.includes(leaf)),
          `${name}: ${leaf} was never read`,
        );
      }
    }
  }

  #mustFollowFrom(tool: string, input: Readonly<Record<string, unknown>>): void {
    if (this.#mistake === null) return;
    const { tool: before, input: wrong, text } = this.#mistake;
    const names = [...new Set([...Object.keys(wrong), ...Object.keys(input)])];
    const changed = names.filter((name) => JSON.stringify(wrong[name]) !== JSON.stringify(input[name]));
    const steps = tool === before ? changed : [tool];
    ok(
      steps.some((step) => text.includes(step)),
      `the answer does not lead to ${steps.join(' or ')}: ${text}`,
    );
  }
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(leaves);
}
