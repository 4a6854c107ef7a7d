import { readFile } from 'node:fs/promises'

/** Reads a file that may not be there. @returns null where it is not there; any other fault is thrown */
export async function readIfThere(path: string, absent: readonly string[] = ['ENOENT']) {
  return readFile(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && absent.includes(String(error.code))) return null
    throw error
  })
}
