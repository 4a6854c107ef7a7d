import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startScriptedSource } from '../pipeline/commands/scripted-source.ts'
import { configOfA, smallEvent } from '../pipeline/commands/small-event.ts'
import { makeWorkspace } from '../pipeline/commands/workspace.ts'
import { sha256Of } from './pack.ts'

/** Each death takes a process, on a machine that may be busy. */
const MANY_PROCESSES_MS = 300_000

const SCRIPT = new URL('./killed-export.ts', import.meta.url).pathname

test(
  'an export that is killed between any two files leaves no manifest that does not fit, and can be done again',
  async () => {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace('postgres')
    workspace.configure(configOfA(source.url))
    const { code, runs } = await workspace.report('run')
    expect(code).toBe(0)
    const run = runs[0]?.run ?? ''
    const pack = join(workspace.folder, 'out', 'summit', run)
    const names = readdirSync(pack).sort()
    const contentOf = () => names.map((name) => readFileSync(join(pack, name), 'utf8'))
    const whole = contentOf()
    const older = join(workspace.folder, 'older')
    cpSync(pack, older, { recursive: true })
    asOlder(older)

    const config = join(workspace.folder, 'event-sync.yaml')
    const exportAgain = (...death: readonly string[]) =>
      spawnSync(process.execPath, [SCRIPT, config, run, ...death], {
        cwd: workspace.folder,
        env: { ...process.env, ...workspace.env },
      })
    const deaths = [
      ['pack file written', '1'],
      ['pack file written', '13'],
      ...names.map((_, place) => ['pack file moved', String(place + 1)]),
    ]
    for (const death of deaths) {
      // What another version of the product has written, say.
      cpSync(older, pack, { recursive: true })
      expect([...death, exportAgain(...death).signal]).toEqual([...death, 'SIGKILL'])
      expect([...death, misfits(pack)]).toEqual([...death, []])
    }
    cpSync(older, pack, { recursive: true })
    expect(exportAgain().status).toBe(0)
    expect(contentOf()).toEqual(whole)
    expect(readdirSync(join(workspace.folder, 'out', 'summit'))).toEqual([run])
  },
  MANY_PROCESSES_MS,
)

/** Makes each file another one, and the manifest fit them. */
function asOlder(folder: string): void {
  const path = join(folder, 'manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  for (const file of manifest.files) {
    writeFileSync(join(folder, file.name), 'of another version')
    file.sha256 = sha256Of(join(folder, file.name))
  }
  writeFileSync(path, JSON.stringify(manifest))
}

/** Files that are not as the manifest beside them says; none where there is none. */
function misfits(folder: string): readonly string[] {
  const path = join(folder, 'manifest.json')
  if (!existsSync(path)) return []
  const { files } = JSON.parse(readFileSync(path, 'utf8'))
  return files.flatMap(({ name, sha256 }: { name: string; sha256: string }) =>
    sha256Of(join(folder, name)) === sha256 ? [] : [name],
  )
}
