import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { findKnownVersions } from '../../../loaders/staging/known-versions.ts'
import { engines } from '../../support/engines.ts'
import { emptyTables, INTEGRATION, insertStaged, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const hashes = (count: number) => Array.from({ length: count }, () => randomBytes(32))
const hexOf = (hash: Buffer) => hash.toString('hex')

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  beforeEach(() => emptyTables(database().kysely))

  const insert = (list: readonly Buffer[], more: object = {}) =>
    insertStaged(database().kysely, {
      'staging.a_rooms': list.map((hash) => ({ source_id: hexOf(hash), version_hash: hash, ...more })),
    })
  const find = (most?: number) => findKnownVersions(database().kysely, INTEGRATION, 'staging.a_rooms', most)

  test.each([1, 2, 3, 1000])(
    'all of %d current versions are known; past versions and versions of other integrations are not known',
    async (count) => {
      const [current, past, ofOthers, never] = [hashes(count), hashes(count), hashes(count), hashes(count)]
      await insert(current)
      await insert(past, { valid_to_run: runId(2) })
      await insert(ofOthers, { integration_id: 'expo' })
      const known = await find()
      const isKnown = (hash: Buffer) => known?.has(hexOf(hash))
      expect(current.filter(isKnown)).toEqual(current)
      expect([...past, ...ofOthers, ...never].filter(isKnown)).toEqual([])
    },
  )

  test('if the versions do not all fit into memory, only some of them are known', async () => {
    const current = hashes(5)
    await insert(current)
    const known = await find(3)
    expect(current.filter((hash) => known?.has(hexOf(hash)))).toHaveLength(3)
  })

  test('a version is not known if only its first or its last bytes are those of a known version', async () => {
    const [one = Buffer.alloc(0), other = Buffer.alloc(0)] = hashes(2)
    await insert([one])
    const mixed = [
      Buffer.concat([one.subarray(0, 8), other.subarray(8)]),
      Buffer.concat([other.subarray(0, 8), one.subarray(8)]),
    ]
    const known = await find()
    expect([one, ...mixed].map((hash) => known?.has(hexOf(hash)))).toEqual([true, false, false])
  })

  test('no version is known if no version is current', async () => {
    await insert(hashes(2), { valid_to_run: runId(2) })
    expect(await find()).toBeNull()
  })
})
