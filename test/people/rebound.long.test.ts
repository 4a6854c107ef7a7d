import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Served } from '../../pipeline/library/contract.ts'
import { forget } from '../../pipeline/people/forget.ts'
import { asAny } from '../../transforms/declare/resource.ts'
import { openPlace, runLast } from '../harness/place.ts'
import { exampleA } from '../sources/a.ts'
import { exampleB } from '../sources/b.ts'
import { recordsOf, type SourceExample } from '../sources/example.ts'
import { engines } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'

const { users: user = {} } = exampleA.full
const grace = { ...user, Id: 'U9', FirstName: 'Grace', LastName: 'Hopper', EmailAddress: 'grace@example.org' }
const namesake = {
  ...user,
  Id: 'U1',
  FirstName: 'Charles',
  LastName: 'Babbage',
  EmailAddress: 'c@example.org',
}

describe.each(engines)('an integration that was bound to Source A before, on %s', (engine) => {
  const database = useDatabase(engine)
  const folder = useFolder()
  let a: Served
  let b: Served
  beforeAll(async () => {
    // In Source A, Ada has another id than in Source B. Her id of Source B belongs to someone else in Source
    // A.
    a = await exampleA.serve(recordsOf(exampleA, { users: [namesake, { ...user, Id: 'U7' }, grace] }))
    b = await exampleB.serve(recordsOf(exampleB))
  })
  afterAll(async () => {
    await Promise.all([a.close(), b.close()])
  })

  const staged = async () => {
    const rows = await database()
      .kysely.selectFrom(asAny('staging.a_users'))
      .selectAll()
      .where('integration_id', '=', 'rebound')
      .execute()
    return JSON.stringify(rows)
  }

  test('forget finds the person in the records of Source A by the address, and erases nobody else', async () => {
    const open = ({ source, env = {} }: SourceExample, url: string) =>
      openPlace({
        database: database(),
        output: folder(),
        env,
        config: { sealingKey: 'env:KEY' },
        integration: { id: 'rebound', source: { ...source, url } },
      })
    expect(await runLast(open(exampleA, a.url))).toMatchObject({ status: 'finished' })
    const { context, integration } = open(exampleB, b.url)
    await runLast({ context, integration }, { rebind: true })
    expect(await staged()).toMatch(/Lovelace.*Hopper/s)

    const ofBoth = await forget(context, integration, { sought: { id: 'U1' }, isDelivered: false })
    expect(ofBoth?.status).toBe('forgotten')
    expect(await staged()).not.toMatch(/Lovelace|ada@example/)
    expect(await staged()).toMatch(/Babbage.*Hopper|Hopper.*Babbage/s)
    const again = await forget(context, integration, { sought: { id: 'U1' }, isDelivered: false })
    expect(again?.status).toBe('again')
    expect(await staged()).toMatch(/Babbage.*Hopper|Hopper.*Babbage/s)

    const ofA = { sought: { address: 'grace@example.org' }, isDelivered: false }
    expect((await forget(context, integration, ofA))?.status).toBe('forgotten')
    expect(await staged()).not.toMatch(/Hopper|grace@example/)
    expect((await forget(context, integration, ofA))?.status).toBe('again')
    expect(await staged()).toContain('Babbage')
  })
})
