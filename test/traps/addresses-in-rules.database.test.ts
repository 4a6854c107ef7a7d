import { describe, expect, test } from 'vitest'
import { readPack } from '../harness/read-pack.ts'
import { engines } from '../support/engines.ts'
import { useOneFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'
import { syncRecords } from './sync.ts'
import { aUser } from './traps-of-a.ts'

const RULES = {
  whole: 'ZOE\u0308@xn--bcher-kva.example',
  local: { startsWith: 'bo\u0308' },
  domain: { endsWith: '@xn--mnchen-3ya.example' },
  part: { contains: 'Köln' },
}

const USERS = {
  'whole, as the rule': 'zoe\u0308@xn--bcher-kva.example',
  'whole, in NFC and Unicode': 'Zoë@bücher.example',
  'local, in NFC': 'bö@people.example',
  'domain, in Unicode and NFD': 'ada@mu\u0308nchen.example',
  'part, in Unicode': 'ada@köln.example',
  'part, in punycode': 'ada@xn--kln-sna.example',
  'none, another domain': 'zoë@books.example',
  'none, without the marks': 'zoe@bücher.example',
}

describe.each(engines)('rules of exclude on e-mail addresses, on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useOneFolder()

  test('a rule treats an address in NFC and in NFD as equal, also with its domain in Unicode and in punycode [R42]', async () => {
    const exclude = Object.entries(RULES).map(([name, emailAddress]) => ({
      name,
      content: 'attendees',
      where: { emailAddress },
    }))
    const users = Object.entries(USERS).map(([id, address]) => aUser(id, { EmailAddress: address }))
    const place = { database: database(), output, id: 'addresses' }
    const { output: folder } = await syncRecords(place, { source: { type: 'a' }, exclude }, { Users: users })
    const { decisions } = readPack(folder ?? '')
    const reasons = decisions
      .filter(({ content }) => content === 'attendees')
      .map(({ sourceId, reason }) => [sourceId, reason])
    expect(Object.fromEntries(reasons)).toEqual(
      Object.fromEntries(
        Object.keys(USERS).map((id) => {
          const [rule] = id.split(',')
          return [id, rule === 'none' ? null : `excluded_by_rule:${rule}`]
        }),
      ),
    )
  })
})
