/**
 * An audit entry: who requested which change, over which surface, and its outcome. It contains no text of posts and no
 * secret.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';

/** `customer` is anyone with a connect link, `operator` anyone with the operator token. */
export const ACTOR_KINDS = ['key', 'oauth_client', 'person', 'customer', 'operator'] as const;

/** The entry points of the service. `connect_page` is the hosted page, `operator` what `npm run carillon` calls. */
export const SURFACES = ['rest', 'trpc', 'mcp', 'console', 'connect_page', 'operator', 'oauth'] as const;
export type Surface = (typeof SURFACES)[number];

export const AuditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entries',
  properties: {
    /** In time order. */
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    at: instant(),
    actorKind: p.enum(ACTOR_KINDS),
    /** Id of the key, the OAuth client, the owner or the connect session; `operator` for the operator. */
    actorId: p.text(),
    /** Name at the time of the change. */
    actorName: p.text(),
    surface: p.enum(SURFACES),
    /** Name in the router, or the action of a page, e.g. `posts.create`, `connect.link`. */
    operation: p.text(),
    /** Type of the subject; null when the change named and created nothing. */
    objectType: p.text().strictNullable(),
    objectIds: p.array().columnType('uuid[]'),
    /** `ok` or an error code; null while in progress, and permanently when its process died. */
    outcome: p.text().strictNullable(),
    mode: p.enum(['live', 'test'] as const),
    /**
     * The profile that the actor is limited to or that the request named. It may not exist, so there is no foreign key.
     */
    profileId: p.uuid().strictNullable(),
    /** Null on the connect page. */
    requestId: p.text().strictNullable(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    { properties: ['accountId', 'actorId', 'id'] },
    { properties: ['accountId', 'operation', 'id'] },
    {
      name: 'audit_entries_other_actors_index',
      expression: `create index "audit_entries_other_actors_index" on "audit_entries" ("account_id", "actor_kind", "id") where ("actor_kind" <> 'key')`,
    },
    {
      name: 'audit_entries_not_ok_index',
      expression: `create index "audit_entries_not_ok_index" on "audit_entries" ("account_id", "outcome", "id") where ("outcome" is null or "outcome" <> 'ok')`,
    },
    {
      name: 'audit_entries_object_ids_index',
      expression: `create index "audit_entries_object_ids_index" on "audit_entries" using gin ("object_ids")`,
    },
  ],
});
export type AuditEntry = InferEntity<typeof AuditEntry>;
