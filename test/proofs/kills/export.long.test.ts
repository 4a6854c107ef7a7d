import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256Of } from '../../harness/read-pack.ts'
import { startScriptedSource } from '../../pipeline/commands/scripted-source.ts'
import { configOfA, smallEvent } from '../../pipeline/commands/small-event.ts'
import { useFolder } from '../../support/folder.ts'
import { keepAt } from './kept.ts'

/** Timeout of the test: each kill needs a process of its own, and the machine may be busy. */
const MANY_PROCESSES_MS = 300_000

const folder = useFolder()

test(
  'if an export is killed between any two files, no manifest has wrong hashes, and the export can be repeated',
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
      // The folder has an older pack, as if another version of the product had written it.
      cpSync(older, pack, { recursive: true })
      expect([death, (await kept.command(['export', run], { death })).code]).toEqual([death, null])
      expect([death, misfits(pack)]).toEqual([death, []])
    }
    cpSync(older, pack, { recursive: true })
    expect(await kept.command(['export', run])).toMatchObject({ code: 0 })
    expect(contentOf()).toEqual(whole)
    expect(readdirSync(join(kept.at, 'out', 'summit')).sort()).toEqual([run, 'verify.py'])
  },
  MANY_PROCESSES_MS,
)

/** Changes each file of a pack and updates the hashes in its details and its manifest. */
function asOlder(folder: string): void {
  for (const list of ['details.json', 'manifest.json']) {
    const path = join(folder, list)
    const written = JSON.parse(readFileSync(path, 'utf8'))
    for (const file of written.files) {
      if (file.name !== 'details.json') writeFileSync(join(folder, file.name), 'of another version')
      file.sha256 = sha256Of(readFileSync(join(folder, file.name)))
    }
    writeFileSync(path, JSON.stringify(written))
  }
}

/** Returns the files whose hash differs from the manifest; an empty list if the pack has no manifest. */
function misfits(folder: string): readonly string[] {
  if (!existsSync(join(folder, 'manifest.json'))) return []
  const lists = ['manifest.json', 'details.json'].map((list) => readFileSync(join(folder, list), 'utf8'))
  return lists
    .flatMap((list) => JSON.parse(list).files)
    .flatMap(({ name, sha256 }: { name: string; sha256: string }) =>
      sha256Of(readFileSync(join(folder, name))) === sha256 ? [] : [name],
    )
}
