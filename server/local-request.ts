/** Whether a request was made on this machine, for it, and by no proxy: what may see the numbers of a process, or operate it. */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Headers by which proxies tell whom they speak for. */
const FORWARDING =
  /^(?:forwarded|via|x-forwarded(?:-.+)?|x-real-ip|x-client-ip|x-cluster-client-ip|cf-connecting-ip|true-client-ip)$/;

/** A proxy that says nothing of itself is told by its Host alone: it is asked for by a name that is not this machine's. */
export function isLocalRequest(request: IncomingMessage): boolean {
  if (Object.keys(request.headers).some((name) => FORWARDING.test(name))) return false;
  return isLoopback(request.socket.remoteAddress ?? '') && isLocalHost(request.headers.host ?? '');
}

function isLocalHost(host: string): boolean {
  const hostname = URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  return hostname === 'localhost' || isLoopback(hostname);
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
