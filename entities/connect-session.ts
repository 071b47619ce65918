/**
 * A link with which a person connects an account to a profile, or to the account's own accounts
 * (docs/contract/connections.md#connect-sessions). Only hashes of its secrets are stored.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { ApiKey } from './api-key.ts';
import { id, instant } from './columns.ts';
import { Connection } from './connection.ts';
import { Profile } from './profile.ts';

/** A pending session past its end counts as expired, even before its row says so. */
export const CONNECT_SESSION_STATUSES = ['pending', 'connected', 'failed', 'expired'] as const;
export type ConnectSessionStatus = (typeof CONNECT_SESSION_STATUSES)[number];

export const CONNECT_ERRORS = ['cancelled', 'connect_failed'] as const;
export type ConnectError = (typeof CONNECT_ERRORS)[number];

export const ConnectSession = defineEntity({
  name: 'ConnectSession',
  tableName: 'connect_sessions',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    /** Null when the connection becomes one of the account's own. */
    profileId: () => p.manyToOne(Profile).mapToPk().strictNullable().deleteRule('no action').fieldName('profile_id'),
    /** The key that created it; null when an OAuth client or a person did. */
    keyId: () => p.manyToOne(ApiKey).mapToPk().strictNullable().deleteRule('no action').fieldName('key_id'),
    /** Type of that key, or mode of the grant; sessions of people are live. */
    mode: p.enum(['live', 'test'] as const),
    /** Null when the customer chooses on the page. */
    platform: p.string().strictNullable(),
    /** The connection whose account is connected again; null when the session makes a connection. */
    reconnectConnectionId: () =>
      p.manyToOne(Connection).mapToPk().strictNullable().deleteRule('no action').fieldName('reconnect_connection_id'),
    /** Where the customer is redirected at the end, as given in the request. */
    redirectUrl: p.text(),
    /** Whether the page is shown without header and footer. */
    headless: p.boolean(),
    status: p.enum(CONNECT_SESSION_STATUSES).default('pending'),
    error: p.enum(CONNECT_ERRORS).strictNullable(),
    connectionId: () =>
      p.manyToOne(Connection).mapToPk().strictNullable().deleteRule('no action').fieldName('connection_id'),
    /** Hex SHA-256 of the token in the link. */
    tokenHash: p.string().length(64).unique(),
    /** When the link was opened; from then on only the browser that opened it may continue. */
    usedAt: instant().strictNullable(),
    /** Hex SHA-256 of that browser's cookie. */
    browserHash: p.string().length(64).strictNullable(),
    /** State of the connect flow, encrypted; null between steps and at the end. */
    flow: p.text().strictNullable(),
    /** Number of credentials that were tried. */
    tries: p.integer().default(0),
    /** Whether the platform has refused credentials; leaving the page then counts as giving up. */
    refused: p.boolean().default(false),
    expiresAt: instant(),
    createdAt: instant(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    {
      name: 'connect_sessions_open_index',
      expression: `create index "connect_sessions_open_index" on "connect_sessions" ("expires_at") where ("status" = 'pending')`,
    },
  ],
});
export type ConnectSession = InferEntity<typeof ConnectSession>;
