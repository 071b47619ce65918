/** The record that a part becomes: its text with what is clickable in it, its images, and the thread it belongs to. */
import { type Json, PlatformFailure, type PlatformIo, type Published, type SendPart } from '../contract.ts';
import { stringField } from '../http.ts';
import { ask, failure } from './api.ts';
import { findEntities, toFacets } from './facets.ts';

/** The collection that posts are kept in. */
export const POSTS = 'app.bsky.feed.post';

/** A record's text; whole characters only, since the server stores no halves of surrogate pairs. */
export function recordText(part: SendPart): string {
  return part.text.toWellFormed();
}

/**
 * @param origin server that is asked whose handles the mentions are
 * @throws PlatformFailure when it cannot be asked; nothing has been published by then
 */
export async function buildRecord(io: PlatformIo, origin: string, part: SendPart): Promise<Record<string, unknown>> {
  const text = recordText(part);
  const entities = findEntities(text);
  const handles = new Set(entities.flatMap((entity) => (entity.kind === 'mention' ? [entity.handle] : [])));
  const facets = toFacets(entities, await resolveHandles(io, origin, handles));
  return {
    $type: POSTS,
    text,
    createdAt: part.startedAt.toISOString(),
    ...(facets.length > 0 && { facets }),
    ...(part.prepared !== null && { embed: part.prepared }),
    ...(part.root !== undefined && part.parent !== undefined && { reply: reply(part.root, part.parent) }),
  };
}

async function resolveHandles(
  io: PlatformIo,
  origin: string,
  handles: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const dids = new Map<string, string>();
  const resolve = async (handle: string) => {
    const answer = await ask(io, origin, 'com.atproto.identity.resolveHandle', { handle });
    if (answer.status === 429 || answer.status >= 500) throw failure(answer);
    const did = stringField(answer.body, 'did');
    if (answer.status === 200 && did !== undefined) dids.set(handle, did);
  };
  await Promise.all([...handles].map(resolve));
  return dids;
}

function reply(root: Published, parent: Published): Json {
  return { root: strongRef(root), parent: strongRef(parent) };
}

/** Names a post by its address and the hash of its content. */
function strongRef(published: Published): Json {
  const cid = stringField(published.ref, 'cid');
  if (cid === undefined)
    throw new PlatformFailure('rejected', 'The post to reply to was stored without its content hash.');
  return { uri: published.platformPostId, cid };
}
