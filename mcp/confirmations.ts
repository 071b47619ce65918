/**
 * Asks the person behind a client before a tool does something irreversible, if the client can ask. The answer of the
 * first call carries the question. The second call carries the person's answer and a sealed note of the question. A yes
 * therefore counts only for this caller, this tool and these arguments.
 */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { ServiceError } from '../errors/service-error.ts';
import { bodyHash } from '../services/idempotency/body-hash.ts';
import type { RequestStates } from './request-states.ts';

/** What a person is asked to confirm. */
export interface Confirmable {
  /** Name of the tool. */
  readonly name: string;
  readonly confirmation: string;
  readonly input: unknown;
}

export interface Confirmations {
  /** Null when the tool may run; otherwise the answer for the client. */
  ask(ctx: ServerContext, what: Confirmable): Promise<CallToolResult | InputRequiredResult | null>;
}

/** The sealed note: which tool with which arguments. */
interface Note {
  readonly name: string;
  readonly hash: string;
}

const QUESTION = 'confirm';

/** Characters of the arguments that the question shows. */
const SHOWN_MAX = 500;

export function createConfirmations(states: RequestStates): Confirmations {
  return {
    ask: async (ctx, what) => {
      if (!canAsk(ctx)) return null;
      const note: Note = { name: what.name, hash: bodyHash(what.input) };
      const answered = ctx.mcpReq.requestState<Note>();
      if (answered !== undefined && (answered.name !== note.name || answered.hash !== note.hash)) throw foreignNote();
      const answer = inputResponse(ctx.mcpReq.inputResponses, QUESTION);
      if (answered === undefined || answer.kind !== 'elicit') return question(what, await states.mint(note, ctx));
      const agreed = answer.action === 'accept' && answer.content?.['yes'] === true;
      return agreed ? null : nothingDone(what.name);
    },
  };
}

/** Revisions before 2026-07-28 ask over a stream, which this endpoint does not have. */
function canAsk({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
  const { elicitation } = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
  // Without a named mode the capability means forms.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function question({ name, confirmation, input }: Confirmable, requestState: string): InputRequiredResult {
  const message = `${confirmation}\n\n${name} ${JSON.stringify(input).slice(0, SHOWN_MAX)}`;
  const requestedSchema = {
    type: 'object' as const,
    properties: { yes: { type: 'boolean' as const, title: 'Yes, do it', description: 'Whether it is to be done.' } },
    required: ['yes'],
  };
  return inputRequired({
    inputRequests: { [QUESTION]: inputRequired.elicit({ message, requestedSchema }) },
    requestState,
  });
}

/** Marked as an error, because a success must have the fields of the output schema. */
function nothingDone(name: string): CallToolResult {
  const text = `Nothing was done: the person who was asked did not agree. Call ${name} again only when they ask for it.`;
  return { isError: true, content: [{ type: 'text', text }] };
}

function foreignNote(): ServiceError {
  return new ServiceError(
    'invalid_request',
    'requestState: it belongs to another call. Call the tool again without requestState and inputResponses.',
  );
}
