import { expect, test } from 'vitest'
import { needsOfRun } from '../../../pipeline/run/room.ts'

test('check counts the embedded database and the first pack together, although it does not open the database', async () => {
  const [directory, outputFolder] = ['/summit/.event-sync/db', '/summit/out']
  expect(await needsOfRun({ database: null, directory, integrationId: 'summit', outputFolder })).toEqual([
    { what: 'the embedded database', folder: directory, bytes: 32 * 1024 * 1024 },
    { what: 'the audit pack', folder: outputFolder, bytes: 1024 * 1024 },
  ])
})
