import { describe, expect, test } from 'vitest'
import type { FaultOrder } from '../../pipeline/demo/sample-platform/faults.ts'
import type { Fields } from '../model/model-items.ts'
import { countChanges } from '../model/model-run.ts'
import type { Content } from '../model/options.ts'
import { makeModelPlatform } from './model-platform.ts'
import { type ExpectedReport, exitCodeOf } from './model-report.ts'
import { type Change, type Knowledge, type Outbox, send } from './model-sending.ts'

// Worked out by hand from the documents: the model must be right by itself.

const change = (seq: number, action: Change['action'], uniqueId: string): Change => ({
  seq,
  action,
  uniqueId,
  content: 'attendees',
  fields: action === 'remove' ? null : { firstName: uniqueId },
  isInferred: false,
  state: 'pending',
  result: null,
  code: null,
  isAlone: false,
})

/** A platform that has u1, and an outbox that adds u2 and u3 and takes u1 away. */
function begin(...orders: readonly FaultOrder[]) {
  const platform = makeModelPlatform()
  platform.post('before', [change(1, 'create', 'u1')])
  platform.misbehave(orders)
  const known = new Map<Content, Map<string, Fields>>([['attendees', new Map([['u1', { firstName: 'u1' }]])]])
  const knowledge: Knowledge = { items: known, moved: () => undefined }
  const changes = [change(1, 'create', 'u2'), change(2, 'create', 'u3'), change(3, 'remove', 'u1')]
  const outbox: Outbox = { run: 'r', changes, batches: 0, unanswered: null }
  return {
    platform,
    outbox,
    send: () => send(outbox, platform, knowledge, 2),
    states: () => outbox.changes.map(({ state }) => state),
    there: () => [...(platform.items.get('attendees')?.keys() ?? [])],
    known: () => [...(known.get('attendees')?.keys() ?? [])],
  }
}

describe('the model of sending', () => {
  test('everything lands once, removals last', () => {
    const all = begin()
    expect(all.send()).toBe('landed')
    expect(all.platform.ledger.map(({ effect }) => effect)).toEqual([
      'created',
      'created',
      'created',
      'removed',
    ])
    expect([all.there(), all.known()]).toEqual([
      ['u2', 'u3'],
      ['u2', 'u3'],
    ])
  })

  test('a rejected upsert is not there, is not known, and holds the removals back', () => {
    const all = begin({ fault: 'failOperation', uniqueId: 'u2', count: 'always' })
    expect(all.send()).toBe('landed')
    expect(all.states()).toEqual(['failed', 'applied', 'withheld'])
    expect([all.there(), all.known()]).toEqual([
      ['u1', 'u3'],
      ['u1', 'u3'],
    ])
  })

  test('a platform that falls silent after a batch has its effect, which nobody knows; the same batch settles it', () => {
    const all = begin({ fault: 'failAfterCommit', count: 'always', skip: 0 })
    expect(all.send()).toBe('silence')
    expect(all.states()).toEqual(['sent', 'sent', 'pending'])
    expect([all.there(), all.known()]).toEqual([['u1', 'u2', 'u3'], ['u1']])
    all.platform.misbehave([])
    expect(all.send()).toBe('landed')
    expect(all.platform.ledger).toHaveLength(4)
    expect(all.known()).toEqual(['u2', 'u3'])
  })

  test('of a batch that is refused whole, what is at fault alone has failed', () => {
    const all = begin({ fault: 'refuseBatch', uniqueId: 'u3', error: 'bad', count: 'always' })
    expect(all.send()).toBe('landed')
    expect(all.states()).toEqual(['applied', 'failed', 'withheld'])
    expect(all.outbox.changes[1]?.code).toBe('bad')
  })

  test('of two reasons to refuse a batch once, the second is left for what is sent alone', () => {
    const once = { fault: 'refuseBatch', error: 'bad', count: 1 } as const
    const all = begin({ ...once, uniqueId: 'u2' }, { ...once, uniqueId: 'u3' })
    expect(all.send()).toBe('landed')
    expect(all.states()).toEqual(['applied', 'failed', 'withheld'])
  })

  test('results that do not fit are looked up; three times in a row is too often', () => {
    const all = begin({ fault: 'omitsAResult', count: 2 })
    expect(all.send()).toBe('landed')
    expect(all.outbox.changes.map(({ code }) => code)).toEqual(['read_back', 'read_back', 'read_back'])
    const rejected = begin(
      { fault: 'omitsAResult', count: 1 },
      { fault: 'failOperation', uniqueId: 'u3', count: 'always' },
    )
    rejected.send()
    expect(rejected.states()).toEqual(['applied', 'failed', 'withheld'])
  })
})

test('of several outcomes the first of 1, 64, 4, 3, 2, 0 is the exit code', () => {
  const report = (more: Partial<ExpectedReport>): ExpectedReport => ({
    ...{ status: 'finished', run: null, guards: [], changes: countChanges([]), excluded: {}, quarantined: 0 },
    ...{ kept: 0, failed: 0, withheld: 0, certified: true, approved: false, error: null },
    ...more,
  })
  const due = { ...countChanges([]), agenda: { create: 1, update: 0, remove: 0, unchanged: 0 } }
  expect(exitCodeOf([report({})])).toBe(0)
  expect(exitCodeOf([report({ status: 'planned', changes: due })])).toBe(2)
  expect(exitCodeOf([report({ status: 'planned' })])).toBe(0)
  expect(exitCodeOf([report({ failed: 1 })])).toBe(3)
  expect(exitCodeOf([report({ certified: false, guards: ['removals'] })])).toBe(4)
  expect(exitCodeOf([report({ guards: ['removals'], approved: true, quarantined: 1 })])).toBe(3)
  expect(exitCodeOf([report({}), report({ status: 'stale' })])).toBe(4)
  expect(exitCodeOf([report({ guards: ['emptied'] }), report({ status: 'failed' })])).toBe(1)
})
