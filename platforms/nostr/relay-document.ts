/** Reads what a relay says about itself (NIP-11). */
import { z } from 'zod';
import type { ConnectionLimits } from '../contract.ts';
import { callPlatform } from '../http.ts';
import type { PlatformIo } from '../io.ts';

const Length = z.number().int().positive().optional().catch(undefined);

const Document = z.object({
  limitation: z.object({ max_content_length: Length, max_message_length: Length }).optional().catch(undefined),
});

/** Bytes of an event besides its content: ids, signature, and the tags of a reply with five images. */
const AROUND_CONTENT = 4_096;

/** Characters of the addresses of images, which follow the text; at most half of what a relay takes. */
const ADDRESSES = 600;

/** The strictest limits of the relays; undefined when none states any. */
export async function limitsOf(io: PlatformIo, relays: readonly string[]): Promise<ConnectionLimits | undefined> {
  const documents = await Promise.all(relays.map((relay) => readDocument(io, relay)));
  const contents = documents.flatMap(({ limitation }) => limitation?.max_content_length ?? []);
  const messages = documents.flatMap(({ limitation }) => limitation?.max_message_length ?? []);
  const text = {
    ...(contents.length > 0 && { maxLength: withoutAddresses(Math.min(...contents)) }),
    ...(messages.length > 0 && { maxBytes: Math.max(Math.min(...messages) - AROUND_CONTENT, 1) }),
  };
  return Object.keys(text).length === 0 ? undefined : { text };
}

function withoutAddresses(length: number): number {
  return length - Math.min(ADDRESSES, Math.floor(length / 2));
}

async function readDocument(io: PlatformIo, relay: string): Promise<z.infer<typeof Document>> {
  const url = relay.replace(/^ws/, 'http');
  // A relay without the document works all the same.
  const answer = await callPlatform(io, url, { headers: { accept: 'application/nostr+json' } }).catch(() => null);
  const document = Document.safeParse(answer?.body);
  return document.success ? document.data : {};
}
