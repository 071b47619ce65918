/**
 * A list of what is in progress, for work that comes and goes with each request.
 *
 * A Set or a Map would do the same, but V8 links each table that such a collection has outgrown to the next one. Once a
 * table is old, it keeps all later tables and their entries until the next full collection of garbage: here whole requests,
 * a megabyte of them at each small collection.
 */
export class InProgress<Item> implements Iterable<Item> {
  readonly #entries: Entry<Item>[] = [];

  /** @returns ends the item's membership; a second call does nothing */
  add(item: Item): () => void {
    const entry = { item, index: this.#entries.length };
    this.#entries.push(entry);
    return () => this.#remove(entry);
  }

  get size(): number {
    return this.#entries.length;
  }

  /** In no particular order. */
  *[Symbol.iterator](): Iterator<Item> {
    for (const { item } of this.#entries) yield item;
  }

  /** Moves the last entry to the free index, so that no entry is searched or shifted. */
  #remove(entry: Entry<Item>): void {
    if (entry.index === REMOVED) return;
    const last = this.#entries.pop();
    if (last !== undefined && last !== entry) {
      this.#entries[entry.index] = last;
      last.index = entry.index;
    }
    entry.index = REMOVED;
  }
}

interface Entry<Item> {
  readonly item: Item;
  index: number;
}

const REMOVED = -1;
