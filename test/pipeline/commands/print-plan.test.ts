import { describe, expect, test } from 'vitest'
import type { PlannedChange } from '../../../loaders/packs/plan-changes.ts'
import { type Paint, unpainted } from '../../../pipeline/commands/colours.ts'
import { toTable } from '../../../pipeline/commands/io.ts'
import {
  describeChange,
  describeNotLanded,
  describeRest,
  describeSummary,
  toShownChange,
} from '../../../pipeline/commands/plan-output.ts'
import type { RunReport } from '../../../pipeline/runtime/report.ts'

const ESC = '\u001b'

function change(of: Partial<PlannedChange>): PlannedChange {
  return {
    action: 'update',
    content: 'agenda',
    uniqueId: '101',
    reason: '',
    before: null,
    after: null,
    ...of,
  }
}

/** Returns a change as text for people. */
const told = (of: Partial<PlannedChange>, showPersonal = false) =>
  describeChange(change(of), showPersonal, unpainted)

/** Returns the text for an update of one field of a session, without the name of the field. */
function update(before: string | readonly string[], after: string | readonly string[]): string {
  const fields = typeof before === 'string' ? 'name' : 'sessionTracks'
  const text = told({ before: { [fields]: before }, after: { [fields]: after } }, true)
  return text.split('\n')[1]?.replace(/^ {6}~ \w+ {2}/, '') ?? ''
}

