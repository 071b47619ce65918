/** Rewrites one text for one connection, within ten seconds. */
import type { ProfileVoice } from '../../entities/profile.ts';
import type { AnyPlatform, ConnectionLimits } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { textLimit } from '../../platforms/check-text.ts';
import { checkRewrite } from './check-rewrite.ts';
import { askInTime } from './ask-in-time.ts';
import { drawBoundary, type PolishGoal, polishRequest } from './polish-request.ts';
import { PolishFailure, type Polisher } from '../ports/polisher.ts';

/** The outcome: the rewrite, or the original and the reason. */
export type Rewrite =
  | { readonly status: 'rewritten'; readonly text: string; readonly warning: null }
  | { readonly status: 'failed'; readonly text: string; readonly warning: string };

/** What the model made of a text; `reason` says why there is nothing to use. */
export type RewriteAttempt =
  | { readonly status: 'rewritten'; readonly text: string }
  | { readonly status: 'failed'; readonly reason: string };

/** A text and where it goes. */
export interface OutgoingText {
  /** The post that is about to be sent, for the log; null when a person only looks at the rewrite. */
  readonly postId: string | null;
  readonly text: string;
  readonly platform: AnyPlatform;
  readonly limits: ConnectionLimits | null;
  /** Of the profile that the connection belongs to. */
  readonly voice: ProfileVoice | null;
  /** Words that need a person, by the policy of who asked for the post. */
  readonly guardedWords?: readonly string[];
  /** Which of how many wordings; left out for the only one. */
  readonly variant?: PolishGoal['variant'];
}

/** The text to send. Never throws because of the model. */
export async function rewriteText(context: Context, outgoing: OutgoingText): Promise<Rewrite> {
  const attempt = await tryRewrite(context, outgoing);
  if (attempt.status === 'rewritten') return { ...attempt, warning: null };
  return { status: 'failed', text: outgoing.text, warning: `${attempt.reason} The original text went out.` };
}

/** Never throws because of the model. */
export async function tryRewrite(context: Context, outgoing: OutgoingText): Promise<RewriteAttempt> {
  if (context.polisher === null) return { status: 'failed', reason: 'AI polish is not set up on this install.' };
  try {
    return { status: 'rewritten', text: await ask(context, context.polisher, outgoing) };
  } catch (error) {
    const { message: reason, detail } = failureOf(error);
    context.log.warn(
      { postId: outgoing.postId, reason, ...(detail !== undefined && { detail }) },
      'a text could not be polished',
    );
    return { status: 'failed', reason };
  }
}

const ONLY_ONE = { number: 1, count: 1 };

async function ask(context: Context, polisher: Polisher, outgoing: OutgoingText): Promise<string> {
  const { text, platform, limits, voice, variant = ONLY_ONE, guardedWords = [] } = outgoing;
  // As the JSON in the prompt has it.
  const boundary = drawBoundary([text, JSON.stringify(voice)], (length) => context.random.bytes(length));
  const goal = { platformName: platform.name, limit: textLimit(platform, limits), voice, variant };
  const request = polishRequest(text, goal, boundary);
  const answer = await askInTime(context, polisher, request);
  return checkRewrite(answer, { original: text, platform, limits, boundary, request, voice, guardedWords });
}

/** What failed, in words for the caller. */
export function failureOf(error: unknown): PolishFailure {
  return error instanceof PolishFailure ? error : new PolishFailure('The model could not be asked.', kindOf(error));
}

/** Only the name of an error, because its message may contain the model's output. */
function kindOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
