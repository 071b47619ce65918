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
  /** The brand voice, between lines before the text; null without one. */
  readonly style: Record<string, string[]> | null;
  /** The image beside the message; null without one. */
  readonly image: { readonly contentType: string; readonly bytes: Buffer } | null;
}

type Answer = string | WireAnswer | NoAnswer;

export interface FakeModel extends AsyncDisposable {
  /** Value for AI_BASE_URL. */
  readonly baseUrl: string;
  readonly asked: Asked[];
  /** Answers a request; a string is a rewrite. By default, it prepends a word to a text, and gives all images one alt text. */
  answer: (asked: Asked) => Answer | Promise<Answer>;
}

/** The default alt text of the model. */
export const DESCRIBED = 'A brass bell in front of a red door.';

/** The default rewrite of the model. */
export function polished(text: string): string {
  return `Polished ${text}`;
}

export async function startFakeModel(options: WireOptions): Promise<FakeModel> {
  const asked: Asked[] = [];
  const wire = await startWire(options, async (call) => {
    if (call.method === 'GET' && call.path === '/v1/models') {
      if (call.headers.authorization === 'Bearer wrong') return { status: 401, json: { error: {} } };
      return { status: 200, json: { object: 'list', data: [{ id: 'small', object: 'model' }] } };
    }
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
    answer: ({ text, image }) => (image === null ? polished(text) : DESCRIBED),
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

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
}

function takeApart(call: WireCall): Asked {
  const body = call.json as Record<string, unknown>;
  const messages = body['messages'] as { role: string; content: string | Part[] }[];
  const partsOf = (role: string) => {
    const content = messages.find((message) => message.role === role)?.content ?? '';
    return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  };
  const textOf = (role: string) => partsOf(role).find(({ type }) => type === 'text')?.text ?? '';
  const { style, material } = withoutStyle(textOf('user'));
  const lines = material.split('\n');
  return {
    authorization: call.headers.authorization,
    body,
    roles: messages.map(({ role }) => role),
    instructions: textOf('system'),
    boundaries: [lines.at(0) ?? '', lines.at(-1) ?? ''],
    text: lines.slice(1, -1).join('\n'),
    style,
    image: imageOf(partsOf('user')),
  };
}

/** Splits off the brand voice in front of the text. */
function withoutStyle(content: string): { style: Asked['style']; material: string } {
  const found = /^(?<line>post-[0-9a-f]{32}-style)\n(?<json>.*)\n\k<line>\n\n(?<material>[^]*)$/.exec(content)?.groups;
  if (found === undefined) return { style: null, material: content };
  return { style: JSON.parse(found['json'] ?? '') as Record<string, string[]>, material: found['material'] ?? '' };
}

function imageOf(parts: readonly Part[]): Asked['image'] {
  const url = parts.find(({ type }) => type === 'image_url')?.image_url?.url;
  const found = /^data:(?<type>[a-z/]+);base64,(?<bytes>.*)$/.exec(url ?? '')?.groups;
  if (found === undefined) return null;
  return { contentType: found['type'] ?? '', bytes: Buffer.from(found['bytes'] ?? '', 'base64') };
}
