/**
 * Answers of tests are those of the product. A validated answer is a copy in the order of its schema. The product validates
 * none (routers/trust-outputs.ts), so only its callers would see fields in another order than the API document has.
 */
import { operations } from '../../routers/operations.ts';

interface Answer {
  readonly ok: boolean;
  readonly data?: unknown;
}

interface Call {
  readonly path: string;
  readonly next: () => Promise<Answer>;
}

interface Step {
  (call: Call): Promise<Answer>;
  /** tRPC marks the step that validates the answer. */
  readonly _type?: string;
}

const misordered: string[] = [];

/** The answers since the last call whose fields were not in the order of their schema. */
export function takeMisordered(): string[] {
  return misordered.splice(0);
}

/** Validates the answers of all operations, the order of their fields included, and sends them as they are. */
export function checkAnswers(): void {
  for (const { procedure } of operations) {
    const { middlewares } = procedure._def as unknown as { readonly middlewares: Step[] };
    const index = middlewares.findIndex(({ _type }) => _type === 'output');
    const validate = middlewares[index];
    if (validate !== undefined) middlewares[index] = withOrder(validate);
  }
}

function withOrder(validate: Step): Step {
  return async (call) => {
    let sent: Answer = { ok: true };
    const validated = await validate({ ...call, next: async () => (sent = await call.next()) });
    if (!validated.ok) return validated;
    const [actual, documented] = [JSON.stringify(sent.data), JSON.stringify(validated.data)];
    if (actual !== documented) misordered.push(`${call.path} answers ${actual}; its schema has ${documented}`);
    return sent;
  };
}
