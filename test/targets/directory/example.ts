import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fields } from '../../../sql/tables.ts'
import type { TargetExample } from '../example.ts'

/** Reads the items from the directory, without the product's code. */
export const exampleDirectory: TargetExample = {
  start: async (folder) => ({
    platform: { type: 'directory', path: folder, eventId: 'event' },
    async items() {
      const event = join(folder, 'event')
      if (!existsSync(event)) return {}
      const files = globSync('*/*.json', { cwd: event }).toSorted()
      return Object.fromEntries(
        files.map((file): [string, Fields] => {
          const { uniqueId, fields } = JSON.parse(readFileSync(join(event, file), 'utf8'))
          return [`${file.split('/')[0]} ${uniqueId}`, fields]
        }),
      )
    },
    close: async () => undefined,
  }),
}
