import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../sql/database.ts'
import { openEngine } from '../support/engines.ts'
import { num, obj } from './json.ts'
import { reasonOfRemoval } from './model-plan.ts'
import { keyInAnyCase, readId, readIdList } from './model-read.ts'
import { readResource } from './model-resource.ts'
import { timesOfB } from './model-session-times.ts'
import { isCancelled, isSpeakerOfB } from './model-source-b.ts'
import { byBytes, readText } from './model-text.ts'
import { formatInstant, type ReadTime, readTimeOfA } from './model-times.ts'
import { readLinks, readProfile, readTwitter } from './model-urls.ts'
import { type Server, startServer } from './serve.ts'
import { showDifference } from './show.ts'
import { makeTally } from './tally.ts'
import { tryOut } from './trial.ts'

// The whole setting is `node test/model/run.ts`; this one is for every day.
describe('whole runs over random sources are as the model foretells', () => {
  let database: Database
  let server: Server
  const output = mkdtempSync(join(tmpdir(), 'model-'))
  beforeAll(async () => {
    database = await openEngine('pglite')
    server = await startServer()
  })
  afterAll(async () => {
    await server.close()
    await database.close()
    rmSync(output, { recursive: true, force: true })
  })

  test.each(['a', 'b'] as const)('source %s', async (type) => {
    for (const seed of [5001, 5002, 5003, 5004]) {
      const found = await tryOut({ type, seed, database, server, output, tally: makeTally() })
      expect(found.map(showDifference), `seed ${seed}`).toEqual([])
    }
  })
})

