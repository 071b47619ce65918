/**
 * The metrics of a sandbox post: a fixed curve over its age, so that the values are predictable
 * (docs/contract/platforms.md#sandbox).
 */
import type { PostMetrics } from '../contract.ts';

const HOUR_MS = 3_600_000;

/** The final value of each metric, and the hours after which it reaches half of that. */
const CURVES = {
  likes: { whole: 120, halfAfter: 24 },
  reposts: { whole: 30, halfAfter: 36 },
  replies: { whole: 18, halfAfter: 48 },
} as const;

export function metricsAt(sentAt: Date, now: Date): PostMetrics {
  const hours = Math.max(0, now.getTime() - sentAt.getTime()) / HOUR_MS;
  const grown = ({ whole, halfAfter }: { whole: number; halfAfter: number }) =>
    Math.floor((whole * hours) / (hours + halfAfter));
  return { likes: grown(CURVES.likes), reposts: grown(CURVES.reposts), replies: grown(CURVES.replies) };
}
