import { readdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The embedded engine makes its log in files of this size. */
export const LOG_FILE_BYTES = 16 * 1024 * 1024
/** One file of the log that is begun while work goes on, and one for the end. */
const LOG_ROOM_BYTES = 2 * LOG_FILE_BYTES

/**
 * Bytes that this user can still write on the disk of a folder, or of the nearest existing one above it; a quota can leave less.
 *
 * @returns null if the system does not say
 */
export function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize, blocks } = statfsSync(nearest(folder))
    return blocks === 0 ? null : bavail * bsize
  } catch {
    return null
  }
}

/** The folder, or the nearest existing one above it. */
function nearest(folder: string): string {
  const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined
  return isThere || dirname(folder) === folder ? folder : nearest(dirname(folder))
}

/** `, 12 MB free`; empty where the system does not say. */
export function describeFree(folder: string): string {
  const free = freeBytes(folder)
  return free === null ? '' : `, ${megabytes(free)} free`
}

/** Bytes of a file, or of all files below a folder; 0 where there is none. */
export function sizeOf(folder: string): number {
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat?.isDirectory() !== true) return stat?.size ?? 0
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, file) => {
    // Someone may take a file away meanwhile.
    const found = statSync(join(folder, file), { throwIfNoEntry: false })
    return sum + (found?.isFile() === true ? found.size : 0)
  }, 0)
}

/** Bytes that are to be written in a folder. */
export interface Need {
  /** Name in messages, such as `the embedded database`. */
  readonly what: string
  readonly folder: string
  readonly bytes: number
}

/**
 * Requires that each disk has room for all that is to be written on it.
 *
 * @throws with the folders, what they need and what is free
 */
export function requireRoom(needs: readonly Need[]): void {
  const disks = Map.groupBy(needs, ({ folder }) => statSync(nearest(folder)).dev)
  for (const on of disks.values()) {
    const free = freeBytes(on[0]?.folder ?? '')
    const bytes = on.reduce((sum, need) => sum + need.bytes, 0)
    if (free === null || free >= bytes) continue
    const parts = on
      .filter(({ bytes }) => bytes > 0)
      .map((need) => `${need.what} in ${need.folder} needs about ${megabytes(need.bytes)}`)
    throw new Error(
      `the disk is too full: ${parts.join(', ')}, and there are ${megabytes(free)} free; free ${megabytes(bytes - free)} or more and run again`,
    )
  }
}

/** Bytes of the log of the embedded database, and of the rows that are added to it. */
export function needOfDatabase(folder: string, added = 0): Need {
  return { what: 'the embedded database', folder, bytes: LOG_ROOM_BYTES + added }
}

/** Requires room for the log: without it the engine may stop at any statement. @throws as `requireRoom` does */
export function requireLogRoom({ directory }: { readonly directory: string | null }): void {
  if (directory !== null) requireRoom([needOfDatabase(directory)])
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024).toLocaleString('en')} MB`
}
