import { describe, expect, test } from 'vitest'
import { findMissingSpeakerType } from '../../../transforms/guards/speaker-type.ts'
import { engines } from '../../support/engines.ts'
import { INTEGRATION, insertStaged, runId, type StagedRows } from '../../support/staged.ts'
import { takenBack, useDatabase } from '../../support/use-database.ts'

const type = (source_id: string, name: string | null, more = {}): StagedRows => ({
  'staging.b_reg_types': [{ source_id, name, name_folded: name?.toLowerCase() ?? null, ...more }],
})
const registrant = (id: string | null, value: string | null): StagedRows => ({
  'staging.b_registrants': [
    {
      source_id: '7',
      reg_type_id: id,
      reg_type_value: value,
      reg_type_folded: (value ?? id)?.toLowerCase() ?? null,
    },
  ],
})

describe.each(engines)('the speaker type on %s', (engine) => {
  const database = useDatabase(engine)
  const holdOf = (rows: StagedRows, wanted: string) =>
    takenBack(database(), async (transaction) => {
      await insertStaged(transaction, rows)
      return findMissingSpeakerType(transaction, INTEGRATION, wanted)
    })

  test.each([
    ['a type of that name', type('20', 'Speaker'), 'Speaker'],
    ['a type of that name in other case', type('20', 'SPEAKER'), ' speaker '],
    ['a type of that id', type('20', 'Redner'), '20'],
    ['a registrant that names the type itself', registrant('20', 'speaker'), 'Speaker'],
    ['a registrant whose type is that bare text', registrant('Speaker', null), 'speaker'],
    ['a registrant whose type has that id', registrant('20', 'Redner'), '20'],
  ])('exists: %s', async (_, rows, wanted) => {
    expect(await holdOf(rows, wanted)).toBeNull()
  })

  test.each([
    ['nothing at all', {}, 'Speaker'],
    ['other types', { ...type('20', 'Attendee'), ...registrant('20', 'Attendee') }, 'Speaker'],
    ['a type of another integration', type('20', 'Speaker', { integration_id: 'expo' }), 'Speaker'],
    ['a type that is gone', type('20', 'Speaker', { valid_to_run: runId(2) }), 'Speaker'],
    ['a type without a name', type('20', null), 'Speaker'],
  ])('if the speaker type is missing, the plan is held: %s', async (_, rows, wanted) => {
    const hold = await holdOf(rows, wanted)
    expect(hold?.guard).toBe('speakerType')
    expect(hold?.detail).toContain(`no registrant type "${wanted}"`)
  })
})
