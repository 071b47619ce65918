/** Every migration in the order it runs. A name, once released, never changes. */
import { Audit } from './migration-20261121-audit.ts';
import { ConnectSessions } from './migration-20261121-connect-sessions.ts';
import { ConnectSessionCallers } from './migration-20261121-connect-session-callers.ts';
import { EventOrder } from './migration-20261121-event-order.ts';
import { FollowedAccounts } from './migration-20261121-followed-accounts.ts';
import { HealthHistory } from './migration-20261121-health-history.ts';
import { Initial } from './migration-20261121-initial.ts';
import { LoginRenewal } from './migration-20261121-login-renewal.ts';
import { Metrics } from './migration-20261121-metrics.ts';
import { Oauth } from './migration-20261121-oauth.ts';
import { Passkeys } from './migration-20261121-passkeys.ts';
import { People } from './migration-20261121-people.ts';
import { PlansAndQueues } from './migration-20261121-plans-and-queues.ts';
import { LongLists } from './migration-20261121-long-lists.ts';
import { Polish } from './migration-20261121-polish.ts';
import { Sends } from './migration-20261122-sends.ts';
import { Tenants } from './migration-20261121-tenants.ts';
import { Webhooks } from './migration-20261121-webhooks.ts';
import { WholePosts } from './migration-20261121-whole-posts.ts';

export const migrations = [
  { name: '20261121-initial', class: Initial },
  { name: '20261121-whole-posts', class: WholePosts },
  { name: '20261121-plans-and-queues', class: PlansAndQueues },
  { name: '20261121-long-lists', class: LongLists },
  { name: '20261121-tenants', class: Tenants },
  { name: '20261121-connect-sessions', class: ConnectSessions },
  { name: '20261121-login-renewal', class: LoginRenewal },
  { name: '20261121-followed-accounts', class: FollowedAccounts },
  { name: '20261121-webhooks', class: Webhooks },
  { name: '20261121-metrics', class: Metrics },
  { name: '20261121-health-history', class: HealthHistory },
  { name: '20261121-event-order', class: EventOrder },
  { name: '20261121-polish', class: Polish },
  { name: '20261121-oauth', class: Oauth },
  { name: '20261121-people', class: People },
  { name: '20261121-passkeys', class: Passkeys },
  { name: '20261121-connect-session-callers', class: ConnectSessionCallers },
  { name: '20261121-audit', class: Audit },
  { name: '20261122-sends', class: Sends },
];
