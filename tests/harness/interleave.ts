/** A race made certain: what the other one does happens right after this one has looked. */
import type { Kysely, CompiledQuery } from 'kysely';
import type { Context } from '../../services/context.ts';

/** A context whose first query is followed by `happening` before its answer arrives; the rest is as usual. */
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
