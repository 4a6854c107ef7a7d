import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files of a run's pack that must be those of the undisturbed run, by name. */
export type Pack = ReadonlyMap<string, string>

/** Reads a pack; faults in what it says of itself are entries of their own. */
export function readPack(folder: string): Pack {
  const pack = new Map<string, string>()
  const names = existsSync(folder) ? readdirSync(folder).sort() : []
  pack.set('names of its files', names.join(' '))
  for (const name of names) {
    const text = readFileSync(join(folder, name), 'utf8')
    if (name.endsWith('.csv')) pack.set(name, text)
    if (name === 'operations.jsonl') pack.set(name, withoutRun(text))
    if (name === 'SHA256SUMS') pack.set('files that SHA256SUMS denies', denied(folder, text).join(' '))
  }
  return pack
}

/** Unique ids of the items that a pack's operations touch, with what they do. */
export function operationsIn(pack: Pack): readonly string[] {
  return (pack.get('operations.jsonl') ?? '').split('\n').flatMap((line) => {
    const operation: Record<string, unknown> = line === '' ? {} : JSON.parse(line)
    return operation.op === undefined ? [] : [`${operation.op} ${operation.content} ${operation.uniqueId}`]
  })
}

/** SHA-256 of a file of a pack. */
export function sha256Of(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

/** The run's id stands in the header, and so in the trailer's hash, which is checked here. */
function withoutRun(text: string): string {
  const lines = text.split('\n')
  const last = lines.length - 2
  const before = lines.slice(0, last).map((line) => `${line}\n`)
  const { run, ...header } = JSON.parse(lines[0] ?? '{}')
  const { sha256, ...trailer } = JSON.parse(lines[last] ?? '{}')
  const isRight = sha256 === createHash('sha256').update(before.join('')).digest('hex')
  return [
    JSON.stringify({ ...header, hasRun: typeof run === 'string' }),
    ...lines.slice(1, last),
    JSON.stringify({ ...trailer, isRight }),
  ].join('\n')
}

function denied(folder: string, sums: string): readonly string[] {
  return sums.split('\n').flatMap((line) => {
    const [sum, name] = line.split(/\s+\*?/)
    if (name === undefined || name === '') return []
    const path = join(folder, name)
    return existsSync(path) && sha256Of(path) === sum ? [] : [name]
  })
}
