/** The actors of a simulation: accounts of every plan, with connections whose slots coincide with clock changes. */
import type { PlanName } from '../../entities/account.ts';
import type { QueueSlot } from '../../entities/connection.ts';
import { makeAccount } from '../harness/accounts.ts';
import type { World } from '../harness/world.ts';
import type { Sampler } from './sampler.ts';
import { randomRules, type Rules } from './policies.ts';
import type { Platforms } from './platforms.ts';
import type { Tenant } from './replica.ts';

export interface Actor extends Tenant {
  readonly key: string;
  readonly testKey: string;
  /** Posts of this key need approval. */
  readonly askingKey: string;
  /** What this key sends follows `rules`. */
  readonly ruledKey: string;
  readonly rules: Rules;
  readonly keyIds: Readonly<Record<'live' | 'test' | 'asking' | 'ruled', string>>;
}

const PLANS: readonly PlanName[] = ['free', 'free', 'pro', 'unlimited'];

/** How often a connection is to the sandbox, which fails in more ways than the imitated platforms. */
const SANDBOX_SHARE = 0.35;

/** Accounts besides the first one, whose plan is free: its limits are where most rules meet. */
const OTHERS = { least: 2, most: 5 };

/**
 * Time zones with half and quarter hours, a half-hour summer time, changes at midnight, and both sides of the date
 * line.
 */
const ZONES = [
  'UTC',
  'Europe/Paris',
  'Europe/London',
  'America/New_York',
  'America/Los_Angeles',
  'America/St_Johns',
  'America/Santiago',
  'Asia/Kathmandu',
  'Asia/Tokyo',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Apia',
  'Asia/Beirut',
];

/** Local times that a clock change skips or repeats in some time zone. */
const ODD_TIMES = ['00:00', '00:30', '01:30', '02:00', '02:15', '02:30', '03:00', '23:59'];

export interface Settlement {
  readonly world: World;
  readonly sampler: Sampler;
  readonly platforms: Platforms;
}

export async function settle(settlement: Settlement): Promise<Actor[]> {
  const { world, sampler } = settlement;
  const actors: Actor[] = [];
  const others = Array.from({ length: sampler.int(OTHERS.least, OTHERS.most) }, () => sampler.pick(PLANS));
  for (const [number, plan] of (['free', ...others] as const).entries()) {
    const { id, key } = await makeAccount(world);
    await world.sql('update accounts set plan = $2 where id = $1', [id, plan]);
    const [live] = await world.sql<{ id: string }>('select id from api_keys where account_id = $1', [id]);
    const test = await world.key({ type: 'test', accountId: id });
    const asking = await world.key({ accountId: id, approval: 'required' });
    const ruled = await world.key({ accountId: id });
    const rules = randomRules(sampler, randomZone(sampler));
    const set = await world.rest(`PUT /policies/${ruled.id}`, { key, body: rules });
    if (set.status !== 200) throw new Error(`the policy was answered ${set.status}`);
    actors.push({
      id,
      plan,
      name: `${plan}${number}`,
      key,
      testKey: test.secret,
      askingKey: asking.secret,
      ruledKey: ruled.secret,
      rules,
      keyIds: { live: live?.id ?? '', test: test.id, asking: asking.id, ruled: ruled.id },
    });
    const taken: string[] = [];
    for (let count = sampler.int(1, 4); count > 0; count -= 1) {
      const { platformId, status } = await connect(settlement, key, taken);
      if (status !== 200) throw new Error(`the connection to ${platformId} was answered ${status}`);
      taken.push(platformId);
    }
  }
  return actors;
}

/**
 * Connects a sandbox or an account on a platform, and usually gives it a queue.
 *
 * @param taken platforms with the only account of which the tenant is connected already
 */
export async function connect(
  { world, sampler, platforms }: Settlement,
  key: string,
  taken: readonly string[],
): Promise<{ platformId: string; status: number }> {
  const free = platforms.all.filter(({ platformId }) => !taken.includes(platformId));
  const { platformId, credentials } =
    sampler.chance(SANDBOX_SHARE) || free.length === 0
      ? { platformId: 'sandbox', credentials: {} }
      : sampler.pick(free);
  // The slug that it would get may name a port, which differs between runs.
  const slug = `${platformId}-${sampler.int(1, 1_000_000)}`;
  const { status, body } = await world.rest('POST /connections', { key, body: { platformId, credentials, slug } });
  if (status !== 200) return { platformId, status };
  if (sampler.chance(0.9)) {
    const queue = { slots: randomSlots(sampler), timezone: sampler.pick(ZONES) };
    await world.rest(`PATCH /connections/${body.connection.id}/queue`, { key, body: queue });
  }
  return { platformId, status };
}

export function randomZone(sampler: Sampler): string {
  return sampler.pick(ZONES);
}

/** Sometimes none; otherwise up to one or two a day, each once. */
export function randomSlots(sampler: Sampler): QueueSlot[] {
  if (sampler.chance(0.05)) return [];
  // Some queues have slots on Sunday nights only, so that their posts meet clock changes.
  const nights = sampler.chance(0.3);
  const slots = Array.from({ length: sampler.int(1, 10) }, () => {
    const odd = nights || sampler.chance(0.5);
    const time = `${String(sampler.int(0, 23)).padStart(2, '0')}:${String(sampler.int(0, 59)).padStart(2, '0')}`;
    return {
      weekday: nights || (odd && sampler.chance(0.5)) ? 0 : sampler.int(0, 6),
      time: odd ? sampler.pick(ODD_TIMES) : time,
    };
  });
  return [...new Map(slots.map((slot) => [`${slot.weekday} ${slot.time}`, slot])).values()];
}
