import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { SEALING_KEY } from '../../harness/place.ts'
import type { Engine } from '../../support/engines.ts'
import { makeFolder } from '../../support/folder.ts'
import { startHolder } from '../../support/holder.ts'
import { findInstalled } from '../../support/installed-postgres.ts'
import { copyDatabase, FAST, startServer, type TestServer, withClient } from '../../support/postgres.ts'
import { CLI, type Ended, start } from '../commands/command-line.ts'
import type { ScriptedSource } from '../commands/scripted-source.ts'
import { configOfA } from '../commands/small-event.ts'
import { startPlatform, workspaceOfSmallEvent } from '../commands/small-workspace.ts'
import { blocksOf } from '../snippets/blocks.ts'

const PAGE = 'pipeline/database/BACKUP.md'
const page = readFileSync(join(packageRoot, PAGE), 'utf8')
const commands = blocksOf(PAGE, page)
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text.split('\n'))
const [copyOfSuppressions = [], backUpPostgres = [], backUpEmbedded = [], ...restoring] = commands
const [restorePostgres = [], restoreEmbedded = [], restoreOutput = [], bringUpToDate = [], drill = []] =
  restoring
/** Commands of the page that a test has run. */
const ran = new Set<string>()

/** Returns a pattern for a text that the page quotes. In the quotation, … stands for any text. */
function quoted(text: string): RegExp {
  expect(page.replaceAll('\n', ' ')).toContain(`"${text}"`)
  return new RegExp(text.replace(/[.()]/g, '\\$&').replaceAll('…', '.*'))
}

const bin = findInstalled()
let server: TestServer | null = null
beforeAll(async () => {
  server = bin === null ? null : await startServer(bin, FAST)
})
afterAll(() => server?.stop())

/**
 * Makes a folder with an integration, in the state that the page assumes. With PostgreSQL, the target of the
 * integration is `http`.
 */
async function open(engine: Engine) {
  const { source, workspace } = await workspaceOfSmallEvent(engine)
  const { folder, env } = workspace
  const platform = engine === 'postgres' ? await startPlatform(workspace) : null
  const backups = makeFolder()
  const known = { '/backup/': `${backups}/`, 'postgres://event_sync@db.example/': '' }
  env.EVENT_SYNC_KEY = SEALING_KEY
  workspace.configure({
    ...configOfA(source.url, {
      ...(platform === null ? {} : { platform: platform.config(100) }),
      passwords: { mode: 'none' },
      guards: { massUpdate: 1 },
      schedule: { cron: '0 3 1 1 *' },
    }),
    sealingKey: 'env:EVENT_SYNC_KEY',
  })
  if (engine === 'postgres' && server !== null) {
    env.PATH = `${bin}:${process.env.PATH}`
    const { url } = server
    known['postgres://event_sync@db.example/'] = new URL('/', url).href
    env.DATABASE_URL = new URL('/event_sync', url).href
    for (const name of ['event_sync', 'event_sync_restored', 'event_sync_drill'])
      await withClient(url, (client) => client.query(`drop database if exists ${name} with (force)`))
    await withClient(url, (client) => client.query(`create database event_sync template template0`))
  }

  /**
   * Runs one line of a shell script in the folder. A variable that `export` sets also exists for later lines.
   */
  async function shell(line: string): Promise<Ended> {
    const words = Object.entries(known).reduce((text, [word, value]) => text.replaceAll(word, value), line)
    const [, name = '', value = ''] = /^export (\w+)=(\S+)$/.exec(words) ?? []
    if (name !== '') env[name] = value
    const text = words.replace(/^npx --no-install event-sync /, '"$NODE" "$CLI" ')
    return start('bash', ['-c', text], { folder, env: { ...env, NODE: process.execPath, CLI } }).ended
  }

  return {
    ...{ source, workspace, platform, shell },
    /** Runs commands of the page. Each command must end with exit code 0. Returns what they printed. */
    async follow(lines: readonly string[]) {
      let printed = ''
      for (const line of lines) {
        ran.add(line)
        const { code, stdout, stderr } = await shell(line)
        expect({ line, code, stderr: code === 0 ? '' : stdout + stderr }).toEqual({
          line,
          code: 0,
          stderr: '',
        })
        printed += stdout
      }
      return printed
    },
    /** Runs a command, which must end with the given exit code. Returns what it printed. */
    async sync(code: number, ...args: readonly string[]) {
      const ended = await workspace.run(...args)
      const printed = ended.stdout + ended.stderr
      expect({ args, code: ended.code, printed }).toEqual({ args, code, printed })
      return printed
    },
    titles: async () => (await platform?.control('state'))?.items.agenda.map(({ fields }) => fields.name),
    attendees: async () =>
      (await platform?.control('state'))?.items.attendees.map(({ uniqueId }) => uniqueId).toSorted(),
  }
}

