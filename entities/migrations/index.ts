/** Every migration in the order it runs. A name, once released, never changes. */
import { ConnectSessions } from './migration-20261121-connect-sessions.ts';
import { Initial } from './migration-20261121-initial.ts';
import { PlansAndQueues } from './migration-20261121-plans-and-queues.ts';
import { LongLists } from './migration-20261121-long-lists.ts';
import { Tenants } from './migration-20261121-tenants.ts';
import { WholePosts } from './migration-20261121-whole-posts.ts';

export const migrations = [
  { name: '20261121-initial', class: Initial },
  { name: '20261121-whole-posts', class: WholePosts },
  { name: '20261121-plans-and-queues', class: PlansAndQueues },
  { name: '20261121-long-lists', class: LongLists },
  { name: '20261121-tenants', class: Tenants },
  { name: '20261121-connect-sessions', class: ConnectSessions },
];
