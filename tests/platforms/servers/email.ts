/** A mail server and a recipient. */
import { MAILBOX, type MailFault, startFakeMail } from '../fakes/fake-mail.ts';
import type { PlatformServer, ServerImage, PlatformServerOptions } from './platform-server.ts';

export async function startEmailServer({ port }: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeMail({ port });

  return {
    platformId: 'email',
    maxLength: 50_000,
    maxFamilies: 7_142,
    credentials: { to: 'reader@bells.example' },
    hasNoReadBack: true,
    env: { SMTP_URL: fake.url, SMTP_FROM: MAILBOX.from },
    textMeeting: (fault, text) => {
      fake.faults.push(fault as MailFault);
      return text;
    },
    existing: async () => fake.messages().map(({ raw }) => partOf(raw, /^content-type: text\/plain/im)),
    revoke: null,
    lastImages: async () => imagesOf(fake.messages().at(-1)?.raw ?? ''),
    close: () => fake.close(),
  };
}

/** Decodes a part of a message from quoted-printable or base64. */
function partOf(raw: string, type: RegExp): string {
  const part = raw.split(/\r\n--[^\r\n]+\r\n/).find((one) => type.test(one)) ?? '';
  const [head = '', ...body] = part.split('\r\n\r\n');
  const encoded = body.join('\r\n\r\n');
  if (/base64/i.test(head)) return Buffer.from(encoded, 'base64').toString().trimEnd();
  const bytes = encoded
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return (/quoted-printable/i.test(head) ? Buffer.from(bytes, 'latin1').toString() : encoded).trimEnd();
}

function imagesOf(raw: string): ServerImage[] {
  const html = partOf(raw, /^content-type: text\/html/im);
  return [...html.matchAll(/<img [^>]*alt="([^"]*)"/g)].map(([, altText = '']) => ({ altText }));
}
