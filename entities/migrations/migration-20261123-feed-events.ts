/**
 * Lets events and deliveries be about disabled feeds. The new checks allow all that the old ones allow, so the rows that
 * are there need no scan (`not valid`): it would hold both tables.
 */
import { StepMigration } from './step-migration.ts';

const NAMES = `'post.sent', 'post.failed', 'post.deleted', 'post.metrics', 'post.rescheduled', 'connection.created', 'connection.removed', 'webhook.disabled', 'feed.disabled'`;

export class FeedEvents extends StepMigration {
  override up(): void {
    this.addSql(`alter table "events" drop constraint if exists "events_name_check"`);
    this.addSql(`alter table "events" add constraint "events_name_check" check ("name" in (${NAMES})) not valid`);
    this.addSql(`alter table "deliveries" drop constraint if exists "deliveries_event_check"`);
    this.addSql(
      `alter table "deliveries" add constraint "deliveries_event_check" check ("event" in (${NAMES})) not valid`,
    );
  }
}
