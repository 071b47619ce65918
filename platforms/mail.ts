/** Handing a message to the operator's mail server, as an adapter sees it. */

/** One message to one address. */
export interface MailMessage {
  /** With angle brackets. */
  readonly messageId: string;
  readonly date: Date;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Left out, the message is plain text. */
  readonly html?: string;
  /** Images that `html` names by `cid:`. */
  readonly images: readonly MailImage[];
}

export interface MailImage {
  readonly cid: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** The mail server that the operator has set up, and the address that messages come from. */
export interface MailServer {
  /** Domain of the address that messages come from. */
  readonly domain: string;
  /** Connects, logs in and leaves. Throws MailFailure. */
  verify(signal: AbortSignal): Promise<void>;
  /** Hands one message over. Throws MailFailure. */
  send(message: MailMessage, signal: AbortSignal): Promise<void>;
}

/**
 * How far a message came that was not handed over. `session`: no further than the login or the sender's
 * address. `recipient`: its address was being named. `message`: the message was being handed over.
 */
export type MailStage = 'session' | 'recipient' | 'message';

/** Thrown by a mail server that did not take a message. */
export class MailFailure extends Error {
  override name = 'MailFailure';
  readonly stage: MailStage;
  /** The server's reply, such as 550; null when there was none. */
  readonly reply: number | null;

  constructor(stage: MailStage, reply: number | null, message: string, cause?: unknown) {
    super(message, { cause });
    this.stage = stage;
    this.reply = reply;
  }
}
