/** Addresses that a page may send a person on to: of this install, and of no other. */
import type { Context } from '../../services/context.ts';

/**
 * @param asked as it came with the request
 * @returns path and query of an address of this install; null for anything else
 */
export function localPath(context: Context, asked: unknown): string | null {
  if (typeof asked !== 'string' || !asked.startsWith('/') || asked.length > 2_000) return null;
  const { publicUrl } = context.config;
  const url = URL.parse(asked, publicUrl);
  // "/.//x" is read as the path "//x", which as an address is another host's.
  if (url === null || url.origin !== publicUrl || url.pathname.startsWith('//')) return null;
  return url.pathname + url.search;
}
