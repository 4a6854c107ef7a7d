import { expect, test } from 'vitest'
import { originsOfColumn } from '../../transforms/decide/lineage.ts'
import { shownKeys } from '../../transforms/declare/column.ts'
import { reasonOfRule, SUPPRESSED } from '../../transforms/declare/exclude.ts'
import type { Excluded, ExclusionReason, StagedRecords } from '../../transforms/declare/field.ts'
import {
  REMOVAL_REASONS,
  reasonInWords,
  removedBecause,
  removedInPlainWords,
  severalRemovedBecause,
} from '../../transforms/declare/reasons.ts'
import type { StagingTables } from '../../transforms/declare/resource.ts'
import { warningsOf } from '../../transforms/plan/warnings.ts'
import { transformA } from '../../transforms/source-a/index.ts'
import { transformB } from '../../transforms/source-b/index.ts'
import { DEFAULTS as optionsOfA } from './source-a/options.ts'
import { DEFAULTS as optionsOfB } from './source-b/options.ts'

const a = {
  name: 'a',
  transform: transformA,
  explain: (excluded: Excluded) => transformA.explainExclusion(excluded, optionsOfA),
}
const b = {
  name: 'b',
  transform: transformB,
  explain: (excluded: Excluded) => transformB.explainExclusion(excluded, optionsOfB),
}

const keysOf = ({ columns }: ExclusionReason) => columns.flatMap(shownKeys)

/** Every reason for which a source can leave out a record of a content. */
const REASONS = [a, b].flatMap((source) =>
  source.transform.contents.flatMap(({ content, exclusions, fields, uniqueId }) => {
    const required = Object.entries({ ...fields, uniqueId }).filter(([, { isMissing }]) => isMissing)
    const missing = required.map(([field]) => `missing_required:${field}`)
    const reasons = [...exclusions.map(({ reason }) => reason), ...missing]
    return reasons.map((reason) => ({ source, name: source.name, content, reason }))
  }),
)

test.each(REASONS)(
  'source $name, $content: the reason $reason is explained, with columns that come from the source',
  ({ source, content, reason }) => {
    const { why, todo, columns } = source.explain({ content, reason, records: {} })
    expect([why, todo]).not.toContain('')
    expect(columns).not.toEqual([])
    for (const { table, name } of columns)
      expect(originsOfColumn(source.transform, [table as keyof StagingTables, name])).not.toEqual([])
    expect(removedBecause(reason)).not.toBe('its record does not qualify')
    expect(severalRemovedBecause(reason)).not.toBe('their records do not qualify')
    expect(severalRemovedBecause(reason)).not.toMatch(/\b(?:it|its)\b/)
    expect(reasonInWords(reason)).toMatch(/^[a-z1]/)
  },
)

/** Words that an organiser does not know: they are about this product, its configuration or its systems. */
const JARGON = /record|source|platform|configur|sync|suppress|quarantin|qualif|exclu|1:1|\bit\b/

test('every reason for which an item can be removed has words that an organiser understands', () => {
  const ofSources = REASONS.map(({ reason }) => reason.replace(/:.*/, ''))
  const own = [
    ...['removed_at_source', 'forgotten', 'rolled_back', 'source_reason'],
    ...[SUPPRESSED, reasonOfRule('').replace(':', '')],
  ]
  expect(new Set(REMOVAL_REASONS)).toEqual(new Set([...ofSources, ...own]))
  const unknown = removedInPlainWords('of a source that is not known')
  for (const reason of REMOVAL_REASONS) {
    const words = removedInPlainWords(`${reason}:lastName`)
    expect(words, reason).not.toBe(unknown)
    expect(words, reason).toMatch(/^[a-z].{20,}[a-z]$/)
    expect(words, reason).not.toMatch(JARGON)
  }
  expect(unknown).not.toMatch(JARGON)
})

test('the explanation of a hidden session names exactly the flags that hide it', () => {
  const hides = (enabled: boolean | null, visible: boolean, options: Partial<typeof optionsOfA> = {}) => {
    const session = { enabled, visible_to_anonymous_users: visible }
    const records = { 'staging.a_sessions': session } as StagedRecords
    const excluded: Excluded = { content: 'agenda', reason: 'not_published', records }
    const explained = transformA.explainExclusion(excluded, { ...optionsOfA, ...options })
    return [explained.why.replace(/.*: /, ''), ...keysOf(explained)]
  }
  const [ENABLED, VISIBLE] = ['Enabled', 'VisibleToAnonymousUsers']
  expect(hides(false, false)).toEqual([`${ENABLED} and ${VISIBLE} are false.`, ENABLED, VISIBLE])
  expect(hides(false, true)).toEqual([`${ENABLED} is false.`, ENABLED])
  expect(hides(null, false)).toEqual([`${VISIBLE} is false.`, VISIBLE])
  const published = { includeHidden: true, sessionStatuses: ['Accepted', 'Done'] }
  expect(hides(false, false, published)).toEqual(['Accepted, Done).', 'Status'])
})

test('the explanation of a reason names all columns that decide, with the columns on which times or speakers depend', () => {
  const bad = { content: 'agenda', reason: 'bad_time', records: {} } as const
  expect(keysOf(a.explain(bad))).toEqual(['TimeSlotId', 'StartTime', 'EndTime'])
  expect(keysOf(b.explain(bad))).toEqual(['date', 'start_time', 'date', 'end_time', 'timezone'])
  const silent = { content: 'speakers', reason: 'not_a_speaker', records: {} } as const
  const asked = { listed: ['SpeakingAt'], role: ['Roles'], both: ['Roles', 'SpeakingAt'] }
  for (const speakers of ['listed', 'role', 'both'] as const) {
    const explained = transformA.explainExclusion(silent, { ...optionsOfA, speakers })
    expect(keysOf(explained)).toEqual(asked[speakers])
  }
})

test('every warning is explained in words', () => {
  expect(warningsOf('')).toEqual([])
  const detail =
    'ambiguous_time:startTime; dangling_reference:location; left_out:linkUrls; not_synced:attendeeId=1; not_synced:sessionIds=12; not_text:name; unsupported_character:name'
  const warnings = warningsOf(detail)
  expect(warnings.map(({ warning }) => warning).join('; ')).toBe(detail)
  for (const { text } of warnings) expect(text.length).toBeGreaterThan(20)
  expect(warnings[4]).toEqual({
    warning: 'not_synced:sessionIds=12',
    kind: 'not_synced',
    field: 'sessionIds',
    text: '12 references are left out, since their items are not synced',
  })
})
