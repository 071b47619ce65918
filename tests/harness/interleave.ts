/** A deterministic race: the concurrent action runs right after the code under test has read. */
import type { Kysely, CompiledQuery } from 'kysely';
import type { Context } from '../../services/context.ts';

/** A context that runs `happening` after its first query and before that query's answer; the rest is unchanged. */
export function afterFirstQuery(context: Context, happening: () => Promise<unknown>): Context {
  let happened = false;
  const em = () => {
    const real = context.db.em();
    if (happened) return real;
    const executeQuery = async (compiled: CompiledQuery) => {
      const result = await (real.getKysely() as Kysely<unknown>).executeQuery(compiled);
      if (!happened) {
        happened = true;
        await happening();
      }
      return result;
    };
    return { getKysely: () => ({ executeQuery }) } as unknown as typeof real;
  };
  return { ...context, db: { ...context.db, em } };
}
