import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { removeWhole, writeWhole } from '../../../loaders/files/file-writer.ts'
import { readIfThere } from '../../../loaders/files/read.ts'
import { inBatches } from '../../../loaders/platform/deliver.ts'
import {
  type Operation,
  type PlatformPage,
  type PlatformReader,
  type PlatformTarget,
  type Result,
  StaleRunError,
} from '../../../loaders/platform/target.ts'
import { pathSegment, text } from '../../../pipeline/settings/values.ts'
import type { TargetType } from '../../../pipeline/targets/target-type.ts'
import { CONTENTS, type Content, type Fields } from '../../../sql/tables.ts'

const shapeOfDirectory = {
  type: z.literal('directory').describe('Keeps each item as a file in a directory.'),
  path: text()
    .refine(isAbsolute, { error: 'must be an absolute path' })
    .describe('Directory of the platform, absolute.')
    .meta({ examples: ['/srv/platform'] }),
  eventId: pathSegment()
    .describe('The event, a directory within.')
    .meta({ examples: ['1001'] }),
}

/** A target for tests: a platform whose items are files in a directory. */
export const directoryType: TargetType<typeof shapeOfDirectory> = {
  shape: shapeOfDirectory,
  contents: CONTENTS,
  removes: CONTENTS,
  hasFence: true,
  eventOf: ({ path, eventId }) => ({ url: path, eventId }),
  takesPasswords: false,
  writesToPack: false,
  open: ({ path, eventId }) => directoryTarget(join(path, eventId)),
  read: ({ path, eventId }) => directoryReader(join(path, eventId)),
}

const MOST = { count: 100, bytes: 1_000_000 }

/** Stores each item in a file `CONTENT/HASH.json`. Another file contains the fence number of the last run. */
function directoryTarget(folder: string): PlatformTarget {
  return {
    apply: (plan, outbox) =>
      inBatches(outbox, plan, MOST, async (batch) => {
        const highest = await fenceIn(folder)
        if (highest > batch.fence)
          throw new StaleRunError(`a newer run (${highest}) has written to ${folder}`)
        await write(join(folder, 'fence'), `${batch.fence}\n`)
        const results: Result[] = []
        for (const operation of batch.operations) results.push(await carryOut(folder, operation))
        await outbox.record(batch, results)
      }),
  }
}

/** Reads the files back. */
function directoryReader(folder: string): PlatformReader {
  return {
    async *itemsOf(content): AsyncGenerator<PlatformPage> {
      const fence = await fenceIn(folder)
      for (const name of await filesOf(folder, content)) {
        const text = await readIfThere(join(folder, content, name))
        if (text === null) continue
        const { uniqueId, fields }: { uniqueId: string; fields: Fields } = JSON.parse(text.toString('utf8'))
        yield { items: [{ content, uniqueId, fields }], fence }
      }
    },
    stateOf: async (content) => ({
      fence: await fenceIn(folder),
      total: (await filesOf(folder, content)).length,
    }),
  }
}

async function carryOut(folder: string, operation: Operation): Promise<Result> {
  const { seq, op, content, uniqueId } = operation
  const name = createHash('sha256').update(uniqueId).digest('hex')
  const path = join(folder, content, `${name}.json`)
  const isThere = (await readIfThere(path)) !== null
  if (op === 'remove') {
    if (isThere) await removeWhole(path)
    return { seq, status: isThere ? 'removed' : 'unchanged' }
  }
  await write(path, `${JSON.stringify({ uniqueId, fields: operation.fields })}\n`)
  return { seq, status: isThere ? 'updated' : 'created' }
}

async function write(path: string, text: string): Promise<void> {
  await writeWhole(path, (file) => file.write(text), { mode: 'private' })
}

async function fenceIn(folder: string): Promise<number> {
  return Number((await readIfThere(join(folder, 'fence')))?.toString('utf8') ?? 0)
}

/** Returns the files that were written completely; none if the folder does not exist yet. */
async function filesOf(folder: string, content: Content): Promise<readonly string[]> {
  const names = await readdir(join(folder, content)).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
  return names.filter((name) => name.endsWith('.json'))
}
