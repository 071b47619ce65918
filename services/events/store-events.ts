/** Stores events in the caller's transaction, many in one statement. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { EventName } from '../../entities/event.ts';
import { fannedOutAt } from './subscribed-webhooks.ts';
import { column } from '../../entities/column-lists.ts';
import { records, statement } from '../../entities/statement.ts';
import type { EventPayload } from './event-payloads.ts';

/** A new event, with the payload that its name requires. */
export type NewEvent = { readonly [Name in EventName]: EventNamed<Name> }[EventName];

/** Fields that all events share. */
export interface EventFacts {
  readonly id: string;
  readonly accountId: string;
  readonly profileId: string | null;
  readonly mode: 'live' | 'test';
  /** The post, connection, webhook or feed that it is about. */
  readonly subjectId: string;
  readonly createdAt: Date;
}

interface EventNamed<Name extends EventName> extends EventFacts {
  readonly name: Name;
  readonly payload: EventPayload<Name>;
}

const insertEvents = statement('store events', {
  parameters: {
    i: records({
      id: 'uuid',
      accountId: 'uuid',
      profileId: 'uuid?',
      name: column('events', 'name'),
      mode: column('events', 'mode'),
      subjectId: 'uuid',
      payload: column('events', 'payload'),
      createdAt: 'timestamptz',
    }),
  },
  sql: ({ i }) => `
    insert into events (id, account_id, profile_id, name, mode, subject_id, payload, created_at, fanned_out_at)
    select i.id, i."accountId", i."profileId", i.name, i.mode, i."subjectId", i.payload, i."createdAt", ${fannedOutAt(
      {
        id: 'i.id',
        accountId: 'i."accountId"',
        profileId: 'i."profileId"',
        name: 'i.name',
        mode: 'i.mode',
        subjectId: 'i."subjectId"',
      },
      'i."createdAt"',
    )} from ${i}`,
});

export async function storeEvents(em: SqlEntityManager, events: readonly NewEvent[]): Promise<void> {
  if (events.length > 0) await insertEvents(em, { i: events });
}
