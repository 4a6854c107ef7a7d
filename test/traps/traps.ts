import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Content } from '../../sql/tables.ts'
import { type Engine, engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { type Pack, readPack } from './pack.ts'
import { type Resources, type Setup, syncRecords } from './sync.ts'

/** What became of one record for one content. */
export interface Became {
  readonly decision: 'synced' | 'excluded' | 'quarantined'
  readonly reason: string | null
  readonly detail: string | null
  /** Left out where it is the source id. */
  readonly uniqueId?: string | null
  /** The platform fields that matter to the trap; `undefined` is a field that must not be there. */
  readonly fields: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** Records that a source may serve, and what must become of them on the whole way. */
export interface Trap {
  /** A sentence about behaviour. */
  readonly name: string
  readonly given: Resources
  /** By `content sourceId`; of several records with one id, in source order, the one that counts last. */
  readonly becomes: Readonly<Record<string, Became | readonly Became[]>>
}

/** @param detail every mark of the decision, since a mark too many is a mistake as well */
export function synced(fields: Became['fields'] = {}, detail: string | null = null): Became {
  return { decision: 'synced', reason: null, detail, fields }
}

/** @param uniqueId only where it is not the source id */
export function excluded(reason: string, detail: string | null = null, uniqueId?: string | null): Became {
  return {
    decision: 'excluded',
    reason,
    detail,
    fields: {},
    ...(uniqueId === undefined ? {} : { uniqueId }),
  }
}

/** A record that could not be read has neither source id nor unique ID: its key is the content and a blank. */
export const quarantined: Became = {
  decision: 'quarantined',
  reason: 'invalid_record',
  detail: null,
  uniqueId: null,
  fields: {},
}

/**
 * Syncs the records of all traps in one run, on each engine; then each trap is a test of its own.
 *
 * @param beside records that traps may name
 */
export function traps(title: string, setup: Setup, beside: Resources, table: readonly Trap[]): void {
  describe.each(engines)(`${title}, on %s`, (engine: Engine) => {
    const sync = useSync(engine)
    let pack: Pack
    beforeAll(async () => {
      pack = await sync(setup, joined([beside, ...table.map(({ given }) => given)]))
    })
    for (const trap of table) test(trap.name, () => expectTrap(pack, trap))
  })
}

/** Syncs each trap in a run of its own, since its records would show in others. */
export function trapsApart(title: string, setup: Setup, beside: Resources, table: readonly Trap[]): void {
  describe.each(engines)(`${title}, on %s`, (engine: Engine) => {
    const sync = useSync(engine)
    for (const trap of table) {
      test(trap.name, async () => expectTrap(await sync(setup, joined([beside, trap.given])), trap))
    }
  })
}

let integrations = 0

/** Makes a function that syncs records for an integration of their own and reads what came out. */
function useSync(engine: Engine): (setup: Setup, records: Resources) => Promise<Pack> {
  const database = useDatabase(engine)
  const output = useOutput()
  return async (setup, records) => {
    integrations += 1
    const place = { database: database(), output: output(), id: `traps-${integrations}` }
    const report = await syncRecords(place, setup, records)
    if (report.status !== 'finished') throw new Error(report.error ?? `the run is ${report.status}`)
    return readPack(report.output ?? '')
  }
}

/** A folder for packs, while the tests of a block run. */
export function useOutput(): () => string {
  let output = ''
  beforeAll(() => {
    output = mkdtempSync(join(tmpdir(), 'event-sync-traps-'))
  })
  afterAll(() => rmSync(output, { recursive: true, force: true }))
  return () => output
}

/** The records of all, resource by resource and in their order. */
export function joined(all: readonly Resources[]): Resources {
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
      // In a first sync every item is new.
      return { ...decision, uniqueId, action: decision.decision === 'synced' ? 'create' : null }
    })
    expect(decisions, key).toEqual(due)
    expectItem(pack, content, sourceId, all.at(-1))
  }
}

function expectItem(pack: Pack, content: Content, uniqueId: string, became: Became | undefined): void {
  const item = pack.items[content].get(uniqueId)
  const operation = pack.operations.find((each) => each.content === content && each.uniqueId === uniqueId)
  // Whatever a trap asks for, CSV and operations must agree on it.
  expect(item, `${content}.csv, ${uniqueId}`).toEqual(operation?.fields)
  if (became?.decision !== 'synced') {
    expect(operation, `operation on ${content} ${uniqueId}`).toBeUndefined()
    return
  }
  const asked = Object.keys(became.fields).map((name) => [name, operation?.fields?.[name]])
  expect(Object.fromEntries(asked), `fields of ${content} ${uniqueId}`).toEqual(became.fields)
  expect(operation?.op).toBe('upsert')
}
