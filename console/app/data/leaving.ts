/** What the page shows and has not asked the service for, such as a move that can be undone: it is asked for when the page is left. */
import type { QueryClient } from '@tanstack/react-query';

const unsent = new Set<() => void>();

/** @param send called when the page is left. @returns ends that */
export function onLeave(send: () => void): () => void {
  unsent.add(send);
  return () => void unsent.delete(send);
}

/** Asks the service at once for all that the page shows. */
export function sendUnsent(): void {
  for (const send of unsent) send();
}

window.addEventListener('pagehide', sendUnsent);

// Phones suspend a page that is out of sight, and may end it without another event. Elsewhere timers go on.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden' && matchMedia('(pointer: coarse)').matches) sendUnsent();
});

/** Longest wait for the answers of changes before the page is left all the same. */
const ANSWERS_MS = 5_000;

/** Asks for all that the page shows, and waits for the answers of changes. */
export async function untilSent(queryClient: QueryClient): Promise<void> {
  sendUnsent();
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    if (queryClient.isMutating() === 0) resolve();
  };
  const stop = queryClient.getMutationCache().subscribe(end);
  const timer = setTimeout(resolve, ANSWERS_MS);
  end();
  await promise;
  stop();
  clearTimeout(timer);
}
