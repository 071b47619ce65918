/** Validates redirect targets: only URLs of this install. */
import type { Context } from '../../services/context.ts';

/**
 * @param asked the value from the request
 * @returns path and query of a URL of this install; null for anything else
 */
export function localPath(context: Context, asked: unknown): string | null {
  if (typeof asked !== 'string' || !asked.startsWith('/') || asked.length > 2_000) return null;
  const { publicUrl } = context.config;
  const url = URL.parse(asked, publicUrl);
  // "/.//x" is parsed as the path "//x", which as a URL would name another host.
  if (url === null || url.origin !== publicUrl || url.pathname.startsWith('//')) return null;
  return url.pathname + url.search;
}
