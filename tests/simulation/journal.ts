/** A journal of every changed row, kept by triggers. It records the product's actions independently of the product. */
import type { PostStatus, RescheduleReason } from '../../entities/post.ts';
import type { QueueSlot } from '../../entities/connection.ts';
import type { World } from '../harness/world.ts';

/** A row of posts, with the columns that invariants use. Instants are text. */
export interface PostRow {
  readonly id: string;
  readonly account_id: string;
  readonly connection_id: string;
  readonly platform_id: string;
  readonly mode: 'live' | 'test';
  readonly status: PostStatus;
  readonly text: string;
  readonly generation: number;
  readonly tries: number;
  readonly repeats: number;
  readonly first_due_at: string | null;
  readonly url: string | null;
  readonly platform_post_id: string | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly scheduled_for: string | null;
  readonly queued: boolean;
  readonly slot_at: string | null;
  readonly held: boolean;
  readonly stop_id: string | null;
  readonly created_by_kind: string;
  readonly created_by_id: string;
  readonly approval_id: string | null;
  readonly policy_id: string | null;
  readonly created_at: string;
  readonly sent_at: string | null;
  readonly deleted_at: string | null;
  readonly claim: string | null;
  readonly claimed_until: string | null;
  readonly next_read_at: string | null;
  readonly read_lease_until: string | null;
  readonly reads_thinned: number;
  readonly counted: boolean;
}

/** A read of a post's metrics. */
export interface ReadRow {
  readonly post_id: string;
  readonly number: number;
  readonly fetched_at: string;
  readonly likes: number | null;
}

export interface EventRow {
  readonly name: string;
  readonly subject_id: string;
  readonly created_at: string;
  readonly payload: {
    readonly post?: { readonly reason?: RescheduleReason; readonly scheduledFor: string | null };
    readonly metrics?: { readonly fetchedAt: string };
  };
}

export interface AttemptRow {
  readonly post_id: string;
  readonly generation: number;
  readonly step: string;
  readonly state: string;
  readonly token: string;
  readonly started_at: string;
}

export interface TimelineRow {
  readonly id: string;
  readonly account_id: string;
  readonly text: string;
  readonly token: string;
  readonly deleted_at: string | null;
}

export interface ConnectionRow {
  readonly id: string;
  readonly account_id: string;
  readonly slug: string;
  readonly platform_id: string;
  readonly timezone: string;
  readonly queue_slots: readonly QueueSlot[];
  readonly queue_paused: boolean;
  readonly deleted_at: string | null;
}

export interface StopRow {
  readonly id: string;
  readonly account_id: string;
  readonly kind: 'account' | 'key';
  /** Id of the key; for an account its own. */
  readonly target_id: string;
  readonly released_at: string | null;
}

interface Of<Kind extends string, Row> {
  readonly kind: Kind;
  /** Null for an inserted row. */
  readonly old: Row | null;
  /** Null for a deleted row. */
  readonly new: Row | null;
}

export type Change =
  | Of<'posts', PostRow>
  | Of<'events', EventRow>
  | Of<'attempts', AttemptRow>
  | Of<'sandbox_posts', TimelineRow>
  | Of<'connections', ConnectionRow>
  | Of<'stops', StopRow>
  | Of<'metrics_reads', ReadRow>;

/** The changes of one transaction, in order. */
export type Transaction = readonly Change[];

const TABLES = ['posts', 'events', 'attempts', 'sandbox_posts', 'connections', 'stops', 'metrics_reads'];

/** Columns that no invariant uses. */
const UNUSED = `'{original_text,tags,thread,images,ref,prepared,credentials}'::text[]`;

const INSTALL = [
  `create table simulation_journal (seq serial primary key, xid text not null, kind text not null, old jsonb, new jsonb)`,
  `create function simulation_note() returns trigger language plpgsql as $$ begin
     insert into simulation_journal (xid, kind, old, new) values (pg_current_xact_id()::text, tg_table_name,
       case when tg_op <> 'INSERT' then to_jsonb(old) - ${UNUSED} end,
       case when tg_op <> 'DELETE' then to_jsonb(new) - ${UNUSED} end);
     return null;
   end $$`,
  ...TABLES.map(
    (table) =>
      `create trigger simulation_note after insert or update or delete on ${table}
         for each row execute function simulation_note()`,
  ),
];

export interface Journal {
  /** The transactions committed since the last read. */
  read(): Promise<Transaction[]>;
}

export async function keepJournal(world: World): Promise<Journal> {
  for (const statement of INSTALL) await world.sql(statement);
  let read = 0;
  return {
    read: async () => {
      const rows = await world.sql<{ seq: number; xid: string } & Change>(
        'select seq, xid, kind, old, new from simulation_journal where seq > $1 order by seq',
        [read],
      );
      read = rows.at(-1)?.seq ?? read;
      // Two transactions may interleave; each is checked at its end.
      const ends = new Map(rows.map(({ xid, seq }) => [xid, seq]));
      const transactions = [...Map.groupBy(rows, ({ xid }) => xid)];
      return transactions
        .toSorted(([a], [b]) => (ends.get(a) ?? 0) - (ends.get(b) ?? 0))
        .map(([, changes]) => inOrder(changes));
    },
  };
}

/** One statement may move many posts and report them in any order; they got their times in their previous order. */
function inOrder(changes: Transaction): Transaction {
  const moves = changes.filter(isMove).toSorted((one, other) => compare(one.old, other.old));
  return changes.map((change) => (isMove(change) ? (moves.shift() ?? change) : change));
}

function isMove(change: Change): change is Of<'posts', PostRow> & { readonly old: PostRow; readonly new: PostRow } {
  return change.kind === 'posts' && change.old?.status === 'scheduled' && change.new?.status === 'scheduled';
}

function compare(one: PostRow, other: PostRow): number {
  const later = ms(one.scheduled_for ?? '') - ms(other.scheduled_for ?? '');
  return later === 0 ? one.id.localeCompare(other.id) : later;
}

/** Milliseconds of an instant as the database writes it. */
export function ms(instant: string): number {
  return new Date(instant).getTime();
}
