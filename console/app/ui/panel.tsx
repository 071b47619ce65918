/** A part of a view with a heading. */
import { type ReactNode, useId } from 'react';

export interface PanelProps {
  readonly title: string;
  /** Beside the heading, such as a link to all of it. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({ title, aside, children }: PanelProps) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
