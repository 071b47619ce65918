/** A software authenticator that holds passkeys: ES256, no attestation, a counter (Web Authentication, 6 and 7). */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Authenticator {
  /** Creates a passkey from the options of the page; returns what the script would send. */
  create(options: CreationOptions, over?: Partial<Client>): string;
  /** Signs in with the passkey it created last. */
  get(options: RequestOptions, over?: Partial<Client> & { readonly counter?: number }): string;
}

interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
}

interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

/** What the browser adds, and what a hostile one could change. */
interface Client {
  readonly origin: string;
  readonly challenge: string;
  readonly rpId: string;
  /** Whether the user was verified, by fingerprint or PIN. */
  readonly verified: boolean;
}

export function openAuthenticator(origin: string): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(20);
  let counter = 0;

  const authData = (rpId: string, verified: boolean, count: number, attested: Buffer = Buffer.alloc(0)) => {
    const flags = 0x01 | (verified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
    const number = Buffer.alloc(4);
    number.writeUInt32BE(count);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), number, attested]);
  };
  const clientData = (type: string, client: Client) =>
    Buffer.from(JSON.stringify({ type, challenge: client.challenge, origin: client.origin, crossOrigin: false }));
  const answer = (response: Record<string, Buffer>) => {
    const id = credentialId.toString('base64url');
    const encoded = Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')]);
    const more = { type: 'public-key', clientExtensionResults: {} };
    return JSON.stringify({ id, rawId: id, ...more, response: Object.fromEntries(encoded) as unknown });
  };

  return {
    create: ({ challenge, rp }, over = {}) => {
      const client = { origin, challenge, rpId: rp.id, verified: true, ...over };
      const length = Buffer.from([0, credentialId.length]);
      const attested = Buffer.concat([
        Buffer.alloc(16),
        length,
        credentialId,
        coseKey(publicKey.export({ format: 'jwk' })),
      ]);
      const data = authData(client.rpId, client.verified, counter, attested);
      // {"fmt": "none", "attStmt": {}, "authData": …}
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        text('fmt'),
        text('none'),
        text('attStmt'),
        Buffer.from([0xa0]),
        text('authData'),
        bytes(data),
      ]);
      return answer({ clientDataJSON: clientData('webauthn.create', client), attestationObject });
    },
    get: ({ challenge, rpId }, over = {}) => {
      counter += 1;
      const client = { origin, challenge, rpId, verified: true, counter, ...over };
      const authenticatorData = authData(client.rpId, client.verified, client.counter);
      const clientDataJSON = clientData('webauthn.get', client);
      const signature = sign(
        'sha256',
        Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()]),
        privateKey,
      );
      return answer({ clientDataJSON, authenticatorData, signature });
    },
  };
}

/** {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y} */
function coseKey({ x = '', y = '' }: { x?: string; y?: string }): Buffer {
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]);
  return Buffer.concat([
    head,
    bytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    bytes(Buffer.from(y, 'base64url')),
  ]);
}

/** CBOR of a short text. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
}

/** CBOR of up to 255 bytes. */
function bytes(value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x58, value.length]), value]);
}

function sha256(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
