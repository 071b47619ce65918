/** Parses directives in double brackets, by which a text scripts the sandbox (docs/contract/platforms.md#sandbox). */

/** The behavior that a text requests of the sandbox. */
export interface Directives {
  readonly reject: boolean;
  readonly unavailable: boolean;
  readonly reconnect: boolean;
  /** Milliseconds to wait before the post is accepted; 0 by default. */
  readonly slowMs: number;
  readonly lost: boolean;
  readonly vanish: boolean;
  readonly refuseDelete: boolean;
}

export function readDirectives(text: string): Directives {
  const has = (word: string) => text.includes(`[[${word}]]`);
  return {
    reject: has('reject'),
    unavailable: has('unavailable'),
    reconnect: has('reconnect'),
    slowMs: Number(/\[\[slow (\d{1,6})\]\]/.exec(text)?.[1] ?? 0),
    lost: has('lost'),
    vanish: has('vanish'),
    refuseDelete: has('refuse-delete'),
  };
}
