/** A model behind an endpoint with OpenAI’s chat completions, which does tasks with the tools of an MCP endpoint. */
import type { Client } from '@modelcontextprotocol/client';

export interface Model {
  /** Address of the API, such as `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  readonly name: string;
  /** Sent as a bearer token. */
  readonly apiKey?: string;
}

export interface Performance {
  /** What it reply the person in the end. */
  readonly reply: string;
  /** The tools that it called, in order. */
  readonly calls: readonly string[];
  /** Tokens of all requests and answers, as the endpoint counted them. */
  readonly tokens: number;
}

/** A model that calls more tools than this is lost. */
const CALLS_MAX = 25;

const INSTRUCTIONS =
  'You look after the social media accounts of a person, with the tools that you have. Do what the person asks, no more. Then say in one or two sentences what you did or found.';

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

interface Completion {
  readonly choices: readonly { readonly message: Message }[];
  readonly usage?: { readonly total_tokens?: number };
}

/** @throws Error when the endpoint does not answer with a completion */
export async function performWithModel(model: Model, client: Client, ask: string): Promise<Performance> {
  const { tools } = await client.listTools();
  const functions = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));
  const messages: Message[] = [
    { role: 'system', content: INSTRUCTIONS },
    { role: 'user', content: ask },
  ];
  const calls: string[] = [];
  let tokens = 0;
  for (;;) {
    const { choices, usage } = await complete(model, { model: model.name, messages, tools: functions });
    tokens += usage?.total_tokens ?? 0;
    const message = choices[0]?.message;
    if (message === undefined) throw new Error('the model answered without a message');
    messages.push(message);
    if (message.tool_calls === undefined || message.tool_calls.length === 0 || calls.length >= CALLS_MAX) {
      return { reply: message.content ?? '', calls, tokens };
    }
    for (const call of message.tool_calls) {
      calls.push(call.function.name);
      messages.push({ role: 'tool', tool_call_id: call.id, content: await answerOf(client, call.function) });
    }
  }
}

async function complete({ baseUrl, apiKey }: Model, body: unknown): Promise<Completion> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`the model answered ${response.status}: ${(await response.text()).slice(0, 500)}`);
  return (await response.json()) as Completion;
}

async function answerOf(client: Client, wish: { name: string; arguments: string }): Promise<string> {
  try {
    const input = JSON.parse(wish.arguments === '' ? '{}' : wish.arguments) as Record<string, unknown>;
    const { content } = await client.callTool({ name: wish.name, arguments: input });
    return (content as { text?: string }[]).map((part) => part.text ?? JSON.stringify(part)).join('\n');
  } catch (error) {
    // Broken JSON, or a tool that does not exist: the model may correct it.
    return error instanceof Error ? error.message : String(error);
  }
}
