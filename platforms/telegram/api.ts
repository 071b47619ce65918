/** Calls Telegram's Bot API and maps its error responses to failures. */
import { z } from 'zod';
import type { FailureKind, PlatformIo } from '../contract.ts';
import { errorResponses } from '../error-responses.ts';
import { callPlatform, type PlatformAnswer, platformWords } from '../http.ts';

interface BotCall {
  readonly json?: unknown;
  /** Sent as multipart/form-data. */
  readonly form?: FormData;
}

/** An error response of the Bot API. */
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
  /** The result; undefined when the call failed. */
  readonly result: unknown;
  /** Null when there is no error, and when the response did not come from the Bot API. */
  readonly refusal: Refusal | null;
  /** New id of a chat whose group was upgraded; null when it was not. */
  readonly movedTo: string | null;
}

/** Failure kinds by message, for statuses that are ambiguous. The Bot API has no other codes. */
const WORDS: readonly (readonly [RegExp, FailureKind])[] = [
  [/chat not found|group chat was (?:deleted|deactivated)|PEER_ID_INVALID/i, 'reconnect'],
  [/not enough rights|have no rights|need administrator rights/i, 'reconnect'],
  [/CHAT_(?:ADMIN_REQUIRED|WRITE_FORBIDDEN|RESTRICTED|SEND_\w+_FORBIDDEN)|bot is not a member/i, 'reconnect'],
];

/** The URL contains the token: never show or log it. */
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

/** Telegram's own reason for refusing a call. */
export function wordsOf({ refusal, status }: BotAnswer): string {
  return platformWords(refusal?.description || `HTTP ${status}`);
}

export const { failure, requireDeleted } = errorResponses<BotAnswer>({
  name: 'Telegram',
  statuses: new Map([
    [401, 'reconnect'],
    // The bot was removed, was blocked, or was never a member.
    [403, 'reconnect'],
    // A malformed token leads to a path that does not exist.
    [404, 'reconnect'],
  ]),
  kindOf: ({ status, refusal }) =>
    status === 400 ? WORDS.find(([words]) => words.test(refusal?.description ?? ''))?.[1] : undefined,
  isOwn: ({ refusal }) => refusal !== null,
  isTokenDead: ({ status, refusal }) => status === 404 && refusal !== null,
  reason: wordsOf,
  refusesCredential: 'does not let this bot do that',
  wait: ({ refusal }) => refusal?.parameters?.retry_after,
});
