import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Operation } from '../../loaders/platform/target.ts'
import type { Fields } from '../../sql/tables.ts'
import type { TargetExample } from './example.ts'

/**
 * The example for the target `jsonl`. The items of its platform are the result of all operations files,
 * applied in the order of the runs.
 */
export const exampleJsonl: TargetExample = {
  start: async (_folder, packs) => ({
    platform: { type: 'jsonl' },
    async items() {
      const items = new Map<string, Fields>()
      const runs = existsSync(packs) ? readdirSync(packs).toSorted() : []
      for (const file of runs.map((run) => join(packs, run, 'operations.jsonl')).filter(existsSync)) {
        for (const operation of operationsIn(readFileSync(file, 'utf8'))) {
          const name = `${operation.content} ${operation.uniqueId}`
          if (operation.op === 'upsert') items.set(name, operation.fields)
          else items.delete(name)
        }
      }
      return Object.fromEntries(items)
    },
    close: async () => undefined,
  }),
}

function operationsIn(text: string): readonly Operation[] {
  const [, ...lines] = text.trimEnd().split('\n')
  return lines.slice(0, -1).map((line): Operation => JSON.parse(line))
}
