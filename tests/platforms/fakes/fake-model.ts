/**
 * A server with OpenAI's chat completions API that replaces a model. It splits each request into the text and the
 * instructions around it.
 */
import { type NoAnswer, startWire, type WireAnswer, type WireCall, type WireOptions } from './wire.ts';

/** A parsed request. */
export interface Asked {
  /** The `authorization` header; undefined when absent. */
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
  readonly roles: readonly string[];
  /** The system message. */
  readonly instructions: string;
  /** First and last line of the user message. */
  readonly boundaries: readonly [first: string, last: string];
  /** The lines between the boundaries. */
  readonly text: string;
}

type Answer = string | WireAnswer | NoAnswer;

export interface FakeModel extends AsyncDisposable {
  /** Value for AI_BASE_URL. */
  readonly baseUrl: string;
  readonly asked: Asked[];
  /** Answers a request; a string is a rewrite. By default, it prepends a word to the text. */
  answer: (asked: Asked) => Answer | Promise<Answer>;
}

/** The default rewrite of the model. */
export function polished(text: string): string {
  return `Polished ${text}`;
}

export async function startFakeModel(options: WireOptions): Promise<FakeModel> {
  const asked: Asked[] = [];
  const wire = await startWire(options, async (call) => {
    if (call.method !== 'POST' || call.path !== '/v1/chat/completions') return { status: 404, json: { error: {} } };
    const question = takeApart(call);
    asked.push(question);
    const answer = await model.answer(question);
    if (typeof answer !== 'string') return answer;
    return { status: 200, json: completion(answer, String(question.body['model'])) };
  });
  const model: FakeModel = {
    baseUrl: `${wire.url}/v1`,
    asked,
    answer: ({ text }) => polished(text),
    [Symbol.asyncDispose]: () => wire.close(),
  };
  return model;
}

/** The body of a response; `more` adds fields to its choice. */
export function completion(
  content: string | null,
  model = 'model',
  more: { finish_reason?: string; message?: object } = {},
) {
  const message = { role: 'assistant', content, refusal: null, ...more.message };
  const choice = { index: 0, logprobs: null, finish_reason: 'stop', ...more, message };
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1_795_000_000, model, choices: [choice] };
}

function takeApart(call: WireCall): Asked {
  const body = call.json as Record<string, unknown>;
  const messages = body['messages'] as { role: string; content: string }[];
  const of = (role: string) => messages.find((message) => message.role === role)?.content ?? '';
  const lines = of('user').split('\n');
  return {
    authorization: call.headers.authorization,
    body,
    roles: messages.map(({ role }) => role),
    instructions: of('system'),
    boundaries: [lines.at(0) ?? '', lines.at(-1) ?? ''],
    text: lines.slice(1, -1).join('\n'),
  };
}
