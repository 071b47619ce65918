/** More tenants: an account of its own for each test that must not see what the others made. */
import type { World } from './world.ts';

export interface TestAccount {
  readonly id: string;
  /** Secret of an unscoped live key. */
  readonly key: string;
}

/** Makes an account that holds nothing but its live key. */
export async function makeAccount(world: World): Promise<TestAccount> {
  const id = world.context.random.uuid();
  await world.sql('insert into accounts (id, created_at) values ($1, $2)', [id, world.clock.now()]);
  const { secret } = await world.key({ accountId: id });
  return { id, key: secret };
}
