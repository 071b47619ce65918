/**
 * Mails the link of an invitation, once and at once. It is not stored for a worker, because the link is a secret that the
 * database must not contain.
 */
import type { Role } from '../../entities/owner.ts';
import { MailFailure } from '../../platforms/mail.ts';
import type { Context } from '../context.ts';

/** Timeout of the mail server, in real milliseconds. */
const SESSION_MS = 10_000;

/** `off`: no mail server is configured. `failed`: it may not have arrived, so the owner passes the link on. */
export type MailOutcome = 'sent' | 'failed' | 'off';

export interface InvitationMail {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly expiresAt: Date;
  readonly url: string;
  /** Address of the owner who invites. */
  readonly from: string;
}

export async function mailInvitation(context: Context, invitation: InvitationMail): Promise<MailOutcome> {
  const { mail } = context;
  if (mail === null) return 'off';
  const { id, email: to, role, url, from, expiresAt } = invitation;
  const text = [
    `${from} invites you to an account of Carillon at ${context.config.publicUrl}, as ${role}.`,
    '',
    `Choose a password here: ${url}`,
    '',
    `The link works once, until ${expiresAt.toISOString()}. If you do not expect it, ignore this mail.`,
    '',
  ].join('\n');
  const message = { messageId: `<${id}@${mail.domain}>`, date: context.clock.now(), to, text, images: [] };
  try {
    await mail.send({ ...message, subject: 'An invitation to Carillon' }, context.clock.deadline(SESSION_MS));
    return 'sent';
  } catch (error) {
    // The error may contain the address, so it is not logged.
    const stage = error instanceof MailFailure ? error.stage : null;
    context.log.warn({ invitation: id, stage }, 'an invitation was not mailed');
    return 'failed';
  }
}
