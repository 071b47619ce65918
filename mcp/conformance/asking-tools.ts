/**
 * Conformance fixtures that request input from the client before they answer: in one round, in two, and of each kind.
 */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  inputResponse,
  type InputRequests,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { RequestStates } from '../request-states.ts';
import { text } from './contents.ts';

type Answer = CallToolResult | InputRequiredResult;
type Handler = (ctx: ServerContext, states: RequestStates) => Answer | Promise<Answer>;

const ask = (message: string, field: string, schema: { type: 'string' } | { type: 'boolean' } = { type: 'string' }) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: schema }, required: [field] },
  });

const think = (question: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens,
  });

const name = ask('What is your name?', 'name');

/** What the client answered under a key; undefined for no answer, or an answer of another kind. */
function answered({ mcpReq }: ServerContext, key: string): unknown {
  const response = inputResponse(mcpReq.inputResponses, key);
  if (response.kind === 'elicit') return response.action === 'accept' ? response.content : undefined;
  if (response.kind === 'sampling') return response.result.content;
  return response.kind === 'roots' ? response.roots : undefined;
}

/** Asks for all inputs until they have arrived, then shows them. */
const once =
  (requests: InputRequests): Handler =>
  (ctx) => {
    const answers = Object.keys(requests).map((key) => answered(ctx, key));
    if (answers.includes(undefined)) return inputRequired({ inputRequests: requests });
    return { content: [text(JSON.stringify(answers))] };
  };

/** Like {@link once}, with a sealed note that travels with the request. */
const sealed =
  (requests: InputRequests): Handler =>
  async (ctx, states) => {
    const answers = Object.keys(requests).map((key) => answered(ctx, key));
    if (ctx.mcpReq.requestState() === undefined || answers.includes(undefined))
      return inputRequired({ inputRequests: requests, requestState: await states.mint('sealed', ctx) });
    return { content: [text(`state-ok ${JSON.stringify(answers)}`)] };
  };

const greet: Handler = (ctx) => {
  const given = answered(ctx, 'user_name') as { name?: unknown } | undefined;
  if (typeof given?.name !== 'string') return inputRequired({ inputRequests: { user_name: name } });
  return { content: [text(`Hello, ${given.name}!`)] };
};

const twice: Handler = async (ctx, states) => {
  const first = { step1: ask('Step 1: What is your name?', 'name') };
  const second = { step2: ask('Step 2: What is your favorite color?', 'color') };
  const step = ctx.mcpReq.requestState<number>() ?? 0;
  if (step >= 2 && answered(ctx, 'step2') !== undefined) return { content: [text('Done.')] };
  const further = step >= 2 || (step === 1 && answered(ctx, 'step1') !== undefined);
  const requestState = await states.mint(further ? 2 : 1, ctx);
  return inputRequired({ inputRequests: further ? second : first, requestState });
};

/** Asks only for input that the client supports. */
const within: Handler = ({ mcpReq }) => {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
  const { sampling, elicitation } = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
  const inputRequests = { ...(sampling && { thought: think('Say hello.', 50) }), ...(elicitation && { name }) };
  if (mcpReq.inputResponses !== undefined || Object.keys(inputRequests).length === 0)
    return { content: [text('Done.')] };
  return inputRequired({ inputRequests });
};

const roots = inputRequired.listRoots();
const confirm = ask('Please confirm', 'ok', { type: 'boolean' });

const handlers: Record<string, Handler> = {
  test_input_required_result_elicitation: greet,
  test_streaming_elicitation: greet,
  test_input_required_result_sampling: once({ capital_question: think('What is the capital of France?', 100) }),
  test_input_required_result_list_roots: once({ client_roots: roots }),
  test_input_required_result_request_state: sealed({ confirm }),
  test_input_required_result_tampered_state: sealed({ confirm }),
  test_input_required_result_multiple_inputs: sealed({
    user_name: name,
    greeting: think('Generate a greeting', 50),
    client_roots: roots,
  }),
  test_input_required_result_multi_round: twice,
  test_input_required_result_capabilities: within,
  test_missing_capability: once({ thought: think('Say hello.', 50) }),
};

export function registerAskingTools(server: McpServer, states: RequestStates): void {
  for (const [tool, handler] of Object.entries(handlers)) {
    server.registerTool(tool, { description: `Fixture ${tool} of the conformance suite.` }, (ctx) =>
      handler(ctx, states),
    );
  }
}
