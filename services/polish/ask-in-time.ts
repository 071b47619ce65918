/** Asks the model, and gives up after a while. */
import type { Context } from '../context.ts';
import { PolishFailure, type Polisher, type PolishRequest } from '../ports/polisher.ts';

/** Timeout from the request to the last byte of the answer, in real milliseconds. */
const POLISH_MS = 10_000;

/** Looking at an image takes models longer, and no send waits for it. */
const IMAGE_MS = 30_000;

/** @throws PolishFailure */
export async function askInTime(context: Context, polisher: Polisher, request: PolishRequest): Promise<string> {
  const timeoutMs = request.image === undefined ? POLISH_MS : IMAGE_MS;
  const signal = context.clock.deadline(timeoutMs);
  const late = Promise.withResolvers<never>();
  const giveUp = () => late.reject(new PolishFailure(`The model did not answer within ${timeoutMs / 1_000} seconds.`));
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([polisher.ask(request, signal), late.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
