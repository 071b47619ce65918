/** Builds the record of a part: its text with facets, its images, and its place in the thread. */
import { type Json, PlatformFailure, type PlatformIo, type Published, type SendPart } from '../contract.ts';
import { isProxyPage, isTemporary, stringField } from '../http.ts';
import { ask, failure } from './api.ts';
import { findEntities, toFacets } from './facets.ts';

/** The collection that contains posts. */
export const POSTS = 'app.bsky.feed.post';

/** Returns a record's text. Unpaired surrogates are replaced, because the server cannot store them. */
export function recordText(part: SendPart): string {
  return part.text.toWellFormed();
}

/**
 * @param origin server that resolves the handles of mentions
 * @throws PlatformFailure when the server cannot be reached; nothing has been published at that point
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
    if (isTemporary(answer) || isProxyPage(answer)) throw failure(answer);
    const did = stringField(answer.body, 'did');
    if (answer.status === 200 && did !== undefined) dids.set(handle, did);
  };
  await Promise.all([...handles].map(resolve));
  return dids;
}

function reply(root: Published, parent: Published): Json {
  return { root: strongRef(root), parent: strongRef(parent) };
}

/** References a post by its URI and content hash. */
function strongRef(published: Published): Json {
  const cid = stringField(published.ref, 'cid');
  if (cid === undefined)
    throw new PlatformFailure('rejected', 'The post to reply to was stored without its content hash.');
  return { uri: published.platformPostId, cid };
}
