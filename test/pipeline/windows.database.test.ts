import { openAsBlob, readdirSync, readFileSync } from 'node:fs'
import { constants, open } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { expect, inject, test } from 'vitest'
import { rebuild } from '../../pipeline/database/pglite-rebuild.ts'
import type { ScrubPoint } from '../../sql/database.ts'
import { useFolder } from '../support/folder.ts'

const folder = useFolder()

/** Returns true if a file handle was opened for writing, according to Linux. */
function isWritable(handle: number): boolean {
  const [, flags = '0'] = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${handle}`, 'utf8')) ?? []
  return (Number.parseInt(flags, 8) & (constants.O_WRONLY | constants.O_RDWR)) !== 0
}

/** Runs work while read-only file handles cannot be flushed to the disk, as on Windows. */
async function flushingAsOnWindows(work: () => Promise<unknown>): Promise<void> {
  const handle = await open(import.meta.filename, 'r')
  const prototype = Object.getPrototypeOf(handle)
  await handle.close()
  const { sync } = prototype
  prototype.sync = async function (this: { readonly fd: number }) {
    if (!isWritable(this.fd)) throw Object.assign(new Error('EPERM: fsync'), { code: 'EPERM' })
    await sync.call(this)
  }
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {}
  Object.defineProperty(process, 'platform', { ...platform, value: 'win32' })
  try {
    await work()
  } finally {
    prototype.sync = sync
    Object.defineProperty(process, 'platform', platform)
  }
}

test.runIf(process.platform === 'linux')(
  'the embedded database is rebuilt even if read-only files cannot be flushed',
  async () => {
    const dataDir = join(folder(), 'db')
    const loadDataDir = await openAsBlob(inject('emptyPGlite'))
    const pglite = await PGlite.create({ dataDir, loadDataDir })
    const points: ScrubPoint[] = []
    const makeTable = async (database: PGlite) =>
      void (await database.exec(
        'create schema if not exists staging; create table staging.kept (id integer)',
      ))
    await makeTable(pglite)
    await flushingAsOnWindows(() =>
      rebuild(pglite, dataDir, {
        at: (point) => points.push(point),
        prepare: makeTable,
        finish: async () => undefined,
      }),
    )
    expect(points.at(-1)).toBe('rebuilt in place')
    expect(readdirSync(folder())).toEqual(['db'])
  },
)
