/**
 * How Instagram and Threads publish a post. The adapter first creates a container with the URLs of its images,
 * then publishes it in a separate call. A container is published at most once and reports whether it was.
 */
import { z } from 'zod';
import {
  type Json,
  type OutgoingImage,
  type OutgoingPost,
  Inconclusive,
  PlatformFailure,
  type PlatformIo,
  type Published,
  type SendPart,
} from '../contract.ts';
import { CONTAINER_SUBCODES, type ContainerApi, NOT_READY } from './container-api.ts';
import type { GraphAnswer } from './graph.ts';
import { platformWords, stringField, withoutPublishing } from '../http.ts';
import { findPost, permalinkOf } from './container-posts.ts';

/** Stored between creating the container and publishing it. */
const Prepared = z.object({ containerId: z.string() });

const STATES = ['IN_PROGRESS', 'FINISHED', 'PUBLISHED', 'ERROR', 'EXPIRED'] as const;

/** Status of a container; `MISSING` when it cannot be read. */
interface Container {
  readonly state: (typeof STATES)[number] | 'MISSING';
  /** The platform's description of the error. */
  readonly problem: string | undefined;
}

/** How long a container can be published; it expires after a day. */
export const PUBLISHABLE_MS = 23 * 3_600_000;

/** Waits before each status check of an unfinished container. Images are usually finished at the first. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000, 8_000];

/** Waits before each further attempt to publish a container that is reported as not ready. */
const PUBLISH_WAITS_MS = [1_000, 2_000, 4_000];

/**
 * Creates the container of a post.
 *
 * @throws PlatformFailure; nothing has been published at that point
 */
export function makeContainer(api: ContainerApi, { text, images }: OutgoingPost, io: PlatformIo): Promise<Json> {
  return withoutPublishing(async () => {
    const [first] = images;
    const said = { [api.text]: text };
    if (first === undefined) return { containerId: await make(api, { media_type: 'TEXT', ...said }) };
    if (images.length === 1) return { containerId: await make(api, { ...imageFields(api, first), ...said }) };
    const children: string[] = [];
    for (const image of images) {
      children.push(await make(api, { ...imageFields(api, image), is_carousel_item: 'true' }));
    }
    for (const child of children) await untilReady(api, child, io);
    const carousel = { media_type: 'CAROUSEL', children: children.join(','), ...said };
    return { containerId: await make(api, carousel) };
  });
}

/** Publishes the container of a part. If it was already published, finds the post instead. */
export async function publishContainer(api: ContainerApi, part: SendPart, io: PlatformIo): Promise<Published> {
  const { containerId } = Prepared.parse(part.prepared);
  for (const waitMs of PUBLISH_WAITS_MS) {
    // Reading the status publishes nothing, so its failure leaves no doubt about the post.
    const state = await withoutPublishing(() => untilReady(api, containerId, io));
    if (state === 'PUBLISHED') return findPost(api, part, containerId, io);
    const urlencoded = new URLSearchParams({ creation_id: containerId });
    const answer = await api.call(`${api.account}/${api.publish}`, { method: 'POST', urlencoded });
    if (answer.error?.error_subcode !== NOT_READY) return published(api, answer);
    await pause(api, waitMs, io);
  }
  throw stillProcessing(api);
}

/**
 * Finds the outcome of a part whose response was lost; null when its container was not published.
 *
 * @throws PlatformFailure when the container cannot be read
 */
export async function lookForContainer(api: ContainerApi, part: SendPart, io: PlatformIo): Promise<Published | null> {
  const { containerId } = Prepared.parse(part.prepared);
  const { state } = await readContainer(api, containerId);
  if (state === 'MISSING') throw new Inconclusive(`${api.name} does not show the post it was given.`);
  return state === 'PUBLISHED' ? findPost(api, part, containerId, io) : null;
}

function imageFields({ oneImage }: ContainerApi, { url, altText }: OutgoingImage): Record<string, string> {
  if (url === undefined) throw new Error('an image without an address');
  return { ...oneImage, image_url: url, ...(altText !== '' && { alt_text: altText }) };
}

async function make(api: ContainerApi, fields: Readonly<Record<string, string>>): Promise<string> {
  const urlencoded = new URLSearchParams(fields);
  const answer = await api.call(`${api.account}/${api.posts}`, { method: 'POST', urlencoded });
  if (answer.status !== 200) throw api.failure(answer);
  const id = stringField(answer.body, 'id');
  if (id !== undefined) return id;
  throw new PlatformFailure('unavailable', `${api.name} answered without what it took; nothing was posted.`);
}

/** Waits until a container is finished. @throws PlatformFailure when it fails or does not finish in time */
async function untilReady(api: ContainerApi, containerId: string, io: PlatformIo): Promise<'FINISHED' | 'PUBLISHED'> {
  for (const waitMs of [0, ...WAITS_MS]) {
    if (waitMs > 0) await pause(api, waitMs, io);
    const container = await readContainer(api, containerId);
    const { state } = container;
    if (state === 'FINISHED' || state === 'PUBLISHED') return state;
    if (state !== 'IN_PROGRESS') throw comesToNothing(api, container);
  }
  throw stillProcessing(api);
}

async function readContainer(api: ContainerApi, containerId: string): Promise<Container> {
  const { field, problem } = api.state;
  const query = { fields: `${field},${problem}` };
  const answer = await api.call(encodeURIComponent(containerId), { query });
  if (answer.error?.code === 100) return { state: 'MISSING', problem: undefined };
  if (answer.status !== 200) throw api.failure(answer);
  const said = stringField(answer.body, field);
  const state = STATES.find((known) => known === said);
  if (state !== undefined) return { state, problem: stringField(answer.body, problem) };
  throw new PlatformFailure('unknown', `${api.name} did not tell how far the post is.`);
}

/** What both say of an internal error: `An unknown error occurred`, and on Threads `UNKNOWN`. */
const UNKNOWN = /\bunknown\b/i;

function comesToNothing({ name }: ContainerApi, { state, problem }: Container): PlatformFailure {
  if (state !== 'ERROR') {
    return new PlatformFailure('unavailable', `${name} has dropped the post it was given; nothing was posted.`);
  }
  const subcode = Number(/\b(?:2207|4279)\d{3}\b/.exec(problem ?? '')?.[0]);
  const unlisted = UNKNOWN.test(problem ?? '') ? 'unavailable' : 'rejected';
  const isRefusal = (CONTAINER_SUBCODES.get(subcode) ?? unlisted) === 'rejected';
  const words = platformWords(problem ?? 'it did not say why.');
  return new PlatformFailure(
    isRefusal ? 'rejected' : 'unavailable',
    isRefusal ? `${name} refused: ${words}` : `${name} could not take the post; nothing was posted. ${words}`,
  );
}

async function pause(api: ContainerApi, ms: number, io: PlatformIo): Promise<void> {
  await io.sleep(ms, io.signal).catch((cause: unknown) => {
    throw stillProcessing(api, cause);
  });
}

function stillProcessing({ name }: ContainerApi, cause?: unknown): PlatformFailure {
  return new PlatformFailure('unavailable', `${name} is still processing the post; nothing was posted.`, { cause });
}

async function published(api: ContainerApi, answer: GraphAnswer): Promise<Published> {
  if (answer.status !== 200) throw api.failure(answer);
  const id = stringField(answer.body, 'id');
  if (id === undefined) throw new PlatformFailure('unknown', `${api.name} answered without the id of what it made.`);
  return { platformPostId: id, url: await permalinkOf(api, id) };
}
