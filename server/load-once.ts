/**
 * Loads code when it is needed first. What most processes never serve, such as OAuth and MCP, then takes neither memory nor
 * time at the start.
 */

/** Calls `load` once for all callers; after a failure the next caller tries again. */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}
