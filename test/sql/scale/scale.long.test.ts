import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startRegistrants } from '../../bench/registrants.ts'
import { createDatabase } from '../../support/postgres.ts'
import { faultsOf } from './plans.ts'
import { measureScale, type Scale } from './scale.ts'

const REGISTRANTS = 10_000
const OF_OTHERS = 5_000

describe('with ten runs of history and nine other integrations', () => {
  const folder = mkdtempSync(join(tmpdir(), 'event-sync-scale-'))
  let scale: Scale

  beforeAll(async () => {
    const source = await startRegistrants(REGISTRANTS, 'pages')
    const databaseUrl = await createDatabase(inject('postgresUrl'))
    const place = { folder, databaseUrl, sourceUrl: source.url }
    scale = await measureScale(place, OF_OTHERS).finally(() => source.stop())
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('there is a history: versions that ended, and integrations beside', () => {
    expect(scale.versions.b_registrants).toBeGreaterThan(REGISTRANTS * 1.1)
    expect(scale.answers).toHaveLength(20)
  })

  test('questions for the present and the past go by indexes, and read no other integration', () => {
    expect(scale.faults).toEqual([])
  })

  test('a plan that reads all, too much or of others is found', () => {
    const [answered] = scale.answers
    if (answered === undefined) throw new Error('there is no answer')
    const versions = { b_registrants: 10 }
    const wrong = { ...answered, scanned: ['b_registrants'], called: ['attendees_as_of'], blocksTouched: 999 }
    expect(faultsOf({ ...wrong, rowsRead: { b_registrants: 21 } }, versions)).toEqual([
      'a record now: reads all of b_registrants',
      'a record now: calls attendees_as_of instead of writing it out',
      'a record now: touches 999 blocks, not 60',
      'a record now: reads 21 rows of b_registrants, of which 10 are of the integration',
    ])
  })
})
