/** Connections for tests. */
import { makeAccount, type TestAccount } from './accounts.ts';
import type { World } from './world.ts';

export interface TestConnection {
  readonly id: string;
  readonly slug: string;
  readonly platformId: string;
  readonly description: string;
  readonly timezone: string;
  readonly queueSlots: readonly unknown[];
  readonly profileId: string | null;
  readonly rewriteMode: string;
  readonly queuePaused: boolean;
  readonly nextSlotAt: string | null;
  readonly reconnectRequired: unknown;
  readonly handle: string;
  readonly credentialRenewsAt: string | null;
  readonly credentialEndsAt: string | null;
  readonly createdAt: string;
}

/** Connects a sandbox over the API. */
export async function connectSandbox(
  world: World,
  options: { key?: string; slug?: string; profileId?: string; description?: string } = {},
): Promise<TestConnection> {
  const { key = world.liveKey, ...fields } = options;
  const { status, body } = await world.rest('POST /connections', {
    key,
    body: { platformId: 'sandbox', credentials: {}, ...fields },
  });
  if (status !== 200) throw new Error(`the sandbox was not connected: ${JSON.stringify(body)}`);
  return body.connection;
}

/** Writes a Bluesky connection whose credentials no server knows, for tests of who sees it. */
export async function storeBluesky(
  world: World,
  accountId: string,
  options: { slug?: string; profileId?: string } = {},
): Promise<TestConnection> {
  const { slug = 'bluesky-alice', profileId = null } = options;
  const id = world.context.random.uuid();
  await world.sql(
    `insert into connections (id, account_id, profile_id, platform_id, slug, description, timezone, queue_slots,
       platform_account_id, handle, credentials, created_at)
     values ($1, $2, $3, 'bluesky', $4, 'Bluesky: alice', 'UTC', '[]', $5, 'alice', $6, $7)`,
    [id, accountId, profileId, slug, `did:plc:${slug}`, world.context.vault.seal({}, id), world.clock.now()],
  );
  return {
    id,
    slug,
    platformId: 'bluesky',
    description: 'Bluesky: alice',
    timezone: 'UTC',
    queueSlots: [],
    profileId,
    rewriteMode: 'inherit',
    queuePaused: false,
    nextSlotAt: null,
    reconnectRequired: null,
    handle: 'alice',
    credentialRenewsAt: null,
    credentialEndsAt: null,
    createdAt: world.clock.now().toISOString(),
  };
}

/** Writes a connection to a platform that supports neither threads nor first comments; nothing can be sent to it. */
export async function storeDiscord(world: World, accountId: string, slug: string): Promise<TestConnection> {
  const connection = await storeBluesky(world, accountId, { slug });
  await world.sql(`update connections set platform_id = 'discord' where id = $1`, [connection.id]);
  return { ...connection, platformId: 'discord' };
}

/** A separate account with one sandbox connection, `sandbox`. */
export async function accountWithSandbox(world: World): Promise<TestAccount & { connection: TestConnection }> {
  const account = await makeAccount(world);
  return { ...account, connection: await connectSandbox(world, { key: account.key }) };
}
