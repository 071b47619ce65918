/** What all tasks share: an install with imitated platforms, and the way in which each task is done and checked. */
import { afterAll } from 'vitest';
import type { Client } from '@modelcontextprotocol/client';
import { START } from '../harness/test-clock.ts';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';
import { connect } from '../mcp/clients.ts';
import { startDevPlatforms } from '../platforms/servers/dev-platforms.ts';
import { Scene, startImages } from './scene.ts';
import type { Task, Values } from './task.ts';

/** Does a task, as the person asked; returns what it tells the person. */
export type Doer = (client: Client, ask: string, task: Task, values: Values) => Promise<string>;

export interface Stage {
  /** Does a task in its own account. @throws AssertionError unless it is done */
  perform(task: Task, doer: Doer): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const reach = (url: string) => url.replace(PUBLIC_URL, world.url);
  const platforms = await startDevPlatforms({ now: () => START, publicUrl: PUBLIC_URL, reach });
  const images = await startImages(() => START);
  afterAll(async () => {
    await Promise.all([platforms[Symbol.asyncDispose](), images.close()]);
  });
  const world: World = await startWorld({ env: platforms.env });
  return {
    perform: async (task, doer) => {
      world.clock.set(START);
      const scene = await Scene.of(world, platforms, images.url, task.connections ?? ['sandbox']);
      const values = (await task.arrange?.(scene)) ?? {};
      const ask = typeof task.ask === 'string' ? task.ask : task.ask(values);
      const client = await connect(world, 'modern', scene.key, task.path ?? '/mcp');
      try {
        await task.check(scene, await doer(client, ask, task, values), values);
      } finally {
        await client.close();
      }
    },
  };
}
