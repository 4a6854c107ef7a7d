import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { recordAction } from '../../../pipeline/context/record-action.ts'
import { rename } from '../../../pipeline/rename/rename.ts'
import { rollBack } from '../../../pipeline/run/rollback.ts'
import { applyStored } from '../../../pipeline/run/run.ts'
import type { Database } from '../../../sql/database.ts'
import { lastOf, openPlace, runLast, sourceAt } from '../../harness/place.ts'
import { startSamplePlatform } from '../../harness/sample-platform/start.ts'
import { startSampleSourceA } from '../../harness/sample-source/a.ts'
import { startSampleSourceB } from '../../harness/sample-source/b.ts'
import { makeIntegration, serve } from '../../pipeline/guarded-integration.ts'
import { syncToPlatform } from '../../pipeline/sync-to-platform.ts'
import { statesOfA, statesOfB } from '../../upgrade/story.ts'

/** Makes some packs of one integration below the folder `output`, and returns the folder of the packs. */
export type MakeChain = (place: {
  readonly database: Database
  readonly output: string
  /** An Ed25519 private key in PEM format. */
  readonly signingKey: string
}) => Promise<string>

type Audit = Readonly<Record<string, unknown>>

/** Makes packs with changes, removals, exclusions, and a run without changes. */
function ofA(id: string, audit: Audit): MakeChain {
  return async ({ database, output, signingKey }) => {
    const source = await startSampleSourceA(statesOfA[0])
    try {
      for (const state of [...statesOfA, statesOfA[2]]) {
        source.setData(state)
        const { code, last } = await syncToPlatform({
          database,
          sourceUrl: source.url,
          output,
          integration: { id },
          audit: { signingKey: 'env:SIGNING_KEY', ...audit },
          variables: { SIGNING_KEY: signingKey },
        })
        expect([code, last.error]).toEqual([0, undefined])
      }
    } finally {
      await source.close()
    }
    return `${output}/${id}`
  }
}

/** Makes packs with a record without an id, cancellations, repeated ids, and content that is not synced. */
const ofB: MakeChain = async ({ database, output }) => {
  const source = await startSampleSourceB(statesOfB[0])
  try {
    const [first, second] = statesOfB
    const twice = { ...second, registrants: [...first.registrants, ...second.registrants] }
    for (const [state, more] of [
      [first, {}],
      [second, {}],
      [twice, { content: ['agenda', 'attendees'] }],
      [second, { removals: { action: 'keep' } }],
    ] as const) {
      source.setData(state)
      const { last } = await syncToPlatform({
        database,
        sourceUrl: source.url,
        output,
        integration: { id: 'expo', source: { ...sourceAt('b', source.url), timeZone: 'UTC' }, ...more },
      })
      expect(last.error).toBeUndefined()
    }
  } finally {
    await source.close()
  }
  return `${output}/expo`
}

/**
 * Makes packs with rejected operations, with removals that were withheld because of the rejections, and with
 * a run that reads items back.
 */
const overHttp: MakeChain = async ({ database, output }) => {
  const source = await startSampleSourceA(statesOfA[0])
  const storage = `${output}/platform`
  const platform = await startSamplePlatform({ storage, pageSize: 3 })
  try {
    const reject = (uniqueId: string) =>
      ({
        fault: 'failOperation',
        content: 'attendees',
        uniqueId,
        code: 'not_allowed',
        count: 'always',
      }) as const
    for (const [state, faults, refresh] of [
      [statesOfA[0], [reject('u3')], false],
      [statesOfA[1], [reject('u7')], false],
      [statesOfA[2], [], true],
    ] as const) {
      source.setData(state)
      await platform.control('faults', faults)
      const { last } = await syncToPlatform(
        { database, sourceUrl: source.url, platform, output, integration: { id: 'forum' } },
        { refresh },
      )
      expect([last.status, last.error]).toEqual(['finished', undefined])
    }
  } finally {
    await platform.close()
    await source.close()
  }
  return `${output}/forum`
}

/** Makes packs of a run that a guard held and that was then approved. */
const approved: MakeChain = async ({ database, output }) => {
  const setup = {
    source: { type: 'a', timeZone: 'UTC' },
    removals: { minCount: 1, maxShare: 0.1 },
  } as const
  const [, , all] = statesOfA
  const few = { ...all, Users: all.Users.slice(0, 2) }
  const source = await serve(setup, all)
  try {
    const integration = makeIntegration({ database, output, id: 'gala' }, source.url, setup)
    const run = async (records: typeof all | typeof few) => {
      source.hold(records)
      return integration.run()
    }
    await run(all)
    const held = await run(few)
    expect(held.report.status).toBe('held')
    const landed = await integration.approve(held.report.planHash)
    expect(landed.report).toMatchObject({ status: 'finished', approved: true })
    expect((await run(all)).report.status).toBe('finished')
    expect(existsSync(`${landed.report.output}/manifest.json`)).toBe(true)
  } finally {
    await source.close()
  }
  return `${output}/${database.engine}/gala`
}

/**
 * Makes packs of a rollback and of runs after a renaming. Removals and creations differ from run to run, so
 * that the rollback has something to send.
 */
const rolledBackAndRenamed: MakeChain = async ({ database, output }) => {
  const source = await serve({ source: { type: 'a' } }, statesOfA[0])
  try {
    const open = (id: string) => {
      const integration = { id, source: { ...sourceAt('a', source.url), timeZone: 'UTC' } }
      return openPlace({ database, output, integration })
    }
    const run = async (id: string, records: (typeof statesOfA)[number]) => {
      source.hold(records)
      const report = await runLast(open(id))
      expect([report.status, report.error]).toEqual(['finished', undefined])
      return report.run ?? ''
    }
    const first = await run('winter', statesOfA[1])
    await run('winter', statesOfA[2])
    const { context, integration } = open('winter')
    const plan = lastOf(await rollBack(context, integration, first))
    const applied = await applyStored(context, integration, plan.planHash ?? '', 'Ada')
    expect([applied?.status, applied?.rollbackTo]).toEqual(['finished', first])
    await database.transaction((transaction) => recordAction(transaction, context, 'winter', 'resumed'))
    await rename(context, 'winter', 'spring')
    await run('spring', statesOfA[2])
    await run('spring', statesOfA[2])
  } finally {
    await source.close()
  }
  return `${output}/spring`
}

/** Functions that make packs of every kind. Each chain of packs has its own database. */
export const chains: Readonly<Record<string, MakeChain>> = {
  'Source A, signed': ofA('summit', {}),
  'Source A, masked and for Excel': ofA('redacted', { personalData: 'masked', excel: true }),
  'Source B, quarantined and repeated': ofB,
  'over HTTP, rejected and left out': overHttp,
  'held and approved': approved,
  'rolled back and renamed': rolledBackAndRenamed,
}
