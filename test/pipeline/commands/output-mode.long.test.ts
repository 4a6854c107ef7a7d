import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CLI, start } from './command-line.ts'
import { begin } from './rename-small-event.ts'
import { smallEvent } from './small-event.ts'
import type { Workspace } from './workspace.ts'

/**
 * Commands that write files with data of people. The word RUN stands for the id of the first run.
 */
const COMMANDS = [
  'run',
  'export RUN --format raw-csv -o rows',
  'evidence summit --from 2000-01-01 --to 2999-12-31 -o evidence',
  'suppress summit attendees u2',
  'suppressions export people.json',
  'forget summit attendees u1',
  'run',
] as const

/** Runs a command in a process of its own, as a shell with an umask does. */
async function runWith(umask: '000' | '077', { folder, env }: Workspace, args: string) {
  const line = `umask ${umask}; exec "${process.execPath}" "${CLI}" ${args}`
  return start('sh', ['-c', line], { folder, env }).ended
}

/** Returns the modes of all files and folders in some places, without repetition. */
function modesIn({ folder }: Workspace, ...places: readonly string[]): readonly string[] {
  const paths = places.flatMap((place) => [
    place,
    ...namesIn(join(folder, place)).map((name) => join(place, name)),
  ])
  const modes = paths.map((path) => {
    const stats = statSync(join(folder, path))
    return `${stats.isDirectory() ? 'folder' : 'file'} ${(stats.mode & 0o777).toString(8)}`
  })
  return [...new Set(modes)].sort()
}

function namesIn(path: string): readonly string[] {
  return statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []
}

// Windows does not have file modes.
describe.runIf(process.platform !== 'win32')('whatever the umask of the shell is', () => {
  test.each([
    ['private', '000', ['file 600', 'folder 700']],
    ['group', '077', ['file 640', 'folder 750']],
  ] as const)(
    'with output.mode %s and the umask %s, the files of all commands have the mode',
    async (mode, umask, expected) => {
      const { source, workspace, configure } = await begin()
      const top = { output: { folder: 'out', mode }, lineage: { to: 'lineage.jsonl', namespace: 'test' } }
      configure('summit', { removals: { minCount: 1 } }, top)
      for (const command of COMMANDS) {
        const run = workspace.files('out', 'summit')[0]?.split('/')[0] ?? ''
        const { code, stderr } = await runWith(umask, workspace, command.replaceAll('RUN', run))
        expect([code, command, stderr]).toEqual([0, command, expect.anything()])
      }
      source.records = { ...smallEvent, Users: [] }
      expect((await runWith(umask, workspace, 'run')).code).toBe(4)
      expect(workspace.files('out').some((file) => file.endsWith('report-masked.html'))).toBe(true)
      expect(modesIn(workspace, 'out', 'rows', 'evidence', 'lineage.jsonl')).toEqual(expected)
      // The file of `suppressions export` is always private.
      expect(modesIn(workspace, 'people.json')).toEqual(['file 600'])
    },
  )

  test('only its owner can read the embedded database', async () => {
    const { workspace } = await begin('pglite')
    expect((await runWith('000', workspace, 'run')).code).toBe(0)
    expect(modesIn(workspace, '.event-sync')).toEqual(['file 600', 'folder 700'])
  })

  test('with output.mode public, all users can read packs', async () => {
    const { workspace, configure } = await begin()
    configure('summit', {}, { output: { folder: 'packs', mode: 'public' } })
    expect((await runWith('077', workspace, 'run')).code).toBe(0)
    expect(modesIn(workspace, 'packs')).toEqual(['file 644', 'folder 755'])
  })
})
