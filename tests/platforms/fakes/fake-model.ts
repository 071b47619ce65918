/**
 * A server that speaks OpenAI's chat completions, in place of a model. It takes apart what it is sent: where the
 * text stands, and what stands around it.
 */
import { type NoAnswer, startWire, type WireAnswer, type WireCall, type WireOptions } from './wire.ts';

/** A question as it came. */
export interface Asked {
  /** Of the header `authorization`; undefined when there was none. */
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
  readonly roles: readonly string[];
  /** The system message. */
  readonly instructions: string;
  /** First and last line of the user message. */
  readonly boundaries: readonly [first: string, last: string];
  /** What stands between them. */
  readonly text: string;
}

type Answer = string | WireAnswer | NoAnswer;

export interface FakeModel extends AsyncDisposable {
  /** What AI_BASE_URL is set to. */
  readonly baseUrl: string;
  readonly asked: Asked[];
  /** How texts are answered; a string is a rewrite. Until a test says otherwise, with a word in front. */
  answer: (asked: Asked) => Answer | Promise<Answer>;
}

/** The rewrite that the model gives by itself. */
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

/** The body of an answer, with whatever else `more` puts into its choice. */
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
