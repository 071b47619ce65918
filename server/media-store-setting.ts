/** Parses MEDIA_STORE: `file`, or `s3://bucket?endpoint=…&region=…&prefix=…`. */
import type { MediaStoreConfig } from '../services/config.ts';

const FORM =
  'must be file, or s3://bucket with endpoint, region and prefix as it needs them, such as s3://images?endpoint=http://127.0.0.1:9000';

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const REGION = /^[a-z0-9-]{1,40}$/;
const PREFIX = /^[A-Za-z0-9!_.*'()/-]{0,200}$/;

const PARAMETERS = ['endpoint', 'region', 'prefix'];

/** @throws Error whose message says what the setting must be */
export function parseMediaStore(value: string): MediaStoreConfig {
  if (value === 'file') return { kind: 'file' };
  const url = URL.parse(value);
  if (url?.protocol !== 's3:' || !['', '/'].includes(url.pathname) || url.hash !== '') throw new Error(FORM);
  if (url.username !== '' || url.password !== '') {
    throw new Error('must not carry credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead');
  }
  if (url.port !== '' || !BUCKET.test(url.hostname)) throw new Error(`"${url.host}" is not the name of a bucket`);
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not one of ${PARAMETERS.join(', ')}`);
  return {
    kind: 's3',
    bucket: url.hostname,
    endpoint: endpointOf(url.searchParams.get('endpoint')),
    region: checked('region', url.searchParams.get('region'), REGION),
    prefix: checked('prefix', url.searchParams.get('prefix'), PREFIX) ?? '',
  };
}

function endpointOf(value: string | null): string | undefined {
  if (value === null) return undefined;
  const url = URL.parse(value);
  const isOrigin = url !== null && ['http:', 'https:'].includes(url.protocol) && url.href === `${url.origin}/`;
  if (!isOrigin) throw new Error('its endpoint must be an origin such as https://s3.example.com, without a path');
  return url.origin;
}

function checked(name: string, value: string | null, form: RegExp): string | undefined {
  if (value === null || value === '') return undefined;
  if (!form.test(value))
    throw new Error(`its ${name} "${value.slice(0, 80)}" has characters that are not allowed there`);
  return value;
}
