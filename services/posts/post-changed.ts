/** Thrown inside a transaction when a post is no longer in the expected state: another request has changed it. */
export class PostChanged extends Error {
  override name = 'PostChanged';
}
