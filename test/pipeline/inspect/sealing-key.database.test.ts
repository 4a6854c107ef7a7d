import { expect, test } from 'vitest'
import { recordChangedKeys } from '../../../pipeline/context/changed-keys.ts'
import { checkSealingKey } from '../../../pipeline/inspect/set-up.ts'
import { openPlace } from '../../harness/place.ts'
import { useFolder } from '../../support/folder.ts'
import { useDatabase } from '../../support/use-database.ts'
import { integrationOfA } from '../commands/small-event.ts'

const database = useDatabase('postgres')
const folder = useFolder()
const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64')

test('check says that sealingKey is not the key of the last run, and what to do, unless formerSealingKeys has that key', async () => {
  const open = (config: Readonly<Record<string, unknown>>) =>
    openPlace({
      database: database(),
      output: folder(),
      integration: integrationOfA('summit', 'http://127.0.0.1:9'),
      config,
      env: { KEY: keyOf(1), OTHER_KEY: keyOf(2) },
    })
  const check = (config: Readonly<Record<string, unknown>>) => {
    const { context, integration } = open(config)
    return checkSealingKey(context, integration, database())
  }
  expect(await check({ sealingKey: 'env:KEY' })).toEqual([])
  await recordChangedKeys(database().kysely, open({ sealingKey: 'env:KEY' }).context, 'summit')
  expect(await check({ sealingKey: 'env:KEY' })).toEqual([])
  const unknown = {
    status: 'not checkable',
    seen: expect.stringMatching(
      /^neither sealingKey nor formerSealingKeys has the key of the last run \(fingerprint [0-9a-f]{64}\)$/,
    ),
    todo: expect.stringMatching(/^if the key was changed by mistake, set the key of the last run again; /),
  }
  expect(await check({ sealingKey: 'env:OTHER_KEY' })).toMatchObject([unknown])
  expect(await check({})).toMatchObject([unknown])
  const rotated = await check({ sealingKey: 'env:OTHER_KEY', formerSealingKeys: ['env:KEY'] })
  expect(rotated).toMatchObject([{ status: 'ok' }])
})
