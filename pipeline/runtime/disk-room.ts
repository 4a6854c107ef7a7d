import { readdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Size of one log file of the embedded database. */
export const LOG_FILE_BYTES = 16 * 1024 * 1024
/**
 * Space for two log files: the file that the engine begins during the work, and the file that it begins at
 * the end of the work.
 */
const LOG_ROOM_BYTES = 2 * LOG_FILE_BYTES

/**
 * Returns how many bytes this user can still write to the disk of a folder. If the folder does not exist, the
 * disk of its nearest existing parent counts. A disk quota can allow less.
 *
 * @returns null if the operating system does not report the free space
 */
export function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize, blocks } = statfsSync(nearest(folder))
    return blocks === 0 ? null : bavail * bsize
  } catch {
    return null
  }
}

/** Returns the folder. If the folder does not exist, returns its nearest existing parent. */
function nearest(folder: string): string {
  const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined
  return isThere || dirname(folder) === folder ? folder : nearest(dirname(folder))
}

/**
 * Returns a text such as `, 12 MB free`. The text is empty if the operating system does not report the free
 * space.
 */
export function describeFree(folder: string): string {
  const free = freeBytes(folder)
  return free === null ? '' : `, ${megabytes(free, Math.floor)} free`
}

/** Returns the size in bytes of a file, or of all files in a folder. Returns 0 if it does not exist. */
export function sizeOf(folder: string): number {
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat?.isDirectory() !== true) return stat?.size ?? 0
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, file) => {
    // Another process may delete a file while this loop runs.
    const found = statSync(join(folder, file), { throwIfNoEntry: false })
    return sum + (found?.isFile() === true ? found.size : 0)
  }, 0)
}

/** How many bytes will be written to a folder. */
export interface Need {
  /** Name of what will be written, for messages. Example: `the embedded database`. */
  readonly what: string
  readonly folder: string
  readonly bytes: number
}

/** Which folders need more space than their disk has, and how much to free. */
export interface FullDisk {
  readonly what: string
  readonly todo: string
}

/** Finds a disk that has no space for everything that will be written to it. */
export function findFullDisk(needs: readonly Need[]): FullDisk | null {
  const disks = Map.groupBy(needs, ({ folder }) => statSync(nearest(folder)).dev)
  for (const on of disks.values()) {
    const free = freeBytes(on[0]?.folder ?? '')
    const bytes = on.reduce((sum, need) => sum + need.bytes, 0)
    if (free === null || free >= bytes) continue
    const parts = on
      .filter(({ bytes }) => bytes > 0)
      .map((need) => `${need.what} in ${need.folder} needs about ${megabytes(need.bytes)}`)
    return {
      what: `the disk is too full: ${parts.join(', ')}, and there are ${megabytes(free, Math.floor)} free`,
      todo: `free ${megabytes(bytes - free)} or more`,
    }
  }
  return null
}

/**
 * Checks that each disk has space for everything that will be written to it.
 *
 * @throws Error with the folders, the bytes that they need and the free bytes
 */
export function requireRoom(needs: readonly Need[]): void {
  const full = findFullDisk(needs)
  if (full !== null) throw new Error(`${full.what}; ${full.todo} and run again`)
}

/** Returns how many bytes the embedded database needs for its log and for added rows. */
export function needOfDatabase(folder: string, added = 0): Need {
  return { what: 'the embedded database', folder, bytes: LOG_ROOM_BYTES + added }
}

/**
 * Checks that the disk has space for the log. Without free space for its log, the engine may stop at any
 * statement.
 *
 * @throws as `requireRoom` does
 */
export function requireLogRoom({ directory }: { readonly directory: string | null }): void {
  if (directory !== null) requireRoom([needOfDatabase(directory)])
}

/** Needs are rounded up, and free space is rounded down, so that what does not fit does not look as if it did. */
function megabytes(bytes: number, round = Math.ceil): string {
  return `${round(bytes / 1024 / 1024).toLocaleString('en')} MB`
}
