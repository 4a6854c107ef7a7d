import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findRun } from '../../loaders/ledger/ledger.ts'
import { countRowsOf, findTablesOf } from '../../loaders/ledger/tables.ts'
import { endEvent } from '../../pipeline/people/end-event.ts'
import type { Listener } from '../../pipeline/runtime/events.ts'
import { openPlace, runLast } from '../harness/place.ts'
import { startScriptedSource } from '../pipeline/commands/scripted-source.ts'
import { smallEvent } from '../pipeline/commands/small-event.ts'
import { engines } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'
import { begin } from './ended-event.ts'

test('if an erased event comes back, the next manifest confirms that its packs were purged', async () => {
  const { workspace } = await begin()
  expect((await workspace.run('erase', 'summit', '--confirm', 'summit')).code).toBe(0)
  const { runs } = await workspace.report('run', 'summit', '--fresh')
  const manifest = JSON.parse(workspace.read('out', 'summit', runs[0]?.run ?? '', 'manifest.json'))
  const named = ({ packs }: { packs: readonly { run: string }[] }) => packs.map(({ run }) => run)
  expect(manifest.purges.map(named)).toEqual([named(manifest.gap)])
  const verified = await workspace.run('verify', 'out/summit')
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('all intact')])
})

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const folder = useFolder()

  test('if erase is stopped at any point and run again, the result is the same as without the stop', async () => {
    const { url } = await startScriptedSource(smallEvent)
    let points = 0
    let stopAt = 1
    const events: Listener = {
      emit(_, event) {
        if (event.type !== 'reached' || !['rows purged', 'pack purged'].includes(event.point)) return
        points += 1
        if (points === stopAt) throw new Error('stopped')
      },
    }
    const place = openPlace({
      database: database(),
      output: folder(),
      integration: { id: 'summit', source: { type: 'a', url, eventId: '4242' } },
    })
    const { id } = place.integration
    await runLast(place)
    const context = { ...place.context, events }
    let isStopped = true
    for (; isStopped; stopAt += 3) {
      points = 0
      isStopped = await endEvent(context, id).then(
        () => false,
        (error: Error) => error.message === 'stopped',
      )
    }
    expect(stopAt).toBeGreaterThan(20)
    const tables = await findTablesOf(database().kysely)
    expect(await countRowsOf(database().kysely, id, tables)).toEqual({})
    const [pack = ''] = readdirSync(join(folder(), id))
    expect(readdirSync(join(folder(), id, pack)).sort()).toEqual([
      'details.json',
      'manifest.json',
      'purged.json',
    ])
    await expect(findRun(database().kysely, { integrationId: id })).resolves.toBeUndefined()
  })
})
