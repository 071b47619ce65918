/** A page of the audit of an export, oldest first. */
import { ownerOfList } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import { entryView } from '../audit/list-audit.ts';
import { ENTRY_COLUMNS } from '../audit/store-entries.ts';
import { exportPage, type ReadPage } from './export-page.ts';

export const auditPage: ReadPage = async ({ db }, { accountId }, { after, until, limit }) => {
  const entries = await tables(db.queries)
    .selectFrom('audit_entries')
    .select(ENTRY_COLUMNS)
    .where('account_id', '=', ownerOfList(accountId))
    .$if(after !== null, (query) => query.where('id', '>', after as string))
    .where('id', '<=', until)
    .orderBy('account_id')
    .orderBy('id')
    .limit(limit)
    .execute();
  return exportPage(entries, limit, entryView);
};
