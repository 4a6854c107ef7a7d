import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Explanation } from '../../../pipeline/explain/explanation.ts'
import type { Database } from '../../../sql/database.ts'
import type { Resources, Setup } from '../../traps/sync.ts'
import { type Integration, makeIntegration, serve } from '../guarded-integration.ts'

let count = 0

/** An integration that is synced and explained; the source's records can change. */
export interface Story extends Integration {
  readonly id: string
  hold(records: Resources): void
}

/** Starts a story over a source on loopback; nothing has been run. */
export async function begin(database: Database, setup: Setup, records: Resources): Promise<Story> {
  const output = mkdtempSync(join(tmpdir(), 'event-sync-explain-'))
  onTestFinished(() => rmSync(output, { recursive: true, force: true }))
  const server = await serve(setup, records)
  onTestFinished(() => server.close())
  count += 1
  const id = `explained-${count}`
  return { ...makeIntegration({ database, output, id }, server.url, setup), id, hold: server.hold }
}

/** One field of an explanation. */
export function fieldOf({ fields }: Explanation, name: string) {
  const field = fields.find((one) => one.field === name)
  if (field === undefined) throw new Error(`no field ${name} is explained`)
  return field
}

/** Places as `users u1 $.FirstName: "Ada"`, or what is there instead of a value. */
export function placesOf(origins: Explanation['fields'][number]['from']): readonly string[] {
  return origins.map(({ resource, sourceId, path, there, value }) => {
    return `${resource} ${sourceId} ${path}: ${there === 'value' ? JSON.stringify(value) : there}`
  })
}
