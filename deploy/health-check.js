/** Asks this container's server whether it is ready. Exit code 0 when it is. */
// An empty value counts as not set, as for the server.
const port = process.env.PORT || '3000';
try {
  // oxlint-disable-next-line no-restricted-globals -- this machine, and no install is loaded here
  const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
