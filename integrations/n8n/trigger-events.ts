/** The events that start a workflow, with the names that people see. */
export const TRIGGER_EVENTS = [
  ['connection.created', 'Connection Created'],
  ['connection.removed', 'Connection Removed'],
  ['post.deleted', 'Post Deleted'],
  ['post.failed', 'Post Failed'],
  ['post.metrics', 'Post Metrics'],
  ['post.rescheduled', 'Post Rescheduled'],
  ['post.sent', 'Post Sent'],
] as const;