/** Changes the title of the first session in the source. */
function rename(source: ScriptedSource, title: string): void {
  const [first, ...others] = source.records.Sessions ?? []
  source.records = { ...source.records, Sessions: [{ ...Object(first), Title: title }, ...others] }
}

const OLDER_THAN_PACKS = 'this database ends at run … of summit, but the packs in … end at run …'
const OLDER_THAN_SUPPRESSIONS = 'suppressions.json has revision …, but this database knows …'
const OLDER_THAN_PLATFORM = 'the platform has accepted fence …, but the highest fence of this database is …'
const ERASED_AGAIN = 'was in the restored database, and is erased again'

describe.runIf(bin !== null)('with pg_dump (skipped without an installed PostgreSQL 15)', () => {
  test('the commands of a drill check a backup, and only read the platform', async () => {
    const { source, workspace, platform, follow, sync } = await open('postgres')
    await sync(0, 'run')
    await follow(backUpPostgres)
    const before = await platform?.control('requests')
    // A drill uses a new terminal, so a variable that the drill exports does not exist afterwards.
    const { DATABASE_URL = '' } = workspace.env
    const printed = await follow(drill)
    workspace.env.DATABASE_URL = DATABASE_URL
    expect(printed).toMatch(/^summit +up to date/m)
    expect(printed).toMatch(quoted('no check finds a row'))
    expect(printed).toMatch(quoted('all intact'))
    expect(printed).toContain('summit: planned, nothing to change')
    const requests = (await platform?.control('requests'))?.requests.slice(before?.requests.length)
    expect([...new Set(requests?.map(({ method }) => method))]).toEqual(['GET'])

    rename(source, 'Changed')
    await sync(0, 'run')
    for (const line of drill.slice(0, 4)) await follow([line])
    await sync(64, 'plan', '-c', 'drill/event-sync.yaml')
    // The preview reads the items of the platform, which already has the change.
    expect(await sync(0, 'plan', '--refresh', '-c', 'drill/event-sync.yaml')).toContain('nothing to change')
  })

  test('if the database is older than its packs, commands refuse it until run --refresh, which also erases again the people who were forgotten after the backup', async () => {
    const { source, workspace, follow, sync, titles, attendees } = await open('postgres')
    await sync(0, 'run')
    await follow(backUpPostgres)
    rename(source, 'Changed')
    await sync(0, 'run')
    await sync(0, 'forget', 'summit', 'attendees', 'u2', '--remove')
    await follow(restorePostgres)

    for (const command of ['run', 'plan']) {
      expect(await sync(64, command, 'summit')).toMatch(quoted(OLDER_THAN_PACKS))
    }
    await sync(64, 'apply', 'summit', 'ffffffff')
    expect(await sync(1, 'status')).toMatch(quoted(OLDER_THAN_PACKS))
    expect(await sync(1, 'check')).toMatch(/FAILED +ledger[\s\S]*this database ends at run/)
    expect(await workspace.rows(PERSON)).toHaveLength(1)

    const printed = await follow(bringUpToDate)
    expect(printed).toMatch(quoted(ERASED_AGAIN))
    expect(printed).toMatch(quoted('gap: the database that wrote it did not know'))
    expect(await workspace.rows(PERSON)).toEqual([])
    expect([await titles(), await attendees()]).toEqual([
      ['Changed', 'Closing'],
      ['u1', 'u3', 'u4'],
    ])
    expect(await sync(0, 'run')).toContain('nothing to change')
  })

  test('if the output folder was restored too, the platform and suppressions.json show that the database is old', async () => {
    const { source, workspace, follow, shell, sync, titles, attendees } = await open('postgres')
    await sync(0, 'run')
    await follow(backUpPostgres)
    rename(source, 'Changed')
    await sync(0, 'run')
    await sync(0, 'forget', 'summit', 'attendees', 'u2', '--remove')
    await follow(copyOfSuppressions)
    await shell('rm -r out')
    await follow(restorePostgres)

    const [packs = '', suppressions = ''] = restoreOutput
    await follow([packs])
    expect(await sync(64, 'run')).toMatch(quoted(OLDER_THAN_PLATFORM))
    expect(await sync(1, 'check')).toMatch(quoted(OLDER_THAN_PLATFORM))
    await sync(0, 'status')
    await follow([suppressions])
    expect(await sync(64, 'run')).toMatch(quoted(OLDER_THAN_SUPPRESSIONS))
    for (const command of ['status', 'check'])
      expect(await sync(1, command)).toMatch(quoted(OLDER_THAN_SUPPRESSIONS))
    expect(filesWith(workspace, 'u2@people.example')).not.toEqual([])

    expect(await follow(bringUpToDate)).toMatch(quoted(ERASED_AGAIN))
    expect(await workspace.rows(PERSON)).toEqual([])
    expect(filesWith(workspace, 'u2@people.example')).toEqual([])
    expect([await titles(), await attendees()]).toEqual([
      ['Changed', 'Closing'],
      ['u1', 'u3', 'u4'],
    ])
  })

  test('if there is no copy of suppressions.json, a person who is forgotten again before the first run does not come back', async () => {
    const { workspace, follow, shell, sync, attendees } = await open('postgres')
    await sync(0, 'run')
    await follow(backUpPostgres)
    await sync(0, 'forget', 'summit', 'attendees', 'u2', '--remove')
    await shell('rm -r out')
    await follow([...restorePostgres, ...restoreOutput.slice(0, 1)])
    await sync(0, 'forget', 'summit', 'attendees', 'u2')
    await follow(bringUpToDate)
    expect(await attendees()).toEqual(['u1', 'u3', 'u4'])
    expect(filesWith(workspace, 'u2@people.example')).toEqual([])
  })

  test('if the database is newer than the output folder, export writes the missing packs again', async () => {
    const { source, workspace, follow, shell, sync } = await open('postgres')
    await sync(0, 'run')
    const [makeFolderOfBackup = '', copyFiles = '', dump = ''] = backUpPostgres
    await follow([makeFolderOfBackup, copyFiles])
    rename(source, 'Changed')
    await sync(0, 'run')
    await follow([dump])
    await shell('rm -r out')
    await follow([...restorePostgres, ...restoreOutput.slice(0, 1)])
    await sync(0, 'run')
    expect(await sync(1, 'verify', 'out')).toMatch(
      quoted('follows a pack that is missing here, or whose manifest was changed'),
    )
    const { runs } = await workspace.report('runs', 'summit')
    expect(runs).toHaveLength(3)
    for (const { run } of runs) await sync(0, 'export', String(run))
    expect(await sync(0, 'verify', 'out')).toContain('3 packs, all intact')
  })
})

