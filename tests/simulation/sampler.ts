/** Repeatable randomness: every value follows from the seed, so a seed defines a whole history. */
import { createHash } from 'node:crypto';

export interface Sampler {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number, both bounds included. */
  int(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** As likely between 1 and 10 as between 100 and 1000, because short times are as interesting as long ones. */
  spread(least: number, most: number): number;
  /** One of the names, chosen by weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
}

export function createSampler(seed: string): Sampler {
  let thrown = 0;
  const next = () => {
    thrown += 1;
    return pseudoRandom(seed, String(thrown));
  };
  const pick = <Item>(items: readonly Item[]): Item => {
    if (items.length === 0) throw new Error('there is nothing to pick from');
    return items[Math.floor(next() * items.length)] as Item;
  };
  return {
    next,
    pick,
    int: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    spread: (least, most) => Math.round(least * (most / least) ** next()),
    weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => {
      const entries = Object.entries(weights) as [Name, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      return (entries.at(-1) as [Name, number])[0];
    },
  };
}

/** A number from 0 to below 1 that depends on these words only, and is the same on every call. */
export function pseudoRandom(...words: readonly string[]): number {
  return createHash('sha256').update(words.join('\n')).digest().readUInt32BE() / 2 ** 32;
}
