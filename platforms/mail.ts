/** The operator's mail server, as an adapter uses it. */

/** One message to one address. */
export interface MailMessage {
  /** With angle brackets. */
  readonly messageId: string;
  readonly date: Date;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** If absent, the message is plain text. */
  readonly html?: string;
  /** Images that `html` references by `cid:`. */
  readonly images: readonly MailImage[];
}

export interface MailImage {
  readonly cid: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** The mail server that the operator configured, and the sender address. */
export interface MailServer {
  /** Domain of the sender address. */
  readonly domain: string;
  /** The credential for the server: must never be shown or logged. */
  readonly secrets: readonly string[];
  /** Connects, authenticates and disconnects. Throws MailFailure. */
  verify(signal: AbortSignal): Promise<void>;
  /** Sends one message. Throws MailFailure. */
  send(message: MailMessage, signal: AbortSignal): Promise<void>;
}

/**
 * The stage at which a message failed. `session`: at the latest during authentication or the sender's address.
 * `recipient`: during the recipient's address. `message`: during the transfer of the message.
 */
export type MailStage = 'session' | 'recipient' | 'message';

/** Thrown when the mail server does not accept a message. */
export class MailFailure extends Error {
  override name = 'MailFailure';
  readonly stage: MailStage;
  /** The server's reply code, such as 550; null when it did not reply. */
  readonly reply: number | null;

  constructor(stage: MailStage, reply: number | null, message: string, cause?: unknown) {
    super(message, { cause });
    this.stage = stage;
    this.reply = reply;
  }
}
