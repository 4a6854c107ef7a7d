import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import ical from 'node-ical'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { exportAs, oneRun, TABLES } from './exported-run.ts'
import { begin, runOnce } from './rename-small-event.ts'
import { startScriptedSource } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

function packOf(workspace: Workspace, run: string) {
  return workspace.files('out', 'summit', run).map((name) => workspace.read('out', 'summit', run, name))
}

describe.each(engines)('on %s', (engine) => {
  test('a run is exported in each format, and its pack stays as it is', async () => {
    const { workspace, run } = await oneRun(engine)
    const before = packOf(workspace, run)
    for (const [format, files] of [
      ['parquet', TABLES.map((name) => `${name}.parquet`)],
      ['xlsx', ['pack.xlsx']],
      ['raw-csv', TABLES.map((name) => `${name}.csv`)],
      ['ics', ['agenda.ics']],
    ] as const) {
      const { code, stdout, stderr } = await exportAs(workspace, run, format, '-o', format, '--json')
      expect([code, stderr]).toEqual([0, ''])
      expect(workspace.files(format)).toEqual(files)
      expect(JSON.parse(stdout)).toMatchObject({
        run,
        format,
        personalData: 'full',
        output: join(workspace.folder, format),
        files: expect.arrayContaining(files.map((name) => expect.objectContaining({ name, cut: 0 }))),
      })
    }
    const file = await asyncBufferFromFile(join(workspace.folder, 'parquet', 'agenda.parquet'))
    expect(await parquetReadObjects({ file })).toMatchObject([
      { unique_id: '101', start_time: new Date('2031-05-04T13:00:00Z'), speaker_ids: ['u1'] },
      { unique_id: '102', name: 'Closing' },
    ])
    const { sheets } = await readXlsx(readFileSync(join(workspace.folder, 'xlsx', 'pack.xlsx')))
    expect(sheets.map(({ name }) => name).toSorted()).toEqual(TABLES)
    expect(sheets.find(({ name }) => name === 'attendees')?.rows).toHaveLength(5)
    const events = Object.values(ical.sync.parseICS(workspace.read('ics', 'agenda.ics')))
    expect(events.flatMap((one) => (one?.type === 'VEVENT' ? [one.uid] : []))).toEqual([
      '101@summit',
      '102@summit',
    ])
    expect(packOf(workspace, run)).toEqual(before)
    expect((await workspace.run('verify', 'out')).code).toBe(0)
  })
})

test('raw CSV has the cells of the pack without the guard against formulas', async () => {
  const { workspace, source } = await begin()
  const user = { Id: 'u1', EmailAddress: 'u1@people.example', FirstName: 'Ada', LastName: '=cmd|"x"!A1' }
  source.records = { ...smallEvent, Users: [{ ...user, Company: "'quoted" }] }
  const { run } = await runOnce(workspace)
  await exportAs(workspace, run, 'raw-csv', '-o', 'raw')
  const guarded = workspace.read('out', 'summit', run, 'attendees.csv')
  expect(guarded).toContain(`"'=cmd|""x""!A1"`)
  const raw = workspace.read('raw', 'attendees.csv')
  expect(raw).toBe(guarded.replaceAll(`"'=cmd`, '"=cmd').replaceAll(`"''quoted`, `"'quoted`))
  expect(raw).toContain('"=cmd|""x""!A1"')
})

test('--masked leaves out what a masked pack leaves out', async () => {
  const source = await startScriptedSource({
    ...smallEvent,
    Users: [
      ...(smallEvent.Users ?? []),
      { FirstName: 'Eve', LastName: 'Of none', EmailAddress: 'eve@people.example' },
    ],
  })
  async function rawOf(audit: Readonly<Record<string, string>>, ...args: readonly string[]) {
    const workspace = await makeWorkspace('postgres')
    const fields = { agenda: { room: 'Room' }, attendees: { city: 'City' } }
    workspace.configure({ ...configOfA(source.url, { fields }), audit })
    const { code, runs } = await workspace.report('run')
    expect(code).toBe(0)
    const { stdout } = await exportAs(
      workspace,
      runs[0]?.run ?? '',
      'raw-csv',
      '-o',
      'raw',
      ...args,
      '--json',
    )
    const files = TABLES.map((name) => workspace.read('raw', `${name}.csv`))
    return { files, personalData: JSON.parse(stdout).personalData }
  }
  const masked = await rawOf({ personalData: 'full' }, '--masked')
  expect(masked).toEqual(await rawOf({ personalData: 'masked' }))
  expect(masked.personalData).toBe('masked')
  expect(masked.files.join('')).toContain('"masked"')
  expect(masked.files.join('')).not.toMatch(/people\.example|"Ada"/)
  expect((await rawOf({ personalData: 'full' })).files.join('')).toMatch(/eve@people\.example/)
})

