/**
 * Tests the embedded database on a disk that becomes full: `npm run disks [-- --levels N]`, as root on Linux.
 *
 * The real command makes a first run, or forgets a person. The test repeats both commands on a tmpfs and on
 * an ext4 image, each with 30 amounts of free space. The test also uses a tmpfs with 30 numbers of free
 * inodes. A check of free space cannot notice missing inodes. The command must end by itself within a minute,
 * with exit code 0 or 1. If the exit code is 1, the message of the command must name the disk and say if the
 * platform was touched. After the test has freed space, the next run must finish, and the platform must have
 * each item of the source once. The packs must be intact, and the forgotten person must not come back.
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { toTable } from '../../pipeline/commands/io.ts'
import { CONTENTS } from '../../sql/tables.ts'
import { eventOfA, usersOf } from '../bench/sample-registrants.ts'
import { judgePlatform, lookAt, type WantedItem } from '../harness/platform-judge.ts'
import { environmentWith, startNode } from '../harness/process.ts'
import { samplePlatformDefaults, startSamplePlatform } from '../harness/sample-platform/start.ts'
import { type SourceAData, startSampleSourceA } from '../harness/sample-source/a.ts'

const { values } = parseArgs({ options: { levels: { type: 'string', default: '30' } } })
const LEVELS = Number(values.levels)
const PEOPLE = 1500
const SHAPE = { sessions: 300, speakersInHundred: 20 }
const MB = 1024 * 1024
const DISK_BYTES = 200 * MB
/**
 * Free bytes and free inodes at the highest level. The values are about what a first run needs, and what
 * `forget` needs after a first run.
 */
const MOST_FREE = { bytes: { run: 96 * MB, forget: 110 * MB }, files: { run: 1500, forget: 1700 } }
const HANGS_MS = 60_000
const CLI = fileURLToPath(new URL('../../pipeline/cli.ts', import.meta.url))

const DISKS = ['tmpfs', 'ext4', 'few files'] as const
type Disk = (typeof DISKS)[number]
const WORK = ['run', 'forget'] as const
type Work = (typeof WORK)[number]
const FORGOTTEN = '5'
/** Maximum length of the command's output; an error that the engine itself printed would be longer. */
const MOST_SAID = 10_000

const root = mkdtempSync(join(tmpdir(), 'event-sync-disks-'))
const disk = join(root, 'disk')
const image = join(root, 'image')
mkdirSync(disk)
const data = { ...eventOfA(PEOPLE, SHAPE), Users: [...usersOf(PEOPLE, SHAPE)] } as unknown as SourceAData
const source = await startSampleSourceA(data)

function mount(kind: Disk): void {
  if (kind === 'ext4') {
    execFileSync('truncate', ['-s', String(DISK_BYTES), image])
    execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', image])
    execFileSync('mount', ['-o', 'loop', image, disk])
  } else execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', disk])
}

/** Fills the disk with data or with files until only the free space of this level is left. */
function leave(kind: Disk, work: Work, level: number): void {
  const share = level / (LEVELS - 1)
  const { bavail, bsize, files, ffree } = statfsSync(disk)
  if (kind === 'few files') {
    const left = Math.round(MOST_FREE.files[work] * share)
    execFileSync('mount', ['-o', `remount,nr_inodes=${files - ffree + left}`, disk])
    return
  }
  // The file system ext4 needs the last blocks of the disk for its own metadata.
  const ballast = bavail * bsize - MB - Math.round(MOST_FREE.bytes[work] * share)
  if (ballast > 0) execFileSync('fallocate', ['-l', String(ballast), join(disk, 'ballast')])
}

function free(kind: Disk): void {
  if (kind === 'few files') execFileSync('mount', ['-o', 'remount,nr_inodes=100000', disk])
  rmSync(join(disk, 'ballast'), { force: true })
}

