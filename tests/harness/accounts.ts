/** More tenants: a separate account for each test that must not see the data of others. */
import type { World } from './world.ts';

export interface TestAccount {
  readonly id: string;
  /** Secret of an unscoped live key. */
  readonly key: string;
}

/** Creates an account that holds nothing but its live key. */
export async function makeAccount(world: World): Promise<TestAccount> {
  const id = world.context.random.uuid();
  await world.sql('insert into accounts (id, created_at) values ($1, $2)', [id, world.clock.now()]);
  const { secret } = await world.key({ accountId: id });
  return { id, key: secret };
}
