/** The account in which a task happens: fresh, with the connections that the task names, on imitated platforms. */
import { deepEqual, equal } from 'node:assert/strict';
import { makeAccount } from '../harness/accounts.ts';
import { plain } from '../harness/images.ts';
import type { RestAnswer, World } from '../harness/world.ts';
import type { DevPlatforms } from '../platforms/servers/dev-platforms.ts';
import { startWire, type Wire } from '../platforms/fakes/wire.ts';
import type { PlatformId } from '../../platforms/registry.ts';

// eslint-disable-next-line typescript/no-explicit-any -- tasks compare known fields of answers
type Body = any;

/** A post as checks name it: the fields that matter. */
export type Expected = Readonly<Record<string, unknown>>;

export class Scene {
  readonly world: World;
  readonly key: string;
  readonly #images: string;

  private constructor(world: World, key: string, images: string) {
    this.world = world;
    this.key = key;
    this.#images = images;
  }

  static async of(world: World, platforms: DevPlatforms, images: string, ids: readonly PlatformId[]): Promise<Scene> {
    const { key } = await makeAccount(world);
    const scene = new Scene(world, key, images);
    for (const id of ids) {
      const found = platforms.connections.find(({ platformId }) => platformId === id);
      await scene.done('POST /connections', { ...found, slug: id });
    }
    return scene;
  }

  rest(call: `${string} /${string}`, body?: unknown): Promise<RestAnswer> {
    return this.world.rest(call, { key: this.key, ...(body !== undefined && { body }) });
  }

  /** A call that must succeed. */
  async done(call: `${string} /${string}`, body?: unknown): Promise<Body> {
    const answer = await this.rest(call, body);
    equal(answer.status, 200, `${call}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Creates one post per slug; returns their ids. */
  async posts(text: string, more: Readonly<Record<string, unknown>> = {}): Promise<string[]> {
    const { results } = await this.done('POST /posts', { text, connectionSlugs: ['sandbox'], ...more });
    return (results as { postId: string }[]).map(({ postId }) => postId);
  }

  async post(text: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    return (await this.posts(text, more))[0] ?? '';
  }

  async connection(slug: string): Promise<Body> {
    const { connections } = await this.done('GET /connections');
    return (connections as { slug: string }[]).find((one) => one.slug === slug);
  }

  image(name: string): string {
    return `${this.#images}/${name}.png`;
  }

  async upload(): Promise<string> {
    const raw = await plain(8, 8).png().toBuffer();
    const headers = { 'content-type': 'image/png' };
    return (await this.world.rest('POST /media', { key: this.key, raw, headers })).body.media.id as string;
  }

  /** Every post of the account in full, in the order of creation. */
  async all(): Promise<Body[]> {
    const { posts } = await this.done('GET /posts?limit=100');
    const ids = (posts as { id: string }[]).map(({ id }) => id).toReversed();
    return Promise.all(ids.map(async (id) => (await this.done(`GET /posts/${id}`)).post as Body));
  }

  /** The account has exactly these posts; the order does not matter, nor do fields that are not named. */
  async hasPosts(expected: readonly Expected[]): Promise<void> {
    const all = await this.all();
    equal(all.length, expected.length, `posts: ${JSON.stringify(all.map(({ text, status }) => [text, status]))}`);
    const left = [...all];
    for (const wish of expected) {
      const index = left.findIndex((post) => Object.keys(wish).every((name) => same(post[name], wish[name])));
      const similar = left.map((post) => Object.fromEntries(Object.keys(wish).map((name) => [name, post[name]])));
      if (index === -1) deepEqual(similar, wish);
      left.splice(index, 1);
    }
  }

  /** These posts are as named, beside any others. */
  async hasPost(id: string, expected: Expected): Promise<void> {
    const { post } = await this.done(`GET /posts/${id}`);
    deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, post[name]])), expected);
  }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A server of images, at any path. */
export async function startImages(now: () => Date): Promise<Wire> {
  const bytes = await plain(40, 30).png().toBuffer();
  return startWire({ now }, ({ path }) =>
    path.includes('missing')
      ? { status: 404, json: {} }
      : { status: 200, bytes, headers: { 'content-type': 'image/png' } },
  );
}
