/** Calls to Telegram's Bot API, and what its refusals mean. */
import { z } from 'zod';
import { type FailureKind, PlatformFailure, type PlatformIo } from '../contract.ts';
import { callPlatform, type PlatformAnswer, platformWords, unavailable } from '../http.ts';
import { refusedDeleteKind } from '../refused-delete.ts';

interface BotCall {
  readonly json?: unknown;
  /** Sent as multipart/form-data. */
  readonly form?: FormData;
}

/** How the Bot API says that it did not do something. */
const Refusal = z.object({
  ok: z.literal(false),
  description: z.string().catch(''),
  parameters: z
    .object({
      retry_after: z.number().positive().optional().catch(undefined),
      migrate_to_chat_id: z.number().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type Refusal = z.infer<typeof Refusal>;

const Success = z.object({ ok: z.literal(true), result: z.unknown() });

export interface BotAnswer extends PlatformAnswer {
  /** What was asked for; undefined when the call did not succeed. */
  readonly result: unknown;
  /** Null when there is none, and when something else than the Bot API answered. */
  readonly refusal: Refusal | null;
  /** The id that the chat goes by since its group was upgraded; null when it was not. */
  readonly movedTo: string | null;
}

/** What a refusal means, by its status. */
const STATUSES: ReadonlyMap<number, FailureKind> = new Map([
  [401, 'reconnect'],
  // The bot was removed, blocked, or never let in.
  [403, 'reconnect'],
  // Tokens of a wrong form are part of an address that is not there.
  [404, 'reconnect'],
  [429, 'unavailable'],
]);

/** What a refusal means whose status does not tell, by its words. The Bot API has no other codes. */
const WORDS: readonly (readonly [RegExp, FailureKind])[] = [
  [/chat not found|group chat was (?:deleted|deactivated)|PEER_ID_INVALID/i, 'reconnect'],
  [/not enough rights|have no rights|need administrator rights/i, 'reconnect'],
  [/CHAT_(?:ADMIN_REQUIRED|WRITE_FORBIDDEN|RESTRICTED|SEND_\w+_FORBIDDEN)|bot is not a member/i, 'reconnect'],
];

/** The token is part of the address: nothing may show an address. */
export async function callBot(
  io: PlatformIo,
  botToken: string,
  method: string,
  { json, form }: BotCall,
): Promise<BotAnswer> {
  const answer = await callPlatform(io, `${io.endpoints.TELEGRAM_API_URL}/bot${botToken}/${method}`, {
    method: 'POST',
    headers: form === undefined ? { 'content-type': 'application/json' } : {},
    body: form ?? JSON.stringify(json ?? {}),
  });
  const refusal = Refusal.safeParse(answer.body).data ?? null;
  const movedTo = refusal?.parameters?.migrate_to_chat_id;
  return {
    ...answer,
    result: answer.status === 200 ? Success.safeParse(answer.body).data?.result : undefined,
    refusal: refusal && { ...refusal, description: refusal.description.replaceAll(botToken, '…') },
    movedTo: movedTo === undefined ? null : String(movedTo),
  };
}

/** The failure that an answer without a result stands for, to a call that publishes. */
export function failure(answer: BotAnswer, kind: FailureKind = failureKind(answer)): PlatformFailure {
  if (kind === 'unavailable') return unavailable('Telegram', answer, answer.refusal?.parameters?.retry_after);
  if (kind === 'unknown') return new PlatformFailure(kind, `Telegram answered HTTP ${answer.status}.`);
  const verb = kind === 'reconnect' ? 'does not let this bot do that' : 'refused';
  return new PlatformFailure(kind, `Telegram ${verb}: ${wordsOf(answer)}`);
}

/** The failure that the answer to a delete stands for (docs/contract/posts.md#refused-deletes). */
export function deleteFailure(answer: BotAnswer): PlatformFailure {
  // A token of a wrong form is part of an address that is not there.
  const isTokenDead = answer.status === 404 && answer.refusal !== null;
  return failure(answer, refusedDeleteKind(answer, failureKind(answer), isTokenDead));
}

/** Why a call was refused, in Telegram's own words. */
export function wordsOf({ refusal, status }: BotAnswer): string {
  return platformWords(refusal?.description || `HTTP ${status}`);
}

function failureKind({ status, refusal }: BotAnswer): FailureKind {
  if (status === 429) return 'unavailable';
  if (refusal === null || status < 400 || status >= 500) return 'unknown';
  const told = WORDS.find(([words]) => words.test(refusal.description));
  return STATUSES.get(status) ?? told?.[1] ?? 'rejected';
}
