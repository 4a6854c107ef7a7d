import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findFormerIds } from '../../../loaders/ledger/former-ids.ts'
import { findTablesInUse } from '../../../loaders/ledger/rename.ts'
import { finishRenames } from '../../../pipeline/rename/finish-renames.ts'
import { rename } from '../../../pipeline/rename/rename.ts'
import { findRefusal, findRefusals } from '../../../pipeline/run/refusal.ts'
import type { Listener } from '../../../pipeline/runtime/events.ts'
import { openPlace, runLast } from '../../harness/place.ts'
import { engines } from '../../support/engines.ts'
import { useFolder } from '../../support/folder.ts'
import { useDatabase } from '../../support/use-database.ts'
import { startScriptedSource } from '../commands/scripted-source.ts'
import { smallEvent } from '../commands/small-event.ts'

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const folder = useFolder()

  /** Makes a workspace with an integration that has run once. */
  async function begin(id: string) {
    const { url } = await startScriptedSource(smallEvent)
    const integration = { id, source: { type: 'a', url, eventId: '4242' } }
    const place = openPlace({ database: database(), output: folder(), integration })
    await runLast(place)
    return place
  }

  test.each(['renaming stored', 'folder renamed', 'renaming noted'])(
    'if rename is stopped at the point "%s", the next command leads to the same result as an undisturbed rename',
    async (point) => {
      const from = point.replace(' ', '-')
      const to = `${from}-2031`
      const { context } = await begin(from)
      const events: Listener = {
        emit(_, event) {
          if (event.type === 'reached' && event.point === point) throw new Error('stopped')
        },
      }
      await expect(rename({ ...context, events }, from, to)).rejects.toThrow('stopped')
      const db = database().kysely
      expect(await findTablesInUse(db, from)).toEqual([])
      expect(await findFormerIds(db, to)).toMatchObject([{ formerId: from, isFolderDue: true }])
      await finishRenames(context)
      expect(await findFormerIds(db, to)).toMatchObject([{ formerId: from, isFolderDue: false }])
      expect(existsSync(join(folder(), from))).toBe(false)
      expect(existsSync(join(folder(), to, 'renamed.json'))).toBe(true)
      expect(await rename(context, from, to)).toMatchObject({ isNew: false, rows: {} })
    },
  )

  test('rename is refused while another process holds the lock of the integration', async () => {
    const { context } = await begin('winter')
    const held = await database().lock('winter')
    await expect(rename(context, 'winter', 'summer')).rejects.toThrow(
      'winter is locked by another process; wait until it ends; nothing was renamed',
    )
    await held?.release()
    expect(await findTablesInUse(database().kysely, 'summer')).toEqual([])
  })

  // Only one process at a time can use the embedded database.
  test.runIf(engine === 'postgres')('rename refuses while a run of the new id has begun', async () => {
    const { context } = await begin('autumn')
    const held = await database().lock('spring')
    await expect(rename(context, 'autumn', 'spring')).rejects.toThrow('spring is locked by another process')
    await held?.release()
    expect(await findTablesInUse(database().kysely, 'spring')).toEqual([])
  })

  test('if the folder of the packs cannot be renamed, rename says what is done, and the next command continues', async () => {
    const { context, integration } = await begin('dawn')
    const [former, renamed] = [join(folder(), 'dawn'), join(folder(), 'dusk')]
    const events: Listener = {
      emit(_, event) {
        if (event.type === 'reached' && event.point === 'renaming stored') writeFileSync(renamed, '')
      },
    }
    const said = `dusk was renamed in the database, but the folder of its packs could not be renamed from ${former} to ${renamed} (ENOTDIR`
    await expect(rename({ ...context, events }, 'dawn', 'dusk')).rejects.toThrow(said)
    rmSync(renamed)
    const own = { ...integration, id: 'dusk' }
    const again = { ...context, config: { ...context.config, integrations: [own] } }
    const refusal = await findRefusal(again, own, false)
    expect(refusal?.message).toContain(`the folder of its packs is not yet renamed from ${former}`)
    expect((await findRefusals(again, [own])).get('dusk')?.next).toBe('event-sync run dusk')
    // A mounted volume keeps its former folder, which is empty after the volume was mounted elsewhere.
    cpSync(former, renamed, { recursive: true })
    rmSync(former, { recursive: true })
    mkdirSync(former)
    expect(await rename(context, 'dawn', 'dusk')).toMatchObject({ isNew: false })
    expect(existsSync(join(renamed, 'renamed.json'))).toBe(true)
  })

  test('if a folder cannot be renamed, other commands continue and report the reason', async () => {
    const { context } = await begin('east')
    const stop: Listener = {
      emit(_, event) {
        if (event.type === 'reached') throw new Error('stopped')
      },
    }
    await expect(rename({ ...context, events: stop }, 'east', 'west')).rejects.toThrow('stopped')
    mkdirSync(join(folder(), 'west'))
    writeFileSync(join(folder(), 'west', 'other.txt'), '')
    const said: unknown[] = []
    const events: Listener = { emit: (_, event) => void said.push(event) }
    await finishRenames({ ...context, events })
    expect(said).toEqual([
      expect.objectContaining({ type: 'delivery failed', cause: expect.stringContaining('has files too') }),
    ])
    await expect(rename(context, 'east', 'west')).rejects.toThrow('move the files of')
  })
})