/** Starts a platform that stores its data on another disk, and writes the configuration into a folder. */
async function openPlace(folder: string) {
  const storage = mkdtempSync(join(root, 'platform-'))
  const platform = await startSamplePlatform({ storage })
  const { eventId, token } = samplePlatformDefaults
  const integration = {
    id: 'summit',
    source: { type: 'a', url: source.url, eventId: '4242' },
    platform: { type: 'http', url: platform.url, eventId, token: 'env:TOKEN' },
    passwords: { mode: 'random', storeEncryptedPassword: true },
  }
  const config = { sealingKey: 'env:SEALING_KEY', integrations: [integration] }
  writeFileSync(join(folder, 'event-sync.yaml'), JSON.stringify(config))
  const env = environmentWith({ SEALING_KEY: Buffer.alloc(32, 7).toString('base64'), TOKEN: token })
  return {
    platform,
    command: (...args: string[]) =>
      startNode([CLI, ...args], { folder, env, input: '', hangsAfterMs: HANGS_MS }).ended,
    async close() {
      await platform.close()
      rmSync(storage, { recursive: true })
    },
  }
}

const faults: string[] = []
const note = (...found: readonly string[]) => {
  faults.push(...found)
  for (const fault of found) process.stderr.write(`${fault}\n`)
}

/**
 * Runs the command on the full disk, frees space, and runs the integration again.
 *
 * @returns the exit code of the command on the full disk
 */
async function tryLevel(kind: Disk, work: Work, level: number, whole: readonly WantedItem[]) {
  const place = `${kind}, ${work}, level ${level} of ${LEVELS}`
  mount(kind)
  const { platform, command, close } = await openPlace(disk)
  const expectOk = async (...args: string[]) => {
    const { code, stderr } = await command(...args)
    if (code !== 0) note(`${place}: ${args.join(' ')} ended with ${code}: ${stderr.slice(-300)}`)
  }
  const given = work === 'run' ? ['run'] : ['forget', 'summit', 'attendees', FORGOTTEN]
  try {
    if (work === 'forget') await expectOk('run')
    leave(kind, work, level)
    const { code, isHung, stdout, stderr } = await command(...given)
    const said = `${stdout}${stderr}`
    if (isHung || (code !== 0 && code !== 1))
      note(`${place}: ended with ${isHung ? 'a kill' : code}: ${said.slice(-300)}`)
    if (code === 1 && !(said.includes(disk) && /ENOSPC|too full/.test(said) && said.includes('platform')))
      note(`${place}: unclear: ${said.slice(-400)}`)
    if (said.length > MOST_SAID) note(`${place}: ${said.length} characters were printed`)
    free(kind)
    if (work === 'forget') await expectOk(...given)
    await expectOk('run')
    await expectOk('verify', 'out')
    const look = await lookAt(platform)
    const wanted = whole.filter(
      ({ content, uniqueId }) => work === 'run' || content === 'agenda' || uniqueId !== FORGOTTEN,
    )
    note(
      ...judgePlatform(look, wanted, null)
        .slice(0, 3)
        .map((fault) => `${place}: ${fault}`),
    )
    await expectOk('run')
    const sent = (await lookAt(platform)).ledger.length - look.ledger.length
    if (sent > 0) note(`${place}: the last run sent ${sent} operations`)
    return code
  } finally {
    execFileSync('umount', [disk])
    await close()
  }
}

/** Returns the items that the platform has after a run without a full disk. */
async function findWhole(): Promise<readonly WantedItem[]> {
  const { platform, command, close } = await openPlace(mkdtempSync(join(root, 'whole-')))
  const { code, stderr } = await command('run')
  if (code !== 0) throw new Error(`the undisturbed run ended with ${code}: ${stderr}`)
  const { items } = await platform.control('state')
  await close()
  return CONTENTS.flatMap((content) =>
    items[content].map(({ uniqueId, fields }) => ({ content, uniqueId, fields })),
  )
}

const rows: (string | number)[][] = []
try {
  const whole = await findWhole()
  for (const kind of DISKS) {
    for (const work of WORK) {
      const codes: (number | null)[] = []
      for (let level = 0; level < LEVELS; level += 1) codes.push(await tryLevel(kind, work, level, whole))
      const count = (of: number) => codes.filter((code) => code === of).length
      rows.push([kind, work, LEVELS, count(1), count(0)])
      if (count(1) === 0 || count(0) === 0)
        note(`${kind}, ${work}: the levels do not reach from full to roomy`)
    }
  }
} finally {
  await source.close()
  rmSync(root, { recursive: true, force: true })
}
process.stdout.write(toTable(['disk', 'work', 'levels', 'ended with 1', 'ended with 0'], rows))
process.stdout.write(`${faults.length} faults\n`)
process.exitCode = faults.length === 0 ? 0 : 1
