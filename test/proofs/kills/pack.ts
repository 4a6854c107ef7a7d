import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOperations, sha256Of } from '../../harness/read-pack.ts'

/** The files of a run's pack by name. The files must be equal to the files of a run without kills. */
export type Pack = ReadonlyMap<string, string>

/**
 * Reads the files of a pack. If the manifest or the checksums do not fit the files, the fault is returned as
 * an additional entry.
 */
export function readPack(folder: string): Pack {
  const pack = new Map<string, string>()
  const names = existsSync(folder) ? readdirSync(folder).sort() : []
  pack.set('names of its files', names.join(' '))
  for (const name of names) {
    const text = readFileSync(join(folder, name), 'utf8')
    if (name.endsWith('.csv')) pack.set(name, text)
    if (name === 'operations.jsonl') pack.set(name, withoutRun(folder))
    if (name === 'SHA256SUMS') pack.set('files that SHA256SUMS denies', denied(folder, text).join(' '))
  }
  return pack
}

/** Lists the operations of a pack as texts that contain the unique ID of the item. */
export function operationsIn(pack: Pack): readonly string[] {
  return (pack.get('operations.jsonl') ?? '').split('\n').flatMap((line) => {
    const operation: Record<string, unknown> = line === '' ? {} : JSON.parse(line)
    return operation.op === undefined ? [] : [`${operation.op} ${operation.content} ${operation.uniqueId}`]
  })
}

/**
 * Returns the operations file without the run's id. The header contains the id, and the trailer contains a
 * hash over the header; this function checks that hash.
 */
function withoutRun(folder: string): string {
  const { header, operations, faults } = readOperations(folder)
  const { run, ...rest } = header
  const lines = [{ ...rest, hasRun: typeof run === 'string' }, ...operations, { faults: faults.length }]
  return lines.map((line) => JSON.stringify(line)).join('\n')
}

function denied(folder: string, sums: string): readonly string[] {
  return sums.split('\n').flatMap((line) => {
    const [sum, name] = line.split(/\s+\*?/)
    if (name === undefined || name === '') return []
    const path = join(folder, name)
    return existsSync(path) && sha256Of(readFileSync(path)) === sum ? [] : [name]
  })
}
