/** Headers that all static files have. */
import type { Response } from 'express';

/** Types of static files by the extension of their names. */
export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file that is opened as a page may do nothing, and other sites cannot embed it. */
export function setStaticHeaders(response: Response, contentType: string): void {
  response.setHeader('content-type', contentType);
  response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  response.setHeader('vary', 'accept-encoding');
}
