/** Gives a process another time than the machine has. */

/** The `NODE_OPTIONS` that shift the clock of a process by this many minutes. */
export function minutesAhead(minutes: number): string {
  const patch = `const Real = Date; const by = ${minutes * 60_000};
    globalThis.Date = class extends Real {
      constructor(...given) { given.length === 0 ? super(Real.now() + by) : super(...given); }
      static now() { return Real.now() + by; }
    };`;
  return `--import data:text/javascript,${encodeURIComponent(patch)}`;
}
