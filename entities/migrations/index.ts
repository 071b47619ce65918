/** Every migration in the order in which it runs. A released name never changes. */
import { AccountConnectSessions } from './migration-20261122-account-connect-sessions.ts';
import { CalendarIndexes } from './migration-20261122-calendar-indexes.ts';
import { DeliveryAttempts } from './migration-20261122-delivery-attempts.ts';
import { DeliverySubjects } from './migration-20261122-delivery-subjects.ts';
import { Initial } from './migration-20261122-initial.ts';
import { KeyExpiry } from './migration-20261122-key-expiry.ts';
import { Retention } from './migration-20261122-retention.ts';
import { RolesOfPeople } from './migration-20261122-roles-of-people.ts';

export const initialMigration = { name: '20261122-initial', class: Initial };

export const migrations = [
  initialMigration,
  { name: '20261122-account-connect-sessions', class: AccountConnectSessions },
  { name: '20261122-delivery-attempts', class: DeliveryAttempts },
  { name: '20261122-roles-of-people', class: RolesOfPeople },
  { name: '20261122-key-expiry', class: KeyExpiry },
  { name: '20261122-retention', class: Retention },
  { name: '20261122-delivery-subjects', class: DeliverySubjects },
  { name: '20261122-calendar-indexes', class: CalendarIndexes },
];
