import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256Of } from '../../harness/read-pack.ts'
import { startScriptedSource } from '../../pipeline/commands/scripted-source.ts'
import { configOfA, smallEvent } from '../../pipeline/commands/small-event.ts'
import { useFolder } from '../../support/folder.ts'
import { keepAt } from './kept.ts'

/** Each death needs a process, and the machine may be busy. */
const MANY_PROCESSES_MS = 300_000

const folder = useFolder()

test(
  'an export that is killed between any two files never leaves a manifest with wrong hashes, and can be repeated',
  async () => {
    const source = await startScriptedSource(smallEvent)
    const kept = await keepAt('postgres', join(folder(), 'event'))
    const config = { database: 'env:DATABASE_URL', ...configOfA(source.url) }
    writeFileSync(join(kept.at, 'event-sync.yaml'), JSON.stringify(config))
    expect(await kept.command(['run'])).toMatchObject({ code: 0 })
    const [run = ''] = readdirSync(join(kept.at, 'out', 'summit'))
    const pack = join(kept.at, 'out', 'summit', run)
    const names = readdirSync(pack).sort()
    const contentOf = () => names.map((name) => readFileSync(join(pack, name), 'utf8'))
    const whole = contentOf()
    const older = join(kept.at, 'older')
    cpSync(pack, older, { recursive: true })
    asOlder(older)

    const deaths = [
      'pack file written 1',
      'pack file written 13',
      ...names.map((_, place) => `pack file moved ${place + 1}`),
    ]
    for (const death of deaths) {
      // For example a pack that another version of the product wrote.
      cpSync(older, pack, { recursive: true })
      expect([death, (await kept.command(['export', run], { death })).code]).toEqual([death, null])
      expect([death, misfits(pack)]).toEqual([death, []])
    }
    cpSync(older, pack, { recursive: true })
    expect(await kept.command(['export', run])).toMatchObject({ code: 0 })
    expect(contentOf()).toEqual(whole)
    expect(readdirSync(join(kept.at, 'out', 'summit'))).toEqual([run])
  },
  MANY_PROCESSES_MS,
)

/** Replaces each file and updates the manifest accordingly. */
function asOlder(folder: string): void {
  const path = join(folder, 'manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  for (const file of manifest.files) {
    writeFileSync(join(folder, file.name), 'of another version')
    file.sha256 = sha256Of(readFileSync(join(folder, file.name)))
  }
  writeFileSync(path, JSON.stringify(manifest))
}

/** Returns the files that do not match their manifest; none if there is no manifest. */
function misfits(folder: string): readonly string[] {
  const path = join(folder, 'manifest.json')
  if (!existsSync(path)) return []
  const { files } = JSON.parse(readFileSync(path, 'utf8'))
  return files.flatMap(({ name, sha256 }: { name: string; sha256: string }) =>
    sha256Of(readFileSync(join(folder, name))) === sha256 ? [] : [name],
  )
}