describe('a plan for people', () => {
  test('personal values, and ids that are e-mail addresses, are hidden; other ids are shown', () => {
    const speaker: Partial<PlannedChange> = {
      content: 'speakers',
      uniqueId: 'u1',
      before: { lastName: 'Canary', title: 'Dr', sessionIds: ['S1'], attendeeId: 'u1' },
      after: { lastName: 'Lovelace', sessionIds: ['S2'], attendeeId: 'ada@people.example' },
    }
    expect(told(speaker)).toBe(`  ~ update u1 (hidden)
      ~ lastName    (hidden) -> (hidden)
      - title       (hidden)
      ~ sessionIds  + S2, - S1
      ~ attendeeId  "u1" -> (hidden)
`)
    expect(told(speaker, true)).toBe(`  ~ update u1 "Lovelace"
      ~ lastName    "Canary" -> "Lovelace"
      - title       "Dr"
      ~ sessionIds  + S2, - S1
      ~ attendeeId  "u1" -> "ada@people.example"
`)
    const session = { before: { speakerIds: [] }, after: { speakerIds: ['b@c.example', 'u1'] } }
    expect(told(session)).toContain('~ speakerIds  + (hidden), + u1\n')
  })

  test('an id that equals the e-mail address of the item is hidden, even if the address is not valid', () => {
    const keyedBy = (uniqueId: string, emailAddress: string, showPersonal = false) =>
      told({ action: 'remove', content: 'attendees', uniqueId, before: { emailAddress } }, showPersonal)
    expect(keyedBy('ada@c.example', 'Ada@c.example')).toBe('  - remove (hidden)\n')
    expect(keyedBy('ada at home', 'Ada at home')).toBe('  - remove (hidden)\n')
    expect(keyedBy('u1', 'ada@c.example')).toBe('  - remove u1\n')
    expect(keyedBy('ada@c.example', 'Ada@c.example', true)).toBe('  - remove ada@c.example\n')
    expect(told({ action: 'remove', uniqueId: 'x@y' })).toBe('  - remove (hidden)\n')
  })

  test.each([
    ['several lines', 'a\r\nb', '"a\\x0d\\nb"'],
    ['an escape sequence', `${ESC}[2J${ESC}]0;x\u0007`, '"\\x1b[2J\\x1b]0;x\\x07"'],
    ['a control sequence of one character', '\u009b31m', '"\\x9b31m"'],
    ['a change of the writing direction', 'a\u202eb', '"a\\u{202e}b"'],
    ['other line breaks', 'a\u2028b\u0085', '"a\\u{2028}b\\x85"'],
    ['text that looks like an escape or a closing quote', 'a\\nb" -> "c', '"a\\\\nb\\" -> \\"c"'],
    ['letters, joiners and emoji', 'Zoë می‌خواهم 👩‍💻', '"Zoë می‌خواهم 👩‍💻"'],
  ])('a value with %s is shown on one line and without control characters', (_, value, shown) => {
    expect(update('x', value)).toBe(`"x" -> ${shown}`)
  })

  test('control characters in ids, reasons and elements of lists are not shown', () => {
    const text = told({ action: 'remove', uniqueId: `7${ESC}c`, reason: `no${ESC}c` })
    expect(text).toBe('  - remove "7\\x1bc": no\\x1bc\n')
    expect(update([], [`${ESC}c`, 'a, b'])).toBe('+ "\\x1bc", + "a, b"')
  })

  test('a long value is cut and shown with its length; an update of a long value shows the text around the first difference', () => {
    expect(update('x', 'y'.repeat(80))).toBe(`"x" -> "${'y'.repeat(80)}"`)
    expect(update('x', '😀'.repeat(3000))).toBe(`"x" -> "${'😀'.repeat(80)}…" (3000 characters)`)
    const start = 'abcdefghij'.repeat(20)
    expect(update(`${start}old`, `${start}new`)).toBe(
      `"…${start.slice(-20)}old" (203 characters) -> "…${start.slice(-20)}new" (203 characters)`,
    )
    expect(update(start, `${start}!`)).toBe(
      `"…${start.slice(-20)}" (200 characters) -> "…${start.slice(-20)}!" (201 characters)`,
    )
    const long = JSON.rawJSON('1'.repeat(1001))
    expect(told({ after: { 'custom.credits': long } })).toContain(`"${'1'.repeat(80)}…" (1001 characters)\n`)
    // A value that is shown is never cut within an escape sequence.
    expect(update('x', '\n'.repeat(81))).toBe(`"x" -> "${'\\n'.repeat(80)}…" (81 characters)`)
  })

  test.each([
    ['added and removed elements', ['a', 'b', 'c'], ['b', 'd', 'e'], '+ d, + e, - a, - c'],
    ['an element that occurs once more', ['a'], ['a', 'a'], '+ a'],
    ['a changed order', ['a', 'b'], ['b', 'a'], 'in another order: b, a'],
    [
      'the first of many added elements',
      ['z'],
      Array.from({ length: 13 }, (_, place) => `S${place}`),
      `${Array.from({ length: 10 }, (_, place) => `+ S${place}`).join(', ')}, + 3 more, - z`,
    ],
  ])('an update of a list shows %s', (_, before, after, shown) => {
    expect(update(before, after)).toBe(shown)
  })

  test('rejected and withheld changes are listed with their code and with what will happen to the item', () => {
    const outcome = {
      seq: 3,
      action: 'update',
      content: 'attendees',
      uniqueId: 'u1',
      name: '(hidden)',
    } as const
    const rejected = [{ ...outcome, code: 'email_taken', detail: 'planned again by the next run' }]
    const withheld = [
      {
        ...outcome,
        seq: 4,
        action: 'remove',
        reason: 'removed_at_source',
        code: null,
        detail: 'held by removals',
      } as const,
    ]
    const report = { failed: 12, withheld: 1, output: null } as RunReport
    expect(describeNotLanded({ rejected, withheld }, report)).toBe(`\
rejected  content    unique id  name      action  reason  code         what follows
--------  ---------  ---------  --------  ------  ------  -----------  -----------------------------
3         attendees  u1         (hidden)  update          email_taken  planned again by the next run
… 11 more: --sample 12

withheld  content    unique id  name      action  reason             code  what follows
--------  ---------  ---------  --------  ------  -----------------  ----  ----------------
4         attendees  u1         (hidden)  remove  removed_at_source        held by removals

`)
    expect(describeNotLanded({ rejected: [], withheld: [] }, report)).toBe('')
  })

  test('created items are green, updated items are yellow, removed items are red', () => {
    const paint: Paint = (colour, text) => `<${colour}>${text}</>`
    const item = change({ before: { name: 'a', location: 'x' }, after: { name: 'b', description: 'y' } })
    expect(describeChange(item, false, paint)).toBe(`  <yellow>~ update 101 "b"</>
      <yellow>~</> name         "a" -> "b"
      <green>+</> description  "y"
      <red>-</> location     "x"
`)
    expect(describeChange(change({ action: 'create' }), false, paint)).toBe('  <green>+ create 101</>\n')
    expect(describeChange(change({ action: 'remove' }), false, paint)).toBe('  <red>- remove 101</>\n')
  })

  test('the summary counts all changes of the plan and names the reasons of its removals', () => {
    const content = 'attendees'
    expect(
      describeSummary([
        { content, action: 'create', reason: '', count: 12 },
        { content, action: 'remove', reason: 'cancelled', count: 2 },
        { content: 'agenda', action: 'remove', reason: 'not_published', count: 3 },
        { content: 'agenda', action: 'remove', reason: 'cancelled', count: 1 },
      ]),
    ).toBe('Plan: 12 to create, 0 to update, 6 to remove (cancelled 3, not_published 3)\n')
    expect(describeSummary([{ content, action: 'update', reason: '', count: 1 }])).toBe(
      'Plan: 0 to create, 1 to update, 0 to remove\n',
    )
  })

  test('the number of changes that are not shown is printed, with the command that shows them', () => {
    const planned = [
      { content: 'agenda', action: 'create', reason: '', count: 3 },
      { content: 'agenda', action: 'remove', reason: 'cancelled', count: 2 },
    ] as const
    expect(describeRest('event-sync show 7 --content agenda', planned, ['create', 'create'])).toBe(
      '  … 3 more (1 to create, 2 to remove): event-sync show 7 --content agenda --sample 5\n',
    )
    expect(describeRest('event-sync show 7', planned, Array(5).fill('create'))).toBe('')
  })
})

