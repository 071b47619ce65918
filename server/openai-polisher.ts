/** A model behind an endpoint with OpenAI's chat completions API. The library is loaded with the first text. */
import type { OpenAI } from 'openai';
import type { Fetch } from '../platforms/contract.ts';
import { NotSentError } from '../platforms/http.ts';
import type { PolishConfig } from '../services/config.ts';
import { PolishFailure, type Polisher } from '../services/ports/polisher.ts';
import { boundedBody } from './bounded-body.ts';

/** A text of 100,000 characters, escaped, with room for what servers add around it. */
const ANSWER_MAX_BYTES = 512 * 1024;

/** Longest time that the body of an answer may take; the whole request has its own deadline. */
const BODY_MS = 10_000;

/** @param guarded the outbound guard */
export function createOpenAiPolisher(config: PolishConfig, guarded: Fetch): Polisher {
  let opening: Promise<OpenAI> | undefined;
  return {
    rewrite: async ({ instructions, material }, signal) => {
      const client = await (opening ??= openClient(config, guarded));
      const messages = [
        { role: 'system' as const, content: instructions },
        { role: 'user' as const, content: material },
      ];
      try {
        return textOf(await client.chat.completions.create({ model: config.model, messages }, { signal }));
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}

/** The library's own environment variables are ignored, because they belong to other programs on the machine. */
async function openClient({ baseUrl, apiKey }: PolishConfig, guarded: Fetch): Promise<OpenAI> {
  const { OpenAI: Client } = await import('openai');
  return new Client({
    baseURL: baseUrl,
    // The library requires a key; a server without one is sent no header.
    apiKey: apiKey ?? 'none',
    ...(apiKey === undefined && { defaultHeaders: { authorization: null } }),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    fetch: async (input, init) => {
      const { method, headers, body, signal } = init ?? {};
      const target = input instanceof Request ? input.url : input;
      const response = await guarded(target, {
        ...(method !== undefined && { method }),
        headers: Object.fromEntries(new Headers(headers)),
        ...(typeof body === 'string' && { body }),
        ...(signal != null && { signal }),
      });
      const bound = { host: new URL(target).host, maxBytes: ANSWER_MAX_BYTES, timeoutMs: BODY_MS };
      const bounded = response.body === null ? null : boundedBody(response.body, bound);
      return new Response(bounded, { status: response.status, headers: response.headers });
    },
  });
}

/** The part of an answer that is read. No field is trusted to exist. */
interface Answer {
  readonly choices?: readonly {
    readonly finish_reason?: unknown;
    readonly message?: { readonly content?: unknown; readonly refusal?: unknown };
  }[];
}

function textOf(answer: Answer): string {
  const choice = Array.isArray(answer?.choices) ? answer.choices[0] : undefined;
  const content = choice?.message?.content;
  if (choice?.message?.refusal || choice?.finish_reason === 'content_filter') {
    throw new PolishFailure('The model refused to rewrite the text.');
  }
  if (choice?.finish_reason === 'length') throw new PolishFailure('The model did not finish the rewrite.');
  if (typeof content !== 'string') throw new PolishFailure('The AI endpoint gave an answer that cannot be read.');
  return content;
}

/** The library's message may quote the answer, so only the status and our own wording are used. */
function failureOf(error: unknown): PolishFailure {
  if (error instanceof PolishFailure) return error;
  const { status } = error as { status?: unknown };
  if (typeof status === 'number') return new PolishFailure(`The AI endpoint answered HTTP ${status}.`);
  const unsent = causes(error).find((cause) => cause instanceof NotSentError);
  if (unsent !== undefined) return new PolishFailure('The AI endpoint could not be reached.', unsent.message);
  const kinds = causes(error).map(({ name }) => name);
  return new PolishFailure('The AI endpoint gave an answer that cannot be read.', kinds.join(' < '));
}

function causes(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}
