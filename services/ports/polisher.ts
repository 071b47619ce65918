/** The interface of the model that rewrites texts and describes images; server/openai-polisher.ts implements it over HTTP. */

/** The instructions and the input of the model. */
export interface PolishRequest {
  readonly instructions: string;
  /** The text, between its delimiters. */
  readonly material: string;
  /** Only for a model that sees images. */
  readonly image?: { readonly contentType: string; readonly bytes: Uint8Array };
}

export interface Polisher {
  /** Whether the operator declared that the model takes images. */
  readonly seesImages: boolean;
  /** @throws PolishFailure, or the abort reason of the signal */
  ask(request: PolishRequest, signal: AbortSignal): Promise<string>;
}

/**
 * Why there is no usable answer. Its message is a sentence for the caller: it contains no text, no secret and no output of the
 * model.
 */
export class PolishFailure extends Error {
  override name = 'PolishFailure';
  /** Details for the operator's log, under the same rule. */
  readonly detail: string | undefined;

  constructor(message: string, detail?: string) {
    super(message);
    this.detail = detail;
  }
}