const PERSON = `select from staging.a_users where doc::text like '%u2@people.example%' or source_id = 'u2'`

function filesWith({ files, read }: Awaited<ReturnType<typeof open>>['workspace'], text: string) {
  return files('out').filter((name) => read('out', name).includes(text))
}

describe('the embedded database', () => {
  const withoutServer = drill.filter((line) => !line.includes('event_sync_drill'))

  test('status reports that a process uses the embedded database; a restored copy of the folder can be used', async () => {
    const { source, workspace, follow, sync } = await open('pglite')
    await sync(0, 'run')
    const holder = await startHolder(join(workspace.folder, '.event-sync', 'db'))
    expect(await sync(5, 'status')).toMatch(quoted('the embedded database in … is in use by process …'))
    await holder.kill()
    await follow(backUpEmbedded)
    const printed = await follow(withoutServer)
    expect(printed).toMatch(/^summit +up to date/m)
    expect(printed).toContain('all intact')
    expect(printed).toContain('summit: planned, nothing to change')

    rename(source, 'Changed')
    await sync(0, 'run')
    await follow(restoreEmbedded)
    expect(await sync(64, 'run')).toMatch(quoted(OLDER_THAN_PACKS))
    expect(await follow(bringUpToDate)).toMatch(quoted('gap: the database that wrote it did not know'))
    expect(await sync(0, 'run')).toContain('nothing to change')
  })

  test('if the target is a file, the product cannot see that database and packs are both old; a new database sends every item again', async () => {
    const { source, follow, shell, sync } = await open('pglite')
    await sync(0, 'run')
    await follow(backUpEmbedded)
    rename(source, 'Changed')
    await sync(0, 'run')
    rename(source, 'Opening')
    await shell('rm -r out')
    await follow([...restoreEmbedded, ...restoreOutput.slice(0, 1)])
    // The platform has the title from the lost run. The restored database has the old title, and the source
    // has the old title again.
    expect(await sync(0, 'run')).toContain('nothing to change')
    await shell('rm -r out .event-sync')
    expect(await sync(0, 'run')).toContain('summit: applied, 7 changes')
  })
})

