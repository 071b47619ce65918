/** A world whose install has a model for AI polish: a fake one, on loopback. */
import { afterAll } from 'vitest';
import { type FakeModel, startFakeModel } from '../platforms/fakes/fake-model.ts';
import { START } from './test-clock.ts';
import { startWorld, type World, type WorldOptions } from './world.ts';

export const AI_KEY = 'sk-secret-of-the-install';

export interface PolishedWorld {
  readonly world: World;
  readonly model: FakeModel;
}

/** @param env in addition to the settings of the model */
export async function startPolishedWorld(
  env: Record<string, string> = {},
  options: Omit<WorldOptions, 'env'> = {},
): Promise<PolishedWorld> {
  const model = await startFakeModel({ now: () => START });
  afterAll(() => model[Symbol.asyncDispose]());
  const settings = { AI_BASE_URL: model.baseUrl, AI_API_KEY: AI_KEY, AI_MODEL: 'bell-1' };
  return { model, world: await startWorld({ ...options, env: { ...settings, ...env } }) };
}
