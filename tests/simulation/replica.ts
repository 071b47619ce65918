/** The database in memory, rebuilt from the journal, and the queries that the rules make. */
import type { PlanName } from '../../entities/account.ts';
import type { AttemptRow, ConnectionRow, PostRow, ReadRow, StopRow, TimelineRow, Transaction } from './journal.ts';
import { ms } from './journal.ts';

/** Thrown when an invariant does not hold. */
export class Broken extends Error {
  override name = 'Broken';
  readonly invariant: string;

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.invariant = invariant;
  }
}

/** @throws Broken unless `holds` */
export function hold(holds: boolean, invariant: string, message: () => string): void {
  if (!holds) throw new Broken(invariant, message());
}

export interface Tenant {
  readonly id: string;
  /** Short name for histories. */
  readonly name: string;
  readonly plan: PlanName;
}

const DAY_MS = 86_400_000;

/** What has gone wrong on purpose, so far. */
export interface Disturbances {
  /** Posts on platforms that had a call lost, by what {@link onPlatform} names them. */
  readonly lost: ReadonlySet<string>;
  /** Ids of posts with an interrupted send. */
  readonly interrupted: ReadonlySet<string>;
}

export class Replica {
  readonly tenants = new Map<string, Tenant>();
  readonly posts = new Map<string, PostRow>();
  readonly connections = new Map<string, ConnectionRow>();
  /** The active stops. */
  readonly stops = new Map<string, StopRow>();
  /** Ledger rows that create a post, by token. */
  readonly heads = new Map<string, AttemptRow>();
  /** The current and deleted posts on the sandbox, by token. */
  readonly timeline = new Map<string, TimelineRow>();
  /** The newest read of each post's metrics. */
  readonly reads = new Map<string, ReadRow>();
  /** How often the caller resent a post with an unknown outcome, by its mark. */
  readonly #forced = new Map<string, number>();
  /** What each post says and where, by its id, also of posts that are gone: a draft that replaces one says the same. */
  readonly #marks = new Map<string, string>();
  /** What may be up of posts that are gone, as {@link onPlatform} names it, and how often at most. */
  readonly #left = new Map<string, number>();
  readonly #names = new Map<string, string>();
  /** Live posts that left `processing` unsent in the present step, as they were. */
  #freed: PostRow[] = [];
  readonly #disturbances: Disturbances;

  constructor(disturbances: Disturbances) {
    this.#disturbances = disturbances;
  }

  /** Applies the changes of a transaction. */
  apply(change: Transaction[number]): void {
    switch (change.kind) {
      case 'posts':
        return this.#applyPost(change.old, change.new);
      case 'connections':
        if (change.new !== null) this.#applyConnection(change.new);
        return;
      case 'stops':
        if (change.new?.released_at === null) this.stops.set(change.new.id, change.new);
        else this.stops.delete(change.new?.id ?? '');
        return;
      case 'attempts':
        if (change.new?.step === 'head') this.heads.set(change.new.token, change.new);
        return;
      case 'sandbox_posts':
        if (change.new !== null) this.timeline.set(change.new.token, change.new);
        return;
      default:
    }
  }

  beginStep(): void {
    this.#freed = [];
  }

  /**
   * Live posts of an account that left `processing` unsent in the present step, so that others can take their places. A transaction
   * of the step that counted them may commit later.
   */
  freedInStep(tenantId: string): PostRow[] {
    return this.#freed.filter((post) => post.account_id === tenantId);
  }