test('a pack that was changed, or that has a file too many, is refused, and no file is written', async () => {
  const { workspace, run } = await oneRun()
  const pack = join(workspace.folder, 'out', 'summit', run)
  const again = `write it again with \`event-sync export ${run}\`; nothing was written`
  for (const [file, message] of [
    ['agenda.csv', `the pack of run ${run} has a fault: agenda.csv has `],
    ['notes.txt', `the pack of run ${run} has a fault: notes.txt is not in the manifest`],
    ['manifest.json', `the pack of run ${run} is missing in ${pack}, or its manifest was changed`],
  ] as const) {
    const before = existsSync(join(pack, file)) ? workspace.read('out', 'summit', run, file) : null
    appendFileSync(join(pack, file), 'x')
    const { code, stderr } = await exportAs(workspace, run, 'parquet')
    expect([code, stderr]).toEqual([64, expect.stringContaining(message)])
    expect(stderr).toContain(again)
    if (before === null) break
    writeFileSync(join(pack, file), before)
  }
  expect(existsSync(join(workspace.folder, 'out', 'exports'))).toBe(false)
})

test('files go neither into a pack nor over a file of the user', async () => {
  const { workspace, run } = await oneRun()
  mkdirSync(join(workspace.folder, 'mine'))
  writeFileSync(join(workspace.folder, 'mine', 'agenda.ics'), 'mine')
  for (const [folder, message] of [
    [join('out', 'summit', run), 'is in the output folder, which has the packs; name another folder with -o'],
    ['out', 'is in the output folder'],
    ['mine', 'agenda.ics exists and is not overwritten; name another folder with -o; nothing was written'],
    [
      join('mine', 'agenda.ics'),
      'agenda.ics is not a folder; move it away, or name another path); nothing was written',
    ],
  ] as const) {
    const { code, stderr } = await exportAs(workspace, run, 'ics', '-o', folder)
    expect([code, stderr]).toEqual([64, expect.stringContaining(message)])
  }
  expect(workspace.files('mine')).toEqual(['agenda.ics'])
  expect(workspace.read('mine', 'agenda.ics')).toBe('mine')
  await workspace.run('evidence', 'summit', '--from', '2020-01-01', '--to', '2099-01-01', '-o', 'audit')
  expect((await exportAs(workspace, run, 'ics', '-o', 'audit')).stderr).toContain('to which nothing is added')
})

test('forget deletes exported files in the output folder, and a new export does not have the person', async () => {
  const { workspace, run } = await oneRun()
  await exportAs(workspace, run, 'raw-csv')
  await exportAs(workspace, run, 'ics', '--masked')
  expect(workspace.read('out', 'exports', run, 'attendees.csv')).toContain('u4@people.example')
  const { code, stdout } = await workspace.run('forget', 'summit', 'attendees', 'u4')
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('exports      2 folders of files for other tools deleted'),
  ])
  expect(workspace.files('out', 'exports')).toEqual([])
  await exportAs(workspace, run, 'raw-csv')
  expect(workspace.read('out', 'exports', run, 'attendees.csv')).not.toContain('u4')
})

test('a run without a pack is refused, and -o and --masked need --format', async () => {
  const { workspace } = await begin()
  const [plan] = (await workspace.report('plan')).runs
  const run = plan?.run ?? ''
  const refused = await exportAs(workspace, run, 'xlsx')
  expect([refused.code, refused.stderr]).toEqual([
    64,
    expect.stringContaining('has no pack: its plan was not applied'),
  ])
  for (const option of [['-o', 'here'], ['--masked']]) {
    const { code, stderr } = await workspace.run('export', run, ...option)
    expect([code, stderr]).toEqual([
      64,
      expect.stringContaining('is only for files in another format; give --format'),
    ])
  }
  expect((await exportAs(workspace, run, 'pdf')).code).toBe(64)
})
