/** People of an account with roles, who call operations with the console. */
import { Account } from '../../entities/account.ts';
import type { Role } from '../../entities/owner.ts';
import { type Person, signIn } from './agents.ts';
import { consoleCalls } from '../harness/console-calls.ts';
import { EMAIL } from '../harness/owner.ts';
import type { World } from '../harness/world.ts';

export interface ConsolePerson extends Person {
  readonly email: string;
  readonly call: Awaited<ReturnType<typeof consoleCalls>>;
}

/** A signed-in person whose password is PASSWORD, in the first account or another one. */
export async function personOf(world: World, role: Role, accountId?: string): Promise<ConsolePerson> {
  const person = await signIn(world, accountId, role);
  // The hash of the owner in the environment: making one takes long.
  await world.sql(
    'update owners set password_hash = (select password_hash from owners where email = $2) where id = $1',
    [person.ownerId, EMAIL],
  );
  const call = await consoleCalls(world, person.browser);
  return { ...person, call, email: `${person.ownerId}@example.com` };
}

/** @returns id of a new account */
export async function otherAccount(world: World): Promise<string> {
  const id = world.context.random.uuid();
  await world.db.em().insert(Account, { id, createdAt: world.clock.now() });
  return id;
}
