import { join } from 'node:path'
import { expect, test } from 'vitest'
import { titled } from './evidence-of-days.ts'
import { exportAs, oneRun, TABLES } from './exported-run.ts'
import { begin, runOnce } from './rename-small-event.ts'

test('without -o the files are in exports/RUN of the output folder, and can be written again', async () => {
  const { workspace, run } = await oneRun()
  for (const format of ['ics', 'ics', 'raw-csv']) {
    const { code, stdout } = await exportAs(workspace, run, format)
    expect([code, stdout]).toEqual([0, expect.stringContaining(join('out', 'exports', run, 'agenda.'))])
  }
  const masked = await exportAs(workspace, run, 'ics', '--masked')
  expect(masked.stdout).toBe(
    `${join(workspace.folder, 'out', 'exports', `${run}-masked`, 'agenda.ics')}  2 sessions\nvalues of people are masked\n`,
  )
  expect(workspace.files('out', 'exports', run)).toEqual(
    [...TABLES.map((name) => `${name}.csv`), 'agenda.ics'].sort(),
  )
  expect(workspace.files('out', 'exports')).toHaveLength(10)
  expect((await workspace.run('verify', 'out')).stdout).toContain('1 pack, all intact')
})

test('an integration with the id exports keeps its folder for its packs', async () => {
  const { workspace, configure } = await begin()
  configure('exports')
  const { run } = await runOnce(workspace)
  const { stderr } = await exportAs(workspace, run, 'ics')
  expect(stderr).toContain(
    'is the folder of the packs of the integration exports; name another folder with -o',
  )
  expect((await exportAs(workspace, run, 'ics', '-o', 'calendar')).code).toBe(0)
})

test('purge --packs and erase delete exported files, and a purged pack is not exported', async () => {
  const { workspace, run, source } = await oneRun()
  source.records = titled('Welcome')
  const last = (await runOnce(workspace)).run
  for (const one of [run, last]) await exportAs(workspace, one, 'raw-csv')
  const times = ['started_at', 'planned_at', 'applied_at', 'finished_at']
  const earlier = times.map((time) => `${time} = ${time} - interval '9 days'`)
  await workspace.rows(`update sync.runs set ${earlier}`)
  const purge = ['purge', '--older-than', '1d', '--keep-runs', '1', '--packs']
  await workspace.run(...purge, '--dry-run')
  expect(workspace.files('out', 'exports', run)).toHaveLength(8)
  expect((await workspace.run(...purge)).code).toBe(0)
  expect(workspace.files('out', 'exports', run)).toEqual([])
  expect(workspace.files('out', 'exports', last)).toHaveLength(8)
  expect((await exportAs(workspace, run, 'parquet')).stderr).toContain('was purged at')
  expect((await workspace.run('erase', 'summit', '--confirm', 'summit')).code).toBe(0)
  expect(workspace.files('out', 'exports')).toEqual([])
})

test('a format whose optional packages are not installed says so, and other formats do not need them', async () => {
  const { workspace, run } = await oneRun()
  const hide = `import{registerHooks}from'node:module';registerHooks({resolve(name,context,next){if(/^(hyparquet|yazl|ical|htmlparser2)/.test(name))throw Object.assign(Error(name),{code:'ERR_MODULE_NOT_FOUND'});return next(name,context)}})`
  workspace.env.NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hide)}`
  for (const [format, packages] of [
    ['parquet', 'hyparquet-writer'],
    ['xlsx', 'yazl'],
    ['ics', 'ical.js, htmlparser2'],
  ] as const) {
    const { code, stderr } = await workspace.start('export', run, '--format', format).ended
    expect([code, stderr]).toEqual([
      64,
      expect.stringContaining(
        `--format ${format} needs packages that are not installed, because npm left out optional packages: ${packages}; install`,
      ),
    ])
  }
  expect((await workspace.start('export', run, '--format', 'raw-csv').ended).code).toBe(0)
  expect((await workspace.start('export', run).ended).code).toBe(0)
})