describe('if a key is lost', () => {
  const LOST = 'neither sealingKey nor formerSealingKeys has the key'

  async function begin(more: object = {}) {
    const { source, workspace } = await workspaceOfSmallEvent()
    workspace.env.EVENT_SYNC_KEY = SEALING_KEY
    const configure = (output = './out') =>
      workspace.configure({ ...configOfA(source.url), sealingKey: 'env:EVENT_SYNC_KEY', output, ...more })
    configure()
    expect((await workspace.run('run')).code).toBe(0)
    const loseKey = () => {
      workspace.env.EVENT_SYNC_KEY = Buffer.alloc(32, 9).toString('base64')
    }
    return { source, workspace, configure, loseKey }
  }
  const newDatabase = () => copyDatabase(inject('postgresUrl'), inject('postgresTemplate'))

  test('if sealingKey is lost and people were forgotten, a new database and output folder are needed, and the people must be forgotten again before the first run', async () => {
    const { workspace, configure, loseKey } = await begin()
    expect((await workspace.run('forget', 'summit', 'attendees', 'u2', '--remove')).code).toBe(0)
    loseKey()
    for (const command of ['run', 'plan'])
      expect(await workspace.run(command)).toMatchObject({
        code: 64,
        stderr: expect.stringMatching(quoted(LOST)),
      })
    workspace.env.DATABASE_URL = await newDatabase()
    configure('./out-2')
    expect((await workspace.run('plan')).code).toBe(2)
    expect((await workspace.run('forget', 'summit', 'attendees', 'u2')).code).toBe(0)
    const { code, runs } = await workspace.report('run')
    expect([code, runs[0]?.changes.attendees?.create]).toEqual([0, 3])
  })

  test('if sealingKey is lost and only items were suppressed, suppressions renew writes the suppressions with the new key', async () => {
    const { workspace, loseKey } = await begin()
    expect((await workspace.run('suppress', 'summit', 'agenda', '101')).code).toBe(0)
    loseKey()
    expect((await workspace.run('run')).code).toBe(64)
    expect((await workspace.run('suppressions', 'renew', 'summit')).code).toBe(0)
    const { code, runs } = await workspace.report('run')
    expect([code, runs[0]?.changes.agenda?.remove]).toEqual([0, 1])
  })

  test('if the signing key is lost, verify needs both public keys, and run --refresh needs --unsigned', async () => {
    const [lost, next] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')]
    const { source, workspace } = await begin()
    const { folder, env } = workspace
    for (const [name, { publicKey }] of Object.entries({ lost, next }))
      writeFileSync(join(folder, `${name}.pem`), publicKey.export({ type: 'spki', format: 'pem' }))
    const sign = ({ privateKey }: typeof lost) => {
      env.SIGNING_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    }
    sign(lost)
    env.DATABASE_URL = await newDatabase()
    workspace.configure({
      ...configOfA(source.url),
      output: './signed',
      audit: { signingKey: 'env:SIGNING_KEY' },
    })
    expect((await workspace.run('run')).code).toBe(0)
    const backup = await copyDatabase(inject('postgresUrl'), env.DATABASE_URL)
    rename(source, 'Changed')
    expect((await workspace.run('run')).code).toBe(0)
    env.DATABASE_URL = backup
    sign(next)
    expect((await workspace.run('run', 'summit', '--refresh')).code).toBe(64)
    expect((await workspace.run('run', 'summit', '--refresh', '--unsigned')).code).toBe(0)
    const keys = ['--public-key', 'lost.pem', '--public-key', 'next.pem']
    expect((await workspace.run('verify', 'signed', ...keys)).stdout).toContain('3 packs, all intact')
  })
})

test.runIf(bin !== null)(
  'each command of the page was run (skipped without an installed PostgreSQL 15)',
  () => {
    expect([...ran].toSorted()).toEqual([...new Set(commands.flat())].toSorted())
  },
)
