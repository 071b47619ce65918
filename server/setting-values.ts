/** Schemas of setting values. Their messages follow the name of a variable. */
import proxyAddress from 'proxy-addr';
import { z } from 'zod';
import { parseDatabaseUrl } from '../entities/database-hosts.ts';
import { SECRET_LETTERS } from '../services/keys/key-secret.ts';
import { emailAddress } from '../services/people/email-address.ts';
import { passwordProblem } from '../services/people/new-password.ts';
import { parseAllowList } from './outbound-addresses.ts';

export const apiKey = (type: 'live' | 'test') =>
  z
    .string()
    .regex(new RegExp(`^crl_${type}_${SECRET_LETTERS}$`), `must be crl_${type}_ and 32 to 200 letters or digits`);

export const encryptionKeys = z.string().transform((value, issue) => {
  const keys = value.split(',').map((key) => Buffer.from(key.trim(), 'base64'));
  if (keys.some((key) => key.length !== 32)) {
    issue.addIssue({ code: 'custom', message: 'must be comma-separated base64 keys of 32 bytes each' });
    return z.NEVER;
  }
  return keys;
});

/** A value that `parse` reads. The error that `parse` throws says what is wrong. */
export const readBy = <Value>(parse: (value: string) => Value) =>
  z.string().transform((value, issue): Value => {
    try {
      return parse(value);
    } catch (error) {
      issue.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

/** Checked at the start and passed on as it is: the database reads it. */
export const databaseUrl = readBy((value) => {
  parseDatabaseUrl(value);
  return value;
});

export const cidrs = readBy((value) => {
  const entries = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  parseAllowList(entries);
  return entries;
});

export const ownerEmail = z.string().transform((value, issue): string => {
  const address = emailAddress(value);
  if (address !== null) return address;
  issue.addIssue({ code: 'custom', message: 'must be an address such as you@bells.example' });
  return z.NEVER;
});

export const ownerPassword = z.string().superRefine((value, issue) => {
  const problem = passwordProblem(value);
  if (problem !== null) issue.addIssue({ code: 'custom', message: problem });
});

/** Express's trust-proxy setting: a number of hops, true or false, or addresses and subnets. */
export const trustProxy = z.string().transform((value, issue): boolean | number | string => {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^\d+$/.test(value)) return Number(value);
  for (const proxy of value.split(',').map((address) => address.trim())) {
    if (isProxy(proxy)) continue;
    const message = `'${proxy}' is neither a number of proxies, true, false, an IP address nor a network such as 10.0.0.0/8`;
    issue.addIssue({ code: 'custom', message });
    return z.NEVER;
  }
  return value;
});

/** The name of a group of networks, such as `loopback`, counts too. */
function isProxy(address: string): boolean {
  try {
    proxyAddress.compile(address);
    return true;
  } catch {
    return false;
  }
}

/** A number in digits. The pattern bounds it. */
export const digits = (pattern: RegExp, message: string) => z.string().regex(pattern, message).transform(Number);
