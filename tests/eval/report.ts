/** What a model reached: for each task, and in all. */
export interface Outcome {
  readonly task: string;
  readonly calls: number;
  readonly tokens: number;
  /** Why it was not done; null when it was. */
  readonly failure: string | null;
}

/** A line for each task, those that failed with the reason, and the sums. */
export function reportOf(outcomes: readonly Outcome[]): string {
  const lines = outcomes.map(({ task, calls, tokens, failure }) => {
    const counts = `${calls} calls, ${tokens} tokens`;
    return failure === null ? `passed  ${task} (${counts})` : `FAILED  ${task} (${counts}): ${firstLine(failure)}`;
  });
  const passed = outcomes.filter(({ failure }) => failure === null).length;
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const rate = Math.round((100 * passed) / Math.max(outcomes.length, 1));
  const calls = sum((outcome) => outcome.calls);
  const tokens = sum((outcome) => outcome.tokens);
  return [...lines, '', `${passed} of ${outcomes.length} passed (${rate} %), ${calls} calls, ${tokens} tokens`].join(
    '\n',
  );
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').slice(0, 200);
}
