/** Gives a process another time than the machine has. */

/** The `NODE_OPTIONS` that shift the clock of a process by this many minutes. */
export function minutesAhead(minutes: number): string {
  return patchDate(`const by = ${minutes * 60_000};`);
}

/** The `NODE_OPTIONS` with which each SIGUSR2 sets the clock of a process by the next of these numbers of minutes. */
export function stepsOnSignal(...minutes: readonly number[]): string {
  return patchDate(`let by = 0; const steps = ${JSON.stringify(minutes)};
    process.on('SIGUSR2', () => { by += (steps.shift() ?? 0) * 60_000; });`);
}

function patchDate(by: string): string {
  const patch = `const Real = Date; ${by}
    globalThis.Date = class extends Real {
      constructor(...given) { given.length === 0 ? super(Real.now() + by) : super(...given); }
      static now() { return Real.now() + by; }
    };`;
  return `--import data:text/javascript,${encodeURIComponent(patch)}`;
}
