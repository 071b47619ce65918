/** The model that rewrites texts, as the rest of the house sees it; server/openai-polisher.ts is the one behind HTTP. */

/** What the model is told, and what it is given. */
export interface PolishRequest {
  readonly instructions: string;
  /** The text, between its delimiters. */
  readonly material: string;
}

export interface Polisher {
  /** @throws PolishFailure, or whatever the signal aborted with */
  rewrite(request: PolishRequest, signal: AbortSignal): Promise<string>;
}

/** Why there is no rewrite. Its message is a sentence for the caller: it holds no text, no secret and nothing that the model said. */
export class PolishFailure extends Error {
  override name = 'PolishFailure';
  /** More for the operator's log, under the same rule. */
  readonly detail: string | undefined;

  constructor(message: string, detail?: string) {
    super(message);
    this.detail = detail;
  }
}
