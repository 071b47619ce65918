/** Addresses of resources for one object. */

export const POST_URI = 'carillon://posts/{postId}';
export const CONNECTION_URI = 'carillon://connections/{slug}';

export function postUri(postId: string): string {
  return POST_URI.replace('{postId}', postId);
}
