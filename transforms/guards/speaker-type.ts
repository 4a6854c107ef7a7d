import type { Db } from '../../sql/tables.ts'
import type { GuardFinding } from './guard-finding.ts'

/**
 * Holds a plan for approval if Source B has no registrant type with the configured name. Without the guard, a
 * wrong or renamed type would remove all speakers.
 *
 * @param wanted name or id of the registrant type in the configuration
 */
export async function findMissingSpeakerType(
  db: Db,
  integrationId: string,
  wanted: string,
): Promise<GuardFinding | null> {
  const folded = wanted.trim().toLowerCase()
  const type = await db
    .selectFrom('staging.b_reg_types')
    .where(({ and }) => and({ integration_id: integrationId, valid_to_run: null }))
    .where((eb) => eb.or([eb('name_folded', '=', folded), eb('source_id', '=', wanted.trim())]))
    .select('source_id')
    .limit(1)
    .executeTakeFirst()
  const registrant = await db
    .selectFrom('staging.b_registrants')
    .where(({ and }) => and({ integration_id: integrationId, valid_to_run: null }))
    .where((eb) => eb.or([eb('reg_type_folded', '=', folded), eb('reg_type_id', '=', wanted.trim())]))
    .select('source_id')
    .limit(1)
    .executeTakeFirst()
  if (type !== undefined || registrant !== undefined) return null
  return {
    guard: 'speakerType',
    detail: `the source has no registrant type "${wanted}", so nobody would be a speaker`,
    todo: 'Create it at the source, or set source.speakerRegistrantType to its name or id.',
    // A plan with many removed speakers is harmful in two ways: sessions would also lose their references to
    // the speakers.
    onlyRemovals: false,
  }
}
