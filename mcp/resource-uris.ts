/** Addresses of the resources that change with the caller's objects. */

export const APPROVALS_URI = 'carillon://approvals';
export const CONNECTIONS_URI = 'carillon://connections';
export const POST_URI = 'carillon://posts/{postId}';
export const CONNECTION_URI = 'carillon://connections/{slug}';

export function postUri(postId: string): string {
  return POST_URI.replace('{postId}', postId);
}

export function connectionUri(slug: string): string {
  return CONNECTION_URI.replace('{slug}', slug);
}
