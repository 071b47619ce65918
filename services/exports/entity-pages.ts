/** Pages of the connections, queues, webhooks and profiles of an export. */
import { Connection } from '../../entities/connection.ts';
import { Profile } from '../../entities/profile.ts';
import { Webhook } from '../../entities/webhook.ts';
import { connectionViews, slotsInOrder } from '../connections/connection-view.ts';
import { reachableConnections } from '../connections/reachable-connections.ts';
import { voiceView } from '../profiles/profile-voice.ts';
import { profileView } from '../profiles/profile-view.ts';
import { reachableWebhooks } from '../webhooks/reachable-webhooks.ts';
import { webhookView } from '../webhooks/webhook-view.ts';
import { exportPage, type ExportPosition, type ReadPage } from './export-page.ts';

/** The rows of a page, in the order of ids. */
function within(reach: unknown, { after, until }: ExportPosition): object {
  return { ...Object(reach), id: { $lte: until, ...(after !== null && { $gt: after }) } };
}

const BY_ID = { orderBy: { id: 'asc' } } as const;

export const connectionPage: ReadPage = async (context, caller, position) => {
  const em = context.db.em();
  const { limit } = position;
  const found = await em.find(Connection, within(reachableConnections(caller), position), { ...BY_ID, limit });
  return exportPage(await connectionViews(context, em, found), limit, (view) => view);
};

export const queuePage: ReadPage = async (context, caller, position) => {
  const { limit } = position;
  const where = within(reachableConnections(caller), position);
  const found = await context.db.em().find(Connection, where, { ...BY_ID, limit });
  return exportPage(found, limit, ({ id, slug, profileId, timezone, queueSlots, queuePaused }) => ({
    connectionId: id,
    connectionSlug: slug,
    profileId: profileId ?? null,
    timezone,
    slots: slotsInOrder(queueSlots),
    paused: queuePaused,
  }));
};

export const webhookPage: ReadPage = async (context, caller, position) => {
  const { limit } = position;
  const where = within(reachableWebhooks(caller), position);
  return exportPage(await context.db.em().find(Webhook, where, { ...BY_ID, limit }), limit, webhookView);
};

export const profilePage: ReadPage = async (context, { accountId, profileId }, position) => {
  const { limit } = position;
  const where = within(
    { accountId, deletedAt: null, ...(profileId !== null && { $and: [{ id: profileId }] }) },
    position,
  );
  return exportPage(await context.db.em().find(Profile, where, { ...BY_ID, limit }), limit, (profile) => ({
    ...profileView(profile),
    voice: voiceView(profile.voice ?? null),
  }));
};
