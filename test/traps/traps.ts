import { beforeAll, describe, expect, test } from 'vitest'
import type { Content } from '../../sql/tables.ts'
import { type Pack, readPack } from '../harness/read-pack.ts'
import type { Resources } from '../harness/serve-records.ts'
import { type Engine, engines } from '../support/engines.ts'
import { useOneFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'
import { type Setup, syncRecords } from './sync.ts'

/** The expected decision on one record for one content, and the expected fields. */
export interface Became {
  readonly decision: 'synced' | 'excluded' | 'quarantined'
  readonly reason: string | null
  readonly detail: string | null
  /** The unique ID; left out if it is equal to the source id. */
  readonly uniqueId?: string | null
  /** The platform fields that the trap checks; a field with the value `undefined` must be absent. */
  readonly fields: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** A trap: unusual records that a source may serve, and their expected results. */
export interface Trap {
  /** A sentence about behaviour. */
  readonly name: string
  readonly given: Resources
  /**
   * The expected results by `content sourceId`. If several records have one id, their results are in the
   * order of the source, and the last record is the one that is used.
   */
  readonly becomes: Readonly<Record<string, Became | readonly Became[]>>
}

export type Fields = Readonly<Record<string, unknown>>
type Outcome = Became | readonly Became[]

/**
 * The parts that traps of both sources have: further records, and the expected results of the session and the
 * person.
 */
export interface Told {
  readonly name: string
  /** Further complete records. */
  readonly also?: Resources
  /** Result of the session. */
  readonly agenda?: Outcome
  /** The expected result of the person as a speaker. */
  readonly speakers?: Outcome
  readonly attendees?: Outcome
  /** The expected results of other records, by `content sourceId`. */
  readonly becomes?: Trap['becomes']
}

/** @param own the trap's own records, including its session and its person */
export function toldTrap(told: Told, own: Resources, session: string, person: string): Trap {
  const { name, also = {}, agenda, speakers, attendees, becomes } = told
  return {
    name,
    given: joined([own, also]),
    becomes: {
      ...(agenda ? { [`agenda ${session}`]: agenda } : {}),
      ...(speakers ? { [`speakers ${person}`]: speakers } : {}),
      ...(attendees ? { [`attendees ${person}`]: attendees } : {}),
      ...becomes,
    },
  }
}

/** @param detail all expected warnings of the decision; any further warning is a fault */
export function synced(fields: Became['fields'] = {}, detail: string | null = null): Became {
  return { decision: 'synced', reason: null, detail, fields }
}

/** @param uniqueId given only if it differs from the source id */
export function excluded(reason: string, detail: string | null = null, uniqueId?: string | null): Became {
  return {
    decision: 'excluded',
    reason,
    detail,
    fields: {},
    ...(uniqueId === undefined ? {} : { uniqueId }),
  }
}

/**
 * The expected result of a record that cannot be read. An unreadable record has neither a source id nor a
 * unique ID, so its key is the content and a blank.
 */
export const quarantined: Became = {
  decision: 'quarantined',
  reason: 'invalid_record',
  detail: null,
  uniqueId: null,
  fields: {},
}

let integrations = 0

/**
 * Registers the tests of traps. On each engine, one run syncs the records of all traps; then each trap is a
 * test of its own.
 *
 * @param beside further records to which traps may refer
 */
export function traps(title: string, setup: Setup, beside: Resources, table: readonly Trap[]): void {
  describe.each(engines)(`${title}, on %s`, (engine: Engine) => {
    const database = useDatabase(engine)
    const output = useOneFolder()
    let pack: Pack
    beforeAll(async () => {
      integrations += 1
      const place = { database: database(), output, id: `traps-${integrations}` }
      const report = await syncRecords(place, setup, joined([beside, ...table.map(({ given }) => given)]))
      if (report.status !== 'finished') throw new Error(report.error ?? `the run is ${report.status}`)
      pack = readPack(report.output ?? '')
    })
    for (const trap of table) test(trap.name, () => expectTrap(pack, trap))
  })
}

/** Joins the records of several lists resource by resource, in their order. */
function joined(all: readonly Resources[]): Resources {
  const names = new Set(all.flatMap((each) => Object.keys(each)))
  return Object.fromEntries([...names].map((name) => [name, all.flatMap((each) => each[name] ?? [])]))
}

function expectTrap(pack: Pack, trap: Trap): void {
  expect(trap.becomes, 'a trap that expects nothing').not.toEqual({})
  for (const [key, expected] of Object.entries(trap.becomes)) {
    const blank = key.indexOf(' ')
    const content = key.slice(0, blank) as Content
    const sourceId = key.slice(blank + 1)
    const all: readonly Became[] = 'decision' in expected ? [expected] : expected
    const decisions = pack.decisions
      .filter((row) => row.content === content && (row.sourceId ?? '') === sourceId)
      .map(({ decision, reason, detail, uniqueId, action }) => ({
        decision,
        reason,
        detail,
        uniqueId,
        action,
      }))
    const due = all.map(({ fields, uniqueId = sourceId, ...decision }) => {
      // This is the first sync, so every synced record creates an item.
      return { ...decision, uniqueId, action: decision.decision === 'synced' ? 'create' : null }
    })
    expect(decisions, key).toEqual(due)
    expectItem(pack, content, sourceId, all.at(-1))
  }
}

function expectItem(pack: Pack, content: Content, uniqueId: string, became: Became | undefined): void {
  const item = pack.items[content].get(uniqueId)
  const operation = pack.operations.find((each) => each.content === content && each.uniqueId === uniqueId)
  // The CSV file and the operations must have the same fields.
  expect(item, `${content}.csv, ${uniqueId}`).toEqual(operation?.fields)
  if (became?.decision !== 'synced') {
    expect(operation, `operation on ${content} ${uniqueId}`).toBeUndefined()
    return
  }
  const asked = Object.keys(became.fields).map((name) => [name, operation?.fields?.[name]])
  expect(Object.fromEntries(asked), `fields of ${content} ${uniqueId}`).toEqual(became.fields)
  expect(operation?.op).toBe('upsert')
}
