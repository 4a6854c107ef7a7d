import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removePlanFiles } from '../../../../loaders/packs/plan-page/plan-files.ts'
import { useFolder } from '../../../support/folder.ts'

const folder = useFolder()

test('the report of a complete pack stays, although the page of a plan has the same name', async () => {
  const names = ['manifest.json', 'report.html']
  for (const name of names) writeFileSync(join(folder(), name), '')
  await removePlanFiles(folder())
  expect(readdirSync(folder()).sort()).toEqual(names)
})
