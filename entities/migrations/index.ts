/**
 * Every migration in the order in which it runs. A released name never changes. Versions that follow each other run on
 * one schema, so a migration only expands it; `contracts` marks the exceptions
 * (docs/decisions/0087-run-two-versions-on-one-schema.md).
 */
import type { MigrationObject } from '@mikro-orm/core';
import { AccountConnectSessions } from './migration-20261122-account-connect-sessions.ts';
import { ApprovalMails } from './migration-20261129-approval-mails.ts';
import { Approvals } from './migration-20261123-approvals.ts';
import { ArrivedAttempts } from './migration-20261129-arrived-attempts.ts';
import { CalendarOwners } from './migration-20261129-calendar-owners.ts';
import { CalendarIndexes } from './migration-20261122-calendar-indexes.ts';
import { Calendars } from './migration-20261123-calendars.ts';
import { FeedAddresses } from './migration-20261124-feed-addresses.ts';
import { FeedEvents } from './migration-20261123-feed-events.ts';
import { Feeds } from './migration-20261123-feeds.ts';
import { ImageHashes } from './migration-20261127-image-hashes.ts';
import { Imports } from './migration-20261123-imports.ts';
import { DatabaseMarks } from './migration-20261122-database-marks.ts';
import { DeliveryAttempts } from './migration-20261122-delivery-attempts.ts';
import { DeliverySubjects } from './migration-20261122-delivery-subjects.ts';
import { Digests } from './migration-20261123-digests.ts';
import { Initial } from './migration-20261122-initial.ts';
import { KeyExpiry } from './migration-20261122-key-expiry.ts';
import { ProfileVoices } from './migration-20261123-profile-voices.ts';
import { Stops } from './migration-20261123-stops.ts';
import { ReadLeases } from './migration-20261126-read-leases.ts';
import { ZoneNames } from './migration-20261126-zone-names.ts';
import { Policies } from './migration-20261123-policies.ts';
import { PolicyCopies } from './migration-20261129-policy-copies.ts';
import { RequestCounts } from './migration-20261122-request-counts.ts';
import { Retention } from './migration-20261122-retention.ts';
import { RolesOfPeople } from './migration-20261122-roles-of-people.ts';
import { LargeInstalls } from './migration-20261122-large-installs.ts';
import { VacuumLargeTables } from './migration-20261122-vacuum-large-tables.ts';
import { PeriodsBeforeWords } from './migration-20261128-periods-before-words.ts';
import { ContentGenerations } from './migration-20261129-content-generations.ts';
import { AdjustedDeliveries } from './migration-20261129-adjusted-deliveries.ts';
import { PendingDeliveries } from './migration-20261129-pending-deliveries.ts';
import { LedgerPages } from './migration-20261128-ledger-pages.ts';
import { ClientsOfStops } from './migration-20261130-clients-of-stops.ts';
import { ListsByState } from './migration-20261130-lists-by-state.ts';
import { WeeksOfWords } from './migration-20261127-weeks-of-words.ts';

interface ListedMigration extends MigrationObject {
  /** For a migration that removes what the given version and older ones still use. */
  readonly contracts?: { readonly after: string };
}

export const initialMigration = { name: '20261122-initial', class: Initial };

export const migrations: ListedMigration[] = [
  initialMigration,
  { name: '20261122-account-connect-sessions', class: AccountConnectSessions },
  { name: '20261122-delivery-attempts', class: DeliveryAttempts },
  { name: '20261122-roles-of-people', class: RolesOfPeople },
  { name: '20261122-key-expiry', class: KeyExpiry },
  { name: '20261122-retention', class: Retention },
  { name: '20261122-delivery-subjects', class: DeliverySubjects },
  { name: '20261122-calendar-indexes', class: CalendarIndexes },
  { name: '20261122-request-counts', class: RequestCounts },
  { name: '20261122-database-marks', class: DatabaseMarks },
  { name: '20261122-large-installs', class: LargeInstalls },
  { name: '20261122-vacuum-large-tables', class: VacuumLargeTables },
  { name: '20261123-calendars', class: Calendars },
  { name: '20261123-imports', class: Imports },
  { name: '20261123-feeds', class: Feeds },
  { name: '20261123-feed-events', class: FeedEvents },
  { name: '20261123-approvals', class: Approvals },
  { name: '20261123-stops', class: Stops },
  { name: '20261123-policies', class: Policies },
  { name: '20261123-digests', class: Digests },
  { name: '20261123-profile-voices', class: ProfileVoices },
  { name: '20261124-feed-addresses', class: FeedAddresses },
  { name: '20261126-read-leases', class: ReadLeases },
  { name: '20261126-zone-names', class: ZoneNames },
  { name: '20261127-weeks-of-words', class: WeeksOfWords },
  { name: '20261127-image-hashes', class: ImageHashes },
  { name: '20261128-periods-before-words', class: PeriodsBeforeWords },
  { name: '20261128-ledger-pages', class: LedgerPages },
  { name: '20261129-content-generations', class: ContentGenerations },
  { name: '20261129-calendar-owners', class: CalendarOwners },
  { name: '20261129-policy-copies', class: PolicyCopies },
  { name: '20261129-approval-mails', class: ApprovalMails },
  { name: '20261129-arrived-attempts', class: ArrivedAttempts },
  { name: '20261129-pending-deliveries', class: PendingDeliveries },
  { name: '20261129-adjusted-deliveries', class: AdjustedDeliveries },
  { name: '20261130-lists-by-state', class: ListsByState },
  { name: '20261130-clients-of-stops', class: ClientsOfStops },
];
