/** A model behind an endpoint with OpenAI's chat completions API. */
import type { Fetch } from '../platforms/contract.ts';
import { NotSentError } from '../platforms/http.ts';
import type { PolishConfig } from '../services/config.ts';
import { PolishFailure, type Polisher, type PolishRequest } from '../services/ports/polisher.ts';
import { boundedBody } from './bounded-body.ts';

/** A text of 100,000 characters, escaped, with room for what servers add around it. */
const ANSWER_MAX_BYTES = 512 * 1024;

/** Longest time that the body of an answer may take; the whole request has its own deadline. */
const BODY_MS = 10_000;

/** @param guarded the outbound guard */
export function createOpenAiPolisher({ baseUrl, apiKey, model, seesImages }: PolishConfig, guarded: Fetch): Polisher {
  const target = `${baseUrl}/chat/completions`;
  const bound = { host: new URL(target).host, maxBytes: ANSWER_MAX_BYTES, timeoutMs: BODY_MS };
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  return {
    seesImages,
    ask: async (request, signal) => {
      const messages = [
        { role: 'system', content: request.instructions },
        { role: 'user', content: contentOf(request) },
      ];
      try {
        const body = JSON.stringify({ model, messages });
        const response = await guarded(target, { method: 'POST', headers, body, signal });
        if (!response.ok) {
          await response.body?.cancel();
          throw new PolishFailure(`The AI endpoint answered HTTP ${response.status}.`);
        }
        const bounded = response.body === null ? null : boundedBody(response.body, bound);
        const task = request.image === undefined ? 'rewrite the text' : 'describe the image';
        return textOf((await new Response(bounded).json()) as Answer | null, task);
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}

/** A string without an image: not all servers accept a list of parts. */
function contentOf({ material, image }: PolishRequest): string | object[] {
  if (image === undefined) return material;
  const url = `data:${image.contentType};base64,${Buffer.from(image.bytes).toString('base64')}`;
  return [
    { type: 'text', text: material },
    { type: 'image_url', image_url: { url } },
  ];
}

/** The part of an answer that is read. No field is trusted to exist. */
interface Answer {
  readonly choices?: readonly {
    readonly finish_reason?: unknown;
    readonly message?: { readonly content?: unknown; readonly refusal?: unknown; readonly tool_calls?: unknown };
  }[];
}

function textOf(answer: Answer | null, task: string): string {
  const choice = Array.isArray(answer?.choices) ? answer.choices[0] : undefined;
  const content = choice?.message?.content;
  if (choice?.message?.refusal || choice?.finish_reason === 'content_filter') {
    throw new PolishFailure(`The model refused to ${task}.`);
  }
  if (choice?.finish_reason === 'length') throw new PolishFailure('The model did not finish the rewrite.');
  // No tools are offered. A model that calls one follows the text instead of answering.
  if (
    typeof content === 'string' &&
    Array.isArray(choice?.message?.tool_calls) &&
    choice.message.tool_calls.length > 0
  ) {
    throw new PolishFailure('The model called a tool instead of answering.');
  }
  if (typeof content !== 'string') throw new PolishFailure('The AI endpoint gave an answer that cannot be read.');
  return content;
}

/** The message of a parser may quote the answer, so only names of errors and our own wording are used. */
function failureOf(error: unknown): PolishFailure {
  if (error instanceof PolishFailure) return error;
  const unsent = causes(error).find((cause) => cause instanceof NotSentError);
  if (unsent !== undefined) return new PolishFailure('The AI endpoint could not be reached.', unsent.message);
  const kinds = causes(error).map(({ name }) => name);
  return new PolishFailure('The AI endpoint gave an answer that cannot be read.', kinds.join(' < '));
}

function causes(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}
