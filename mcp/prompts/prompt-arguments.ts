/** Arguments that several prompts take. A client shows each as a text field. */
import { completable } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { McpCall } from '../call-operation.ts';
import { slugsBeginning } from '../completions.ts';
import type { OperationServices } from '../../routers/context.ts';

export const Topic = z.string().min(1).max(10_000).describe('What it is about, in your own words.');

/** One slug, completed from the caller's connections. */
export function connectionSlug(context: OperationServices, call: McpCall) {
  return completable(
    z.string().min(1).max(200).describe('Slug of the connection to write for, as list_connections gives it.'),
    (begun) => slugsBeginning(context, call, begun),
  );
}

/** Several slugs separated by commas; completion applies to the last one. */
export function connectionSlugs(context: OperationServices, call: McpCall) {
  return completable(
    z.string().min(1).max(5_000).describe('Slugs of the connections to write for, with commas between them.'),
    async (begun) => {
      const comma = begun.lastIndexOf(',') + 1;
      const before = begun.slice(0, comma);
      const taken = before.split(',').map((slug) => slug.trim());
      const slugs = await slugsBeginning(context, call, begun.slice(comma).trimStart());
      return slugs.filter((slug) => !taken.includes(slug)).map((slug) => `${before}${slug}`);
    },
  );
}

/** Slugs as a prompt names them to a model: each in quotes, without duplicates. */
export function quotedSlugs(text: string): string {
  const slugs = new Set(text.split(',').map((slug) => slug.trim()));
  return [...slugs]
    .filter((slug) => slug !== '')
    .map((slug) => JSON.stringify(slug))
    .join(', ');
}
