import { createHash } from 'node:crypto'
import type { Phase } from '../../sql/tables.ts'
import type { Operation, PlanHeader } from './target.ts'

interface BatchHeader extends PlanHeader {
  readonly fence: number
  readonly phase: Phase
}

/** The body of a batch (`contract/platform.schema.json`). The same operations give the same bytes. */
export function bodyOf(
  { contract, integration, run, planHash, fence, phase }: BatchHeader,
  operations: readonly Operation[],
  passwords: ReadonlyMap<string, string> = new Map(),
): string {
  const sent = operations.map((operation) => {
    const password = operation.content === 'attendees' ? passwords.get(operation.uniqueId) : undefined
    return password === undefined ? operation : { ...operation, password }
  })
  return JSON.stringify({ contract, integration, run, planHash, fence, phase, operations: sent })
}

/** Of a body without passwords: no hash may give anything of them away. */
export function sha256Of(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}

/** Takes operations from the front until their count or their bytes in JSON would be too many; one at least. */
export function firstThatFit<Of extends Operation>(
  operations: readonly Of[],
  most: { readonly count: number; readonly bytes: number },
): readonly Of[] {
  let bytes = 0
  const end = operations.findIndex((operation, index) => {
    bytes += Buffer.byteLength(JSON.stringify(operation))
    return index >= most.count || (index > 0 && bytes > most.bytes)
  })
  return end === -1 ? operations : operations.slice(0, end)
}
