/** A text with the words that were removed and added marked. */
import type { Difference } from './word-difference.ts';
import './marked-words.css';

export function MarkedWords({ parts }: { parts: readonly Difference[] }) {
  return (
    <p className="post-text marked-words" dir="auto">
      {parts.map(({ kind, text }, index) => {
        const key = `${index}`;
        if (kind === 'removed') return <del key={key}>{text}</del>;
        return kind === 'added' ? <ins key={key}>{text}</ins> : <span key={key}>{text}</span>;
      })}
    </p>
  );
}