test('the columns of a table stay aligned even if characters are two columns wide or have no width', () => {
  expect(
    toTable(
      ['name', 'id'],
      [
        ['山田', '1'],
        ['Zoe\u0308', '2'],
        ['👩‍💻', '3'],
        ['Ada', '4'],
      ],
    ),
  ).toBe('name  id\n----  --\n山田  1\nZoe\u0308   2\n👩‍💻    3\nAda   4\n')
})

describe('a plan for machines', () => {
  test('in JSON every changed field has its old and its new value, and long values and lists are complete', () => {
    const long = `a\n${'x'.repeat(500)}`
    const before = { aside: 'of an earlier version', name: 'Opening', speakerIds: ['u1'], location: 'Hall' }
    expect(
      toShownChange(change({ before, after: { name: long, speakerIds: ['u2'], endTime: 't' } }), false),
    ).toEqual({
      action: 'update',
      content: 'agenda',
      uniqueId: '101',
      name: long,
      fields: [
        { field: 'name', before: 'Opening', after: long },
        { field: 'endTime', before: null, after: 't' },
        { field: 'location', before: 'Hall', after: null },
        { field: 'speakerIds', before: ['u1'], after: ['u2'] },
        { field: 'aside', before: 'of an earlier version', after: null },
      ],
    })
    const removed = change({ action: 'remove', reason: 'cancelled' })
    expect(toShownChange(removed, false)).toMatchObject({ action: 'remove', reason: 'cancelled' })
  })

  test('personal values are hidden in JSON too, unless --show-personal is given', () => {
    const created = change({
      action: 'create',
      content: 'attendees',
      uniqueId: 'ada@people.example',
      after: { firstName: 'Ada', emailAddress: 'ada@people.example', personalAgenda: ['S1', 'a@b'] },
    })
    expect(toShownChange(created, false)).toEqual({
      action: 'create',
      content: 'attendees',
      uniqueId: '(hidden)',
      name: '(hidden)',
      fields: [
        { field: 'firstName', before: null, after: '(hidden)' },
        { field: 'emailAddress', before: null, after: '(hidden)' },
        { field: 'personalAgenda', before: null, after: ['S1', '(hidden)'] },
      ],
    })
    expect(toShownChange(created, true)).toMatchObject({
      uniqueId: 'ada@people.example',
      name: 'Ada',
      fields: [{ after: 'Ada' }, { after: 'ada@people.example' }, { after: ['S1', 'a@b'] }],
    })
  })
})