// Worked out by hand from the documents: the model must be right by itself.
describe('the model itself', () => {
  test('text: U+0000 goes, a lone surrogate is replaced, then JavaScript trims', () => {
    expect(readText('\ufeff\u00a0a\u0000b \ud800\u3000')).toEqual({
      text: 'ab \ufffd',
      faults: ['unsupported_character'],
    })
    expect(readText(' \u200b ').text).toBe('\u200b')
    expect(readText(num('1.0')).text).toBe('1.0')
    expect(readText(false)).toEqual({ text: null, faults: ['not_text'] })
    expect(readText('\u2028')).toEqual({ text: null, faults: [] })
  })

  test('ids: a number keeps its digits, 007 is not 7, and 1001 bytes are too many', () => {
    expect(readId(num('99999999999999999'))).toBe('99999999999999999')
    expect(readId('007')).not.toBe(readId(num(7)))
    expect(readId('é'.repeat(500))).not.toBeNull()
    expect(readId(`${'é'.repeat(500)}x`)).toBeNull()
  })

  test('keys of A: any case, of two spellings the first with a value', () => {
    const record = {
      members: [
        ['TITLE', ' '],
        ['title', 'x'],
        ['Title', 'y'],
      ],
    } as const
    expect(keyInAnyCase(record, 'Title')).toBe('x')
  })

  test('lists of ids: objects and bare ids, each once', () => {
    const list = [obj({ ID: num(7) }), '7', ' 8 ', obj({ Name: 'x' }), null]
    expect(readIdList(list, keyInAnyCase, 'Id')).toEqual({ ids: ['7', '8'], faults: ['left_out'] })
    expect(readIdList('1, 2,,1', keyInAnyCase, 'Id').ids).toEqual(['1', '2'])
  })

  test('of two records with one id the later counts, and one without an id keeps what was there', () => {
    const before = new Map([['9', obj({ Id: '9' })]])
    const idOf = (record: Parameters<typeof keyInAnyCase>[0]) => readId(keyInAnyCase(record, 'Id'))
    const whole = readResource([obj({ Id: '1' }), obj({ Id: num(1), Title: 'x' })], idOf, before)
    expect(whole.rows.map(({ status }) => status)).toEqual(['repeated', 'counts'])
    expect([...whole.current.keys()]).toEqual(['1'])
    expect([...readResource([obj({})], idOf, before).current.keys()]).toEqual(['9'])
  })

  const instant = (time: ReadTime) => (time.state === 'read' ? formatInstant(time.instantMs) : time.state)

  test.each([
    [
      obj({ UTC: '2031-05-04T16:00:00Z', EventTime: '2031-05-04T09:00:00-07:00' }),
      'UTC',
      '2031-05-04T16:00:00Z',
    ],
    [
      obj({ UTC: '2031-05-04 16:00', EventTime: '2031-05-04T09:00' }),
      'America/New_York',
      '2031-05-04T16:00:00Z',
    ],
    [obj({ EventTime: '2031-05-04T09:00' }), 'America/New_York', '2031-05-04T13:00:00Z'],
    ['2031-05-04T09:00:00.999+0530', undefined, '2031-05-04T03:30:00Z'],
    ['2031-05-04T09:00', undefined, 'bad'],
    ['2031-05-04T24:00Z', undefined, 'bad'],
    ['2031-02-29T10:00Z', undefined, 'bad'],
    // Berlin skips 02:00 to 03:00 on 30 March 2031, and has it twice on 26 October.
    ['2031-03-30T02:30', 'Europe/Berlin', 'bad'],
    ['2031-03-30T03:00', 'Europe/Berlin', '2031-03-30T01:00:00Z'],
    ['2031-10-26T02:30', 'Europe/Berlin', '2031-10-26T00:30:00Z'],
    // Lord Howe sets its clocks by half an hour.
    ['2031-10-05T02:15', 'Australia/Lord_Howe', 'bad'],
    ['2031-04-06T01:45', 'Australia/Lord_Howe', '2031-04-05T14:45:00Z'],
    [obj({ UTC: null }), 'UTC', 'missing'],
    [true, 'UTC', 'missing'],
  ] as const)('a time of A: %j in %s is %s', (value, zone, expected) => {
    expect(instant(readTimeOfA(value, zone))).toBe(expected)
  })

  test('a time that occurs twice is marked', () => {
    const time = readTimeOfA('2031-10-26T02:30', 'Europe/Berlin')
    expect(time.state === 'read' && time.ambiguous).toBe(true)
  })

  test.each([
    ['22:00:00', '01:30:00', 'Europe/Berlin', '2031-08-08T20:00:00Z', '2031-08-08T23:30:00Z', false],
    ['10:00', '10:00:00.5', 'US/Eastern', '2031-08-08T14:00:00Z', '2031-08-08T14:00:00Z', true],
    ['10:00', null, 'UTC', '2031-08-08T10:00:00Z', 'missing', false],
  ] as const)('times of B: %s to %s in %s', (start_time, end_time, timezone, start, end, unordered) => {
    const times = timesOfB(obj({ date: '2031-08-08', start_time, end_time, timezone }), undefined)
    expect([instant(times.start), instant(times.end), times.unordered]).toEqual([start, end, unordered])
  })

  test('profiles: handle, host, subdomain and URL; all else is left out', () => {
    const facebook = (text: string) => readProfile(text, 'facebook.com', '/').url
    expect(facebook('ann.b')).toBe('https://www.facebook.com/ann.b')
    expect(facebook('facebook.com/x')).toBe('https://facebook.com/x')
    expect(facebook('notfacebook.com/x')).toBeNull()
    expect(readProfile('au.linkedin.com/in/x', 'linkedin.com', '/in/').url).toBe(
      'https://au.linkedin.com/in/x',
    )
    expect(readProfile('x', 'linkedin.com', '/in/').url).toBe('https://www.linkedin.com/in/x')
    expect(readProfile('@x', 'linkedin.com', '/in/')).toEqual({ url: null, faults: ['left_out'] })
  })

  test('twitter: without @, the last segment of a URL without its query', () => {
    expect(readTwitter('@ann').url).toBe('ann')
    expect(readTwitter('https://x.com/a/ann/?s=20').url).toBe('ann')
    expect(readTwitter('https://x.com/?a=/b')).toEqual({ url: null, faults: ['left_out'] })
  })

  test('links: split only where a URL follows, JSON in a text, repeats dropped', () => {
    expect(readLinks('http://x/?a=1,2;https://y').urls).toEqual(['http://x/?a=1,2', 'https://y'])
    expect(readLinks('["http://x", {"Href": "http://y"}, "http://x"]').urls).toEqual(['http://x', 'http://y'])
    expect(readLinks([obj({ Url: 'ftp://x' })])).toEqual({ urls: [], faults: ['left_out'] })
  })

  test('cancelled_at: null, blank, false and a zero date do not cancel', () => {
    for (const value of [null, undefined, ' ', false, '0000-00-00 00:00:00'])
      expect(isCancelled(value)).toBe(false)
    for (const value of [true, num(0), 'false', obj({}), '2031-01-01']) expect(isCancelled(value)).toBe(true)
  })

  test('speakers of B: the own value, else the name in the list, else the bare text', () => {
    const types = new Map([['20', obj({ id: num(20), name: ' SPEAKER ' })]])
    const isSpeaker = (reg_type_id: Parameters<typeof readText>[0], speakerRegistrantType = 'Speaker') =>
      isSpeakerOfB(obj({ reg_type_id }), types, { speakerRegistrantType })
    expect(isSpeaker(num(20))).toBe(true)
    expect(isSpeaker('speaker')).toBe(true)
    expect(isSpeaker(obj({ id: num(20), value: 'Attendee' }))).toBe(false)
    expect(isSpeaker(obj({ id: num(20), value: 'Attendee' }), '20')).toBe(true)
    expect(isSpeaker(obj({ id: '', value: null }))).toBe(false)
  })

  test('byte order is that of UTF-8, not of UTF-16', () => {
    expect(['\u{1f600}', '\uff5e', 'é', 'z', 'Z'].sort(byBytes)).toEqual([
      'Z',
      'z',
      'é',
      '\uff5e',
      '\u{1f600}',
    ])
  })

  test('what a record of this run states itself removes an item, anything else only after a complete read', () => {
    const decision = {
      content: 'speakers',
      resource: 'registrants',
      sourceId: '1',
      uniqueId: '1',
      decision: 'excluded',
      reason: 'not_a_speaker',
      detail: '',
      counts: true,
      seen: true,
    } as const
    const removal = (reason: string, isInferred: boolean) => ({ reason, isInferred })
    const gone = { ...decision, reason: 'missing_required:lastName' }
    expect(reasonOfRemoval(decision, 'b', 'remove', false)).toEqual(removal('not_a_speaker', false))
    expect(reasonOfRemoval(decision, 'a', 'remove', false)).toBeNull()
    expect(reasonOfRemoval(decision, 'a', 'remove', true)).toEqual(removal('not_a_speaker', true))
    expect(reasonOfRemoval(gone, 'b', 'remove', true)).toEqual(removal('missing_required:lastName', true))
    expect(reasonOfRemoval(gone, 'b', 'remove', false)).toBeNull()
    expect(reasonOfRemoval(undefined, 'b', 'remove', true)).toEqual(removal('removed_at_source', true))
    expect(reasonOfRemoval(undefined, 'b', 'remove', false)).toBeNull()
    expect(reasonOfRemoval(decision, 'b', 'keep', true)).toBeNull()
    expect(reasonOfRemoval({ ...decision, seen: false }, 'b', 'remove', true)).toBeNull()
  })
})
