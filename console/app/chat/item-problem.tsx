/** Why a post failed or would fail. What to do about it is the agent's to say, with its tools. */
import { TriangleAlert } from '../ui/icons.tsx';

export function ItemProblem({ error }: { error: { readonly code: string; readonly message: string } }) {
  return (
    <div className="problem">
      <p className="problem-message">
        <TriangleAlert aria-hidden size={18} />
        <span dir="auto">{error.message}</span>
      </p>
      <p className="hint">
        <code>{error.code}</code>
      </p>
    </div>
  );
}
