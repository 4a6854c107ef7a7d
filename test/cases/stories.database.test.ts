// These tests run on both engines, PostgreSQL and PGlite, because a run must write the same bytes on both.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChecks } from '../../pipeline/run/sql-checks.ts'
import type { Database } from '../../sql/database.ts'
import { type Engine, engines, openEngine } from '../support/engines.ts'
import { useOneFolder } from '../support/folder.ts'
import { expectedFile, folders, readInput, readStory, type Story } from './story.ts'
import { syncOnce } from './sync-once.ts'

/**
 * Each folder next to this file is a story: one integration and several syncs. A comment in `story.yaml` says
 * what the story shows. The folder `input/` has the source's records at each sync. The folder `expected/` has
 * every byte of the result, worked out by hand from the specification.
 */
const stories = folders(import.meta.dirname).map((name) => readStory(join(import.meta.dirname, name)))

/** Files that are compared byte for byte with the expected files of a story. */
const FILES = [
  'operations.jsonl',
  ...['agenda.csv', 'speakers.csv', 'attendees.csv', 'decisions.csv', 'changes.csv'],
]

describe.each(engines)('on %s', (engine: Engine) => {
  let database: Database
  const output = useOneFolder()
  beforeAll(async () => {
    database = await openEngine(engine)
  })
  afterAll(() => database?.close())

  test.each(stories)('$name', async (story: Story) => {
    let runs = 0
    const sync = (files: Readonly<Record<string, readonly unknown[]>>) => {
      runs += 1
      const runId = `01a1fda0-0000-7000-8000-${String(runs).padStart(12, '0')}`
      return syncOnce({ story, database, output, files, runId })
    }
    for (const [step, files] of readInput(story)) {
      const first = await sync(files)
      const { changes, excluded, quarantined, certified, held } = first
      expect({ changes, excluded, quarantined, certified, held }, `${step}: report`).toEqual(
        JSON.parse(readFileSync(join(story.folder, 'expected', step, 'report.json'), 'utf8')),
      )
      for (const file of FILES) {
        expect(read(first.output, file), `${step}: ${file}`).toBe(expectedFile(story, step, file, first))
      }

      const second = await sync(files)
      expect(operations(second.output), `${step}, again: operations`).toHaveLength(0)
      for (const { unchanged, ...planned } of Object.values(second.changes)) {
        expect(planned, `${step}, again: changes`).toEqual({ create: 0, update: 0, remove: 0 })
        expect(unchanged).toBeGreaterThanOrEqual(0)
      }
      for (const file of ['agenda.csv', 'speakers.csv', 'attendees.csv']) {
        const now = read(first.output, file).replaceAll(
          /^("[^"\r\n]+"),"(?:create|update)",/gm,
          '$1,"unchanged",',
        )
        expect(read(second.output, file), `${step}, again: ${file}`).toBe(now)
      }
    }
  })

  test('after every story, no check of sql/checks reports a row of the database', async () => {
    for (const { name, query } of [...findChecks('before-apply'), ...findChecks('after-apply')]) {
      for await (const { rows } of database.readOnly(query)) expect(rows, name).toEqual([])
    }
  })
})

test('every story has the same syncs in its folders input/ and expected/', () => {
  for (const { folder } of stories) {
    expect(folders(join(folder, 'expected'))).toEqual(folders(join(folder, 'input')))
    expect(existsSync(join(folder, 'story.yaml'))).toBe(true)
  }
  expect(readdirSync(import.meta.dirname).length).toBeGreaterThan(9)
})

function read(folder: string | null, file: string): string {
  return readFileSync(join(folder ?? '', file), 'utf8')
}

function operations(folder: string | null): readonly string[] {
  return read(folder, 'operations.jsonl').split('\n').slice(1, -2)
}
