import { CANARY } from '../event.ts'
import { type Fault, fatal, fault } from '../fault.ts'
import { textReply } from '../reply.ts'

/** Puts one member in front of those of a record. */
const withMember = (record: string, member: string) => `{${member},${record.slice(1)}`

/** Changes the record in the middle of the list, wherever a page begins. */
function inTheMiddle(change: (record: string) => string): NonNullable<Fault['records']> {
  return (list) =>
    list.map((record, index) => (index === Math.floor(list.length / 2) ? change(record) : record))
}

const PROTOTYPE = `"__proto__":{"Id":1,"isPolluted":true},"constructor":{"prototype":{"isPolluted":true}}`

const hugeText = 'x'.repeat(1_000_000)
const manyBrackets = Buffer.from(`[${'['.repeat(5_000_000)}`)

/** A record that cannot be read is quarantined; it may be any of those missed, so nothing of its resource is removed. */
export const recordFaults: readonly Fault[] = [
  ...(
    [
      ['a number that no database holds', (record) => withMember(record, '"Order":1e999999')],
      ['a number of 2000 digits', (record) => withMember(record, `"Order":${'9'.repeat(2000)}`)],
      ['a record without an id', () => `{"Company":"nobody@${CANARY}.example"}`],
      ['a record that is no object', () => `"nobody@${CANARY}.example"`],
      ['null for a record', () => 'null'],
    ] as readonly (readonly [string, (record: string) => string])[]
  ).map(([name, change]) =>
    fault({
      kind: name.includes('number') ? 'a number that no database holds' : 'a record that cannot be read',
      name,
      plays: 'always',
      expected: 'uncertified',
      records: inTheMiddle(change),
    }),
  ),
  fault({
    kind: 'keys named __proto__',
    name: 'keys named __proto__ in every record',
    plays: 'always',
    expected: 'recovered',
    respells: true,
    records: (list) => list.map((record) => withMember(record, PROTOTYPE)),
  }),
  fault({
    kind: 'keys named __proto__',
    name: 'a key named __proto__ beside the list',
    plays: 'always',
    expected: 'recovered',
    play: ({ body, ...honest }, { type }) => {
      const text = body.toString()
      const envelope = type === 'a' ? `{"value":${text}}` : text
      return { ...honest, body: Buffer.from(withMember(envelope, PROTOTYPE)) }
    },
  }),
  fatal({
    kind: 'a record larger than maxRecordBytes',
    play: () => textReply(`[{"Id":1,"Biography":"${hugeText}"}]`),
    says: /a record is larger than http\.maxRecordBytes/,
  }),
  fatal({
    kind: 'a record of five million brackets',
    play: (honest) => ({ ...honest, body: manyBrackets }),
    says: /a record is (?:nested deeper than|larger than http\.maxRecordBytes)/,
  }),
  fatal({
    kind: 'a record of five million brackets',
    name: 'five million objects within one another',
    play: () => textReply(`[${'{"a":'.repeat(1_000_000)}`),
    says: /a record is (?:nested deeper than|larger than http\.maxRecordBytes)/,
  }),
]
