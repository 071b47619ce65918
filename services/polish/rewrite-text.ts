/** Rewrites one text for one connection, within ten seconds. */
import type { AnyPlatform, ConnectionLimits } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { textLimit } from '../../platforms/check-text.ts';
import { checkRewrite } from './check-rewrite.ts';
import { drawBoundary, polishRequest } from './polish-request.ts';
import { PolishFailure, type Polisher } from '../ports/polisher.ts';

/** Timeout from the request to the last byte of the answer, in real milliseconds. */
const POLISH_MS = 10_000;

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
    const failure =
      error instanceof PolishFailure ? error : new PolishFailure('The model could not be asked.', kindOf(error));
    const { message: reason, detail } = failure;
    context.log.warn(
      { postId: outgoing.postId, reason, ...(detail !== undefined && { detail }) },
      'a text could not be polished',
    );
    return { status: 'failed', reason };
  }
}

async function ask(context: Context, polisher: Polisher, { text, platform, limits }: OutgoingText): Promise<string> {
  const boundary = drawBoundary(text, (length) => context.random.bytes(length));
  const request = polishRequest(text, { platformName: platform.name, limit: textLimit(platform, limits) }, boundary);
  const signal = context.clock.deadline(POLISH_MS);
  const late = Promise.withResolvers<never>();
  const giveUp = () => late.reject(new PolishFailure(`The model did not answer within ${POLISH_MS / 1_000} seconds.`));
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const answer = await Promise.race([polisher.rewrite(request, signal), late.promise]);
    return checkRewrite(answer, { original: text, platform, limits, boundary });
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Only the name of an error, because its message may contain the model's output. */
function kindOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
