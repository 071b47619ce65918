/**
 * Widens two indexes of posts, so that the calendar reads each connection in order of time: sent posts of every mode, and
 * scheduled posts also outside of a queue, with those that failed
 * (docs/decisions/0079-read-the-calendar-along-each-connection.md).
 */
import { StepMigration } from './step-migration.ts';

const STATEMENTS = [
  `create index if not exists "posts_sent_index" on "posts" ("connection_id", "mode", "sent_at") where ("sent_at" is not null)`,
  `drop index if exists "posts_live_sent_index"`,
  `create index if not exists "posts_waiting_index" on "posts" ("connection_id", "status", "scheduled_for") where ("status" in ('scheduled', 'failed'))`,
  `drop index if exists "posts_queue_index"`,
];

export class CalendarIndexes extends StepMigration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}
