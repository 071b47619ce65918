/** The address of the machine that makes a request, behind the proxies that TRUST_PROXY names. */
import type { IncomingMessage } from 'node:http';
import proxyAddress from 'proxy-addr';
import type { Config } from '../services/config.ts';
import { withoutPort } from '../services/limits/without-port.ts';

/** Whether the machine at an address is a proxy of this install; `hop` is 0 for the one that connects. */
type IsTrusted = (address: string, hop: number) => boolean;

export interface ClientAddresses {
  readonly isTrusted: IsTrusted;
  /** As the connection or a proxy gives it, so it may have a port. */
  of(request: IncomingMessage): string;
}

export function clientAddresses({ trustProxy = false }: Pick<Config, 'trustProxy'>): ClientAddresses {
  const isTrusted = trust(trustProxy);
  return { isTrusted, of: (request) => proxyAddress(request, isTrusted) };
}

function trust(setting: boolean | number | string): IsTrusted {
  if (typeof setting === 'boolean') return () => setting;
  if (typeof setting === 'number') return (_address, hop) => hop < setting;
  const isListed = proxyAddress.compile(setting.split(',').map((address) => address.trim()));
  return (address, hop) => isListed(withoutPort(address), hop);
}
