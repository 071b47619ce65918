/** Operations on the audit. */
import { router } from '../procedures.ts';
import { listAudit } from './list-audit.ts';

export const auditRouter = router({ list: listAudit });
