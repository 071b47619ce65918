/** The work of a worker on a stored year: the functions that its loops call, at the instant when posts are due. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import pino from 'pino';
import { type Database, openPostgres } from '../entities/orm.ts';
import { tables } from '../entities/tables.ts';
import { systemClock } from '../server/clocks.ts';
import { readConfig } from '../server/config.ts';
import { systemRandom } from '../server/system-random.ts';
import { createReceivers } from '../server/receivers.ts';
import { createRuntime, type Runtime } from '../server/runtime.ts';
import { readHealth } from '../services/health/read-health.ts';
import { cleanUpMedia } from '../services/media/clean-up-media.ts';
import { claimReads } from '../services/metrics/claim-reads.ts';
import { countSentPosts } from '../services/metrics/count-sent-posts.ts';
import { RETENTIONS } from '../services/retention/retentions.ts';
import { claimDueSends, nextDueAt } from '../services/sending/claim-due-sends.ts';
import { claimInterruptedSends } from '../services/sending/claim-interrupted-sends.ts';
import { claimLateSends } from '../services/sending/claim-late-sends.ts';
import { adjustDeliveries } from '../services/webhooks/adjust-deliveries.ts';
import { claimWebhookLeases } from '../services/webhooks/claim-webhook-leases.ts';
import { fanOut } from '../services/webhooks/fan-out.ts';
import { nextDeliveryAt } from '../services/webhooks/next-delivery-at.ts';
import { releaseWebhookLeases } from '../services/webhooks/release-webhook-leases.ts';

/** What a worker does, and how much of it there was; both installs must give the same amount. */
export type Work = (context: Runtime) => Promise<number>;

const never = new AbortController().signal;

/** One step of each rule of a table, as far as rows expire; the amount is how many rules have more. */
const retentionOf =
  (table: keyof typeof RETENTIONS): Work =>
  async (context) => {
    let unfinished = 0;
    for (const rule of RETENTIONS[table].rules ?? []) if (await rule.step(context)) unfinished += 1;
    return unfinished;
  };

const PLENTY = { healthy: 100, failing: 100, reserved: 100 };

export const WORK: Readonly<Record<string, Work>> = {
  'claim due posts': async (context) => (await claimDueSends(context)).sends.length,
  'claim late posts': async (context) =>
    (await Array.fromAsync(claimLateSends(context))).flatMap(({ sends }) => sends).length,
  'claim interrupted sends': async (context) => (await claimInterruptedSends(context, 100)).length,
  'find the next due post': async (context) => Number((await nextDueAt(context)) !== null),
  'claim metrics reads': async (context) => (await claimReads(context)).posts.length,
  'count sent posts': async (context) => {
    await countSentPosts(context, () => false);
    return 0;
  },
  'fan out events': async (context) => (await fanOut(context)).events,
  'claim webhook leases': async (context) =>
    (await claimWebhookLeases(context, PLENTY, [])).reduce((sum, { first }) => sum + first.deliveries.length, 0),
  'claim and release webhook leases': async (context) => {
    const leases = await claimWebhookLeases(context, PLENTY, []);
    await releaseWebhookLeases(
      context,
      leases.map(({ lease }) => lease),
    );
    return leases.length;
  },
  'find the next delivery, one webhook leased': async (context) => {
    await claimWebhookLeases(context, PLENTY, []);
    return Number((await nextDeliveryAt(context)) !== null);
  },
  'disable and enable a webhook': async (context) => {
    const [taken] = await claimWebhookLeases(context, PLENTY, []);
    const webhookId = taken?.lease.webhookId ?? '';
    const em = context.db.em();
    const now = context.clock.now();
    for (const disabledAt of [now, null]) {
      await tables(em).updateTable('webhooks').set({ disabled_at: disabledAt }).where('id', '=', webhookId).execute();
      await adjustDeliveries(em, [webhookId], now);
    }
    return Number(taken !== undefined);
  },
  'find the next delivery': async (context) => Number((await nextDeliveryAt(context)) !== null),
  'retention of events': retentionOf('events'),
  'retention of deliveries': retentionOf('deliveries'),
  'retention of audit entries': retentionOf('audit_entries'),
  'retention of metrics reads': retentionOf('metrics_reads'),
  'clean up images': async (context) => {
    await cleanUpMedia(context, never);
    return 0;
  },
  health: async (context) => Object.keys((await readHealth(context)).checks).length,
};

export interface YearWorker extends AsyncDisposable {
  /** Milliseconds of the work. It is rolled back, so that the next time finds as much. @throws Error if it was not `expected` */
  run(work: Work): Promise<{ readonly ms: number; readonly amount: number }>;
}

/** Connects to the database of an install as a worker would whose clock shows `now`. */
export async function startYearWorker(
  databaseUrl: string,
  dataDir: string,
  encryptionKey: string,
  now: Date,
): Promise<YearWorker> {
  const db = await openPostgres(databaseUrl);
  const config = readConfig({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, ENCRYPTION_KEYS: encryptionKey });
  const clock = { ...systemClock, now: () => new Date(now) };
  const receivers = createReceivers({ allow: config.outboundAllow, clock });
  let transaction: SqlEntityManager | null = null;
  const inTransaction: Database = {
    ...db,
    em: () => (transaction === null ? db.em() : transaction.fork({ keepTransactionContext: true })),
  };
  const context = createRuntime({
    config,
    clock,
    random: systemRandom(systemClock),
    fetch,
    openSocket: () => Promise.reject(new Error('nothing is sent')),
    receivers,
    db: inTransaction,
    encryptionKeys: config.encryptionKeys ?? [],
    log: pino({ level: 'silent' }),
  });
  return {
    run: async (work) => {
      transaction = db.em();
      await transaction.begin();
      try {
        const began = performance.now();
        const amount = await work(context);
        return { ms: performance.now() - began, amount };
      } finally {
        await transaction.rollback();
        transaction = null;
      }
    },
    [Symbol.asyncDispose]: async () => {
      context.images.close();
      receivers.close();
      await db.close();
    },
  };
}
