/** What a view shows when there is nothing yet: what would be here, and how to begin. */
import type { ReactNode } from 'react';
import type { Icon } from './icon.tsx';

export interface EmptyStateProps {
  readonly icon: Icon;
  readonly title: string;
  readonly children: ReactNode;
  /** The first step, as a link or a button. */
  readonly action?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="empty">
      <Icon aria-hidden size={32} />
      <p className="empty-title">{title}</p>
      <p className="hint">{children}</p>
      {action !== undefined && <div className="actions">{action}</div>}
    </div>
  );
}
