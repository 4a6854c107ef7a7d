import type { Database } from '../../sql/database.ts'
import type { IntegrationConfig } from '../config/config.ts'
import type { BaseContext } from '../context/run-context.ts'
import { findRefusal } from '../run/refusal.ts'
import { type Finding, failed, ok, type Rule } from '../sources/contract/findings.ts'

const RULE: Rule = {
  id: 'ledger',
  sentence: 'the database is as new as its packs and its platform, to which nobody else writes',
  clause: null,
}

/**
 * Says whether the next run could go on from what the database has of earlier ones.
 *
 * @param canAsk whether the platform answers
 */
export async function ledgerFinding(
  context: BaseContext,
  integration: IntegrationConfig,
  database: Database,
  canAsk: boolean,
): Promise<Finding> {
  const refusal = await findRefusal({ ...context, database }, integration, canAsk)
  return refusal === null
    ? ok(RULE, 'the database is as new as its packs, and as the platform where that can be asked')
    : failed(RULE, refusal.what, refusal.todo)
}
