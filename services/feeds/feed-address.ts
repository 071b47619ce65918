/** Validates the address of a feed, as far as that is possible without asking it. */
import { ServiceError } from '../../errors/service-error.ts';

/** Most characters of an address. */
export const FEED_URL_MAX = 2_000;

/** @throws ServiceError invalid_request when it is no http(s) address, or names a user */
export function requireFeedAddress(text: string): void {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ServiceError('invalid_request', 'url: expected an address such as https://bells.example/feed.xml.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new ServiceError('invalid_request', 'url: expected an address without user name and password.');
  }
}