  #applyPost(old: PostRow | null, present: PostRow | null): void {
    const isFreed = old?.status === 'processing' && !['processing', 'sent'].includes(present?.status ?? '');
    if (isFreed && old.mode === 'live') this.#freed.push(old);
    if (present === null) {
      if (old !== null) this.#removePost(old);
      return;
    }
    this.posts.set(present.id, present);
    const mark = `${present.connection_id} ${markerOf(present.text)}`;
    this.#marks.set(present.id, mark);
    if (old?.error_code === 'outcome_unknown' && present.generation > old.generation) {
      this.#forced.set(mark, (this.#forced.get(mark) ?? 0) + 1);
    }
  }

  /** A draft that was a failed post takes its ledger with it, also the sends that its caller called unknown by resending them. */
  #removePost(post: PostRow): void {
    this.posts.delete(post.id);
    const forced = this.forcedOf(post.id);
    if (forced > 0) this.#left.set(onPlatform(post.platform_id, markerOf(post.text)), forced);
  }

  /** How often something may be up that no post names: the caller resent a post of unknown outcome, and deleted it as a draft. */
  leftBehind(name: string): number {
    return this.#left.get(name) ?? 0;
  }

  /** How often the caller resent what a post says, there, while its outcome was unknown. */
  forcedOf(postId: string): number {
    return this.#forced.get(this.#marks.get(postId) ?? '') ?? 0;
  }

  #applyConnection(row: ConnectionRow): void {
    this.connections.set(row.id, row);
    if (!this.#names.has(row.id)) this.#names.set(row.id, `c${this.#names.size}`);
  }

  /** A name that is the same in every run of a seed. Ids differ between engines. */
  nameOf(post: PostRow): string {
    const tenant = this.tenants.get(post.account_id)?.name ?? '?';
    return `${tenant}/${this.#names.get(post.connection_id) ?? '?'}/${markerOf(post.text)}`;
  }

  /** Whether a text asks the sandbox for something; other platforms take it as it is. */
  asks(post: PostRow, directive: string): boolean {
    return post.platform_id === 'sandbox' && post.text.includes(`[[${directive}]]`);
  }

  /** Whether a process was interrupted while it sent this, or a call about it was lost. */
  isDisturbed(post: PostRow): boolean {
    const { lost, interrupted } = this.#disturbances;
    return interrupted.has(post.id) || lost.has(onPlatform(post.platform_id, markerOf(post.text)));
  }

  nameOfConnection(id: string): string {
    return this.#names.get(id) ?? '?';
  }

  ofTenant(tenantId: string): PostRow[] {
    return [...this.posts.values()].filter((post) => post.account_id === tenantId);
  }

  ofConnection(connectionId: string): PostRow[] {
    return [...this.posts.values()].filter((post) => post.connection_id === connectionId);
  }

  living(tenantId: string): ConnectionRow[] {
    return [...this.connections.values()].filter((row) => row.account_id === tenantId && row.deleted_at === null);
  }

  stopsOf(tenantId: string): StopRow[] {
    return [...this.stops.values()].filter((stop) => stop.account_id === tenantId);
  }

  /** Whether an active stop is about what this key has created. */
  isStopped(tenantId: string, keyId: string): boolean {
    return this.stopsOf(tenantId).some(({ kind, target_id: target }) => kind === 'account' || target === keyId);
  }

  /** Whether an active stop is about the key itself, which then moves no posts. */
  isKeyStopped(tenantId: string, keyId: string): boolean {
    return this.stopsOf(tenantId).some(({ target_id: target }) => target === keyId);
  }

  /** Live posts that were sent on the UTC day of `at`, and those in progress. */
  usedToday(tenantId: string, at: number): number {
    const since = Math.floor(at / DAY_MS) * DAY_MS;
    return this.ofTenant(tenantId).filter(
      ({ mode, status, sent_at }) =>
        mode === 'live' && (status === 'processing' || (sent_at !== null && ms(sent_at) >= since)),
    ).length;
  }

  /** Connections that exist and sent within 30 days, or are sending. */
  active(tenantId: string, at: number): string[] {
    const since = at - 30 * DAY_MS;
    const used = this.ofTenant(tenantId)
      .filter(
        ({ mode, status, sent_at }) =>
          mode === 'live' && (status === 'processing' || (sent_at !== null && ms(sent_at) > since)),
      )
      .map((post) => post.connection_id);
    return [...new Set(used)].filter((id) => this.connections.get(id)?.deleted_at === null);
  }
}

/** Names what a platform has of the posts with a mark. */
export function onPlatform(platformId: string, mark: string): string {
  return `${platformId} ${mark}`;
}

/** The mark that distinguishes the texts of a simulation, such as `#17`. */
export function markerOf(text: string): string {
  return /#\d+/.exec(text)?.[0] ?? '#?';
}
