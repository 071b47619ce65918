/**
 * Whether a request came from this machine, is addressed to it, and passed no proxy. Only such requests may read
 * process metrics or operator endpoints.
 */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Headers in which proxies name the client. */
const FORWARDING =
  /^(?:forwarded|via|x-forwarded(?:-.+)?|x-real-ip|x-client-ip|x-cluster-client-ip|cf-connecting-ip|true-client-ip)$/;

/** A proxy that adds no such header is recognised by the Host header alone: it names a host other than this machine. */
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
