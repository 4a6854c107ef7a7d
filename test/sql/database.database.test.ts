// These tests run on both engines, because they test the interface that PostgreSQL and PGlite must implement
// equally: COPY, transactions, scripts, values, locks.
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import type { Cell, Database, QueryPage } from '../../sql/database.ts'
import { bothEngines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'

/** Texts that a format with lines, cells and escapes may damage. */
const HOSTILE = ['', ' ', '\\', '\\N', '\\.', '\t', '\n', '\r', '\r\n', '\\t', '"', "'", '{', ',']
const RARE = ['NULL', '\u2028', '\ufeff', '\ufffd', '😀', 'e\u0301', '\u0001']

const text = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE, ...RARE), fc.string({ unit: 'binary', maxLength: 5 })), {
    maxLength: 6,
  })
  // PostgreSQL cannot store U+0000 in text.
  .map((parts) => parts.join('').replaceAll('\0', ''))

const row = fc.record({
  text: fc.option(text),
  list: fc.option(fc.array(text, { maxLength: 4 })),
  bytes: fc.option(fc.uint8Array({ maxLength: 40 })),
  flag: fc.option(fc.boolean()),
  number: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
})

describe.each(bothEngines)('on %s', (engine) => {
  const database = useDatabase(engine)
  let tables = 0

  async function makeTable(columns: string): Promise<string> {
    tables += 1
    const name = `scratch_${tables}`
    await database().script(`create table ${name} (${columns})`)
    return name
  }

  async function rowsOf(table: string): Promise<readonly unknown[]> {
    const { rows } = await sql<{ id: number }>`select * from ${sql.table(table)} order by 1`.execute(
      database().kysely,
    )
    return rows
  }

  async function idsOf(table: string): Promise<readonly unknown[]> {
    return (await rowsOf(table)).map((row) => (row as { id: number }).id)
  }

  describe('copying rows', () => {
    test('every text, list, byte string, boolean, number and null is read back unchanged', async () => {
      const columns = 'id integer, t text, l text[], b bytea, f boolean, n float8'
      const table = await makeTable(columns)
      await fc.assert(
        fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
          await database().script(`truncate ${table}`)
          const sink = database().copyInto(table, ['id', 't', 'l', 'b', 'f', 'n'])
          for (const [id, { text, list, bytes, flag, number }] of rows.entries()) {
            const hex = bytes === null ? null : `\\x${Buffer.from(bytes).toString('hex')}`
            await sink.write([id, text, list, hex, flag, number])
          }
          await sink.commit()
          await sink.close()
          // The rows are read as JSON, because PGlite drops a U+FEFF at the beginning of a returned text.
          const found =
            await sql<object>`select to_jsonb(t) as t, to_jsonb(l) as l, encode(b, 'hex') as b, f, n
            from ${sql.table(table)} order by id`.execute(database().kysely)
          expect(found.rows).toEqual(
            rows.map(({ text, list, bytes, flag, number }) => ({
              t: text,
              l: list,
              b: bytes === null ? null : Buffer.from(bytes).toString('hex'),
              f: flag,
              // The number -0 is read back as 0.
              n: number === 0 ? 0 : number,
            })),
          )
        }),
        { numRuns: 60 },
      )
    })

    test('a lone surrogate is stored as U+FFFD, and the rows before and after it are stored unchanged', async () => {
      const table = await makeTable('id integer, t text')
      const sink = database().copyInto(table, ['id', 't'])
      await sink.write([1, 'a\ud83d'])
      await sink.write([2, '\ude00b'])
      await sink.commit()
      expect(await rowsOf(table)).toEqual([
        { id: 1, t: 'a\ufffd' },
        { id: 2, t: '\ufffdb' },
      ])
    })

    test('names of tables and columns are quoted, so that names with any characters work', async () => {
      await database().script('create schema "in"; create table "in"."2031 ""x""" ("select" text)')
      const sink = database().copyInto('in.2031 "x"', ['select'])
      await sink.write(['yes'])
      await sink.commit()
      expect(await rowsOf('in.2031 "x"')).toEqual([{ select: 'yes' }])
    })
  })

  describe('a sink', () => {
    test('after commit the written rows exist, and the sink accepts more rows', async () => {
      const table = await makeTable('id integer')
      const sink = database().copyInto(table, ['id'])
      await sink.write([1])
      await sink.commit()
      expect(await idsOf(table)).toEqual([1])
      await sink.write([2])
      await sink.write([3])
      await sink.commit()
      await sink.close()
      expect(await idsOf(table)).toEqual([1, 2, 3])
    })

    test('if a sink is closed without a commit, the rows after the last commit are not stored', async () => {
      const table = await makeTable('id integer, t text')
      const sink = database().copyInto(table, ['id', 't'])
      await sink.write([1, ''])
      await sink.commit()
      // The rows are so long that some of these rows are sent to the server before the close.
      for (let id = 2; id < 100; id += 1) await sink.write([id, 'x'.repeat(10_000)])
      await sink.close()
      await sink.close()
      expect(await idsOf(table)).toEqual([1])
    })

    test('rows that are longer than a batch, with any characters, are stored correctly between short rows', async () => {
      const table = await makeTable('id integer, t text')
      const sink = database().copyInto(table, ['id', 't'])
      const texts = [
        'a',
        '\u8a9e'.repeat(90_000),
        'b',
        '\u{1f642}'.repeat(40_000),
        'x'.repeat(65_530),
        '\u00e9',
        'c',
      ]
      for (const [id, text] of texts.entries()) await sink.write([id, text])
      await sink.commit()
      expect(await rowsOf(table)).toEqual(texts.map((t, id) => ({ id, t })))
    })

    test('several sinks can write at the same time, each into a table of its own', async () => {
      const names = await Promise.all(['a', 'b', 'c'].map(() => makeTable('id integer, t text')))
      await Promise.all(
        names.map(async (name, place) => {
          const sink = database().copyInto(name, ['id', 't'])
          for (let id = 0; id < 200; id += 1) await sink.write([place * 1000 + id, 'x'.repeat(1000)])
          await sink.commit()
          await sink.close()
        }),
      )
      for (const [place, name] of names.entries()) {
        expect(await idsOf(name)).toEqual(Array.from({ length: 200 }, (_, id) => place * 1000 + id))
      }
    })

    test.each<[string, Cell]>([
      ['not a number', 'seven'],
      ['U+0000', '1\0'],
      ['a list for a number', ['1']],
    ])(
      'a row that the table cannot store fails the commit with all rows that were not committed: %s',
      async (_, cell) => {
        const table = await makeTable('id integer')
        const sink = database().copyInto(table, ['id'])
        await sink.write([1])
        await sink.write([cell])
        await expect(sink.commit()).rejects.toThrow(/invalid/)
        await sink.close()
        expect(await idsOf(table)).toEqual([])
        const next = database().copyInto(table, ['id'])
        await next.write([2])
        await next.commit()
        expect(await idsOf(table)).toEqual([2])
      },
    )

    test('if the server refuses a row while further rows are written, one of the next calls fails', async () => {
      const table = await makeTable('id integer, t text')
      const sink = database().copyInto(table, ['id', 't'])
      await expect(
        (async () => {
          await sink.write(['seven', 'x'.repeat(100_000)])
          await new Promise((resolve) => setTimeout(resolve, 100))
          await sink.commit()
        })(),
      ).rejects.toThrow('invalid input syntax for type integer: "seven"')
      await sink.close()
      expect(await idsOf(table)).toEqual([])
    })
  })

  describe('a transaction', () => {
    test('if the work of a transaction fails, the transaction is rolled back and the error is thrown', async () => {
      const table = await makeTable('id integer')
      const failure = new Error('no')
      const work = database().transaction(async (transaction) => {
        await sql`insert into ${sql.table(table)} values (1)`.execute(transaction)
        throw failure
      })
      await expect(work).rejects.toBe(failure)
      expect(await idsOf(table)).toEqual([])
    })

    test('two transactions at the same time are independent: if one transaction fails, the other transaction is still committed', async () => {
      const table = await makeTable('id integer')
      const insert = (id: number, fails: boolean) =>
        database().transaction(async (transaction) => {
          await sql`insert into ${sql.table(table)} values (${id})`.execute(transaction)
          await new Promise((resolve) => setTimeout(resolve, 20))
          if (fails) throw new Error(`no ${id}`)
          return id
        })
      const results = await Promise.allSettled([
        insert(1, true),
        insert(2, false),
        insert(3, true),
        insert(4, false),
      ])
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
      expect(await idsOf(table)).toEqual([2, 4])
    })

    test('a statement that runs outside an open transaction does not become part of the transaction', async () => {
      const table = await makeTable('id integer')
      const { kysely } = database()
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const work = database().transaction(async (transaction) => {
        await sql`insert into ${sql.table(table)} values (1)`.execute(transaction)
        begin()
        await new Promise((resolve) => setTimeout(resolve, 50))
        throw new Error('no')
      })
      // The embedded database refuses a statement that is made by the work itself.
      await begun
      const beside: Promise<unknown>[] = [sql`insert into ${sql.table(table)} values (2)`.execute(kysely)]
      const sink = database().copyInto(table, ['id'])
      sink.write([3])
      beside.push(sink.commit())
      beside.push(database().script(`insert into ${table} values (4)`))
      beside.push(pagesOf(database(), `select * from ${table}`))
      await expect(work).rejects.toThrow('no')
      await Promise.all(beside)
      expect(await idsOf(table)).toEqual([2, 3, 4])
    })
  })

  describe('a script', () => {
    test('is one transaction', async () => {
      const table = await makeTable('id integer primary key')
      const twice = `insert into ${table} values (1); insert into ${table} values (1)`
      await expect(database().script(twice)).rejects.toThrow(/duplicate key/)
      expect(await idsOf(table)).toEqual([])
      await database().script(`insert into ${table} values (1); insert into ${table} values (2)`)
      expect(await idsOf(table)).toEqual([1, 2])
    })
  })

  describe('a read-only query', () => {
    afterEach(() => database().script('drop table if exists kept, sneaked'))

    test('a query returns values as text in the form in which the engine prints them', async () => {
      const [page] = await pagesOf(
        database(),
        `select true as yes, 1.50::numeric as number, '2031-05-04T18:00:00+02'::timestamptz as instant,
          '2031-05-04'::date as day, '\\x00ff'::bytea as bytes, array['a', 'b c', null, '"q"'] as list,
          '{"b": 1, "a": [1, null]}'::jsonb as doc, interval '26 hours' as span, null::text as nothing,
          9007199254740993 as big, 1e20::float8 as wide, 'é' as text`,
      )
      expect(page).toMatchObject({
        columns: 'yes number instant day bytes list doc span nothing big wide text'.split(' '),
        rows: [
          [
            't',
            '1.50',
            '2031-05-04 16:00:00+00',
            '2031-05-04',
            '\\x00ff',
            '{a,"b c",NULL,"\\"q\\""}',
            '{"a": [1, null], "b": 1}',
            '26:00:00',
            null,
            '9007199254740993',
            '1e+20',
            'é',
          ],
        ],
      })
    })

    test('a query without rows still has columns', async () => {
      expect(await pagesOf(database(), 'select 1 as one, 2 as two where false')).toEqual([
        { columns: ['one', 'two'], types: [23, 23], rows: [] },
      ])
    })

    test('the rows of a query arrive in pages, in the order of the query', async () => {
      const pages = await pagesOf(database(), 'select n from generate_series(1, 2500) as n order by n desc')
      const numbers = pages.flatMap(({ rows }) => rows.map(([number]) => Number(number)))
      expect(numbers).toEqual(Array.from({ length: 2500 }, (_, place) => 2500 - place))
      expect(Math.max(...pages.map(({ rows }) => rows.length))).toBeLessThanOrEqual(1000)
    })

    test('a query may end with a comment or a semicolon, and may begin with `with`, `values` or `table`', async () => {
      await database().script('create table kept (id integer)')
      for (const query of [
        'select 1 -- one',
        'select 1;',
        'with one as (select 1) select * from one',
        'values (1)',
        'table kept',
      ]) {
        await expect(pagesOf(database(), query)).resolves.toBeInstanceOf(Array)
      }
    })

    test.each([
      'insert into kept values (2)',
      'update kept set id = 2',
      'delete from kept',
      'create table sneaked (id integer)',
      'select * into sneaked from kept',
      'with gone as (delete from kept returning id) select * from gone',
      "select nextval('numbers')",
      "select set_config('transaction_read_only', 'off', false)",
      'select change()',
      "select query_to_xml('delete from kept', true, true, '')",
      'select 1; commit; delete from kept',
      'commit; drop table kept',
      'set transaction read write',
      'explain analyze delete from kept',
      "copy kept from program 'echo 2'",
      'select 1) ; delete from kept; --',
      'do $$ begin delete from kept; end $$',
      'call change_all()',
      'lock table kept in exclusive mode',
      'values (1); update kept set id = 2 --',
      '',
    ])('a statement that writes is refused and changes nothing: %s', async (query) => {
      await database().script(`
        create table kept (id integer);
        insert into kept values (1);
        create sequence if not exists numbers;
        create or replace function change() returns integer language sql as 'delete from kept; select 1';
        create or replace procedure change_all() language sql as 'delete from kept'`)
      await expect(pagesOf(database(), query)).rejects.toThrow()
      const { rows } = await sql<object>`select (select array_agg(id) from kept) as kept,
        to_regclass('sneaked') is null as none, not is_called as unused from numbers`.execute(
        database().kysely,
      )
      expect(rows).toEqual([{ kept: [1], none: true, unused: true }])
    })

    test.each(["select lo_from_bytea(0, 'x')", "select lo_import('/etc/hostname')"])(
      'a query leaves no large object behind, although PostgreSQL 15 creates some in read-only transactions: %s',
      async (query) => {
        const { rows: servers } = await sql<{ refuses: boolean }>`
          select current_setting('server_version_num')::int >= 160000 as refuses`.execute(database().kysely)
        const asked = pagesOf(database(), query)
        if (servers[0]?.refuses === true) await expect(asked).rejects.toThrow(/read-only/)
        else expect((await asked)[0]?.columns).toHaveLength(1)
        const { rows } = await sql`select oid from pg_largeobject_metadata`.execute(database().kysely)
        expect(rows).toEqual([])
      },
    )

    test('if a query fails in the middle or is not read to its end, the connection can be used again', async () => {
      await expect(
        pagesOf(database(), 'select 1 / (1500 - n) from generate_series(1, 3000) as n'),
      ).rejects.toThrow(/division by zero/)
      for await (const { rows } of database().readOnly('select * from generate_series(1, 3000)')) {
        expect(rows.length).toBe(100)
        break
      }
      const table = await makeTable('id integer')
      await sql`insert into ${sql.table(table)} values (1)`.execute(database().kysely)
      expect(await idsOf(table)).toEqual([1])
    })
  })

  describe('the lock of an integration', () => {
    test('only one process at a time can have the lock of an integration; other integrations are not blocked', async () => {
      const lock = await database().lock('summit')
      expect(lock).not.toBeNull()
      expect(await database().lock('summit')).toBeNull()
      const other = await database().lock('expo')
      expect(other).not.toBeNull()
      await lock?.release()
      const again = await database().lock('summit')
      expect(again).not.toBeNull()
      await again?.release()
      await other?.release()
    })

    test('a transaction under the lock is committed completely or not at all', async () => {
      const table = await makeTable('id integer')
      const lock = await database().lock('summit')
      const insert = (id: number, error?: Error) =>
        lock?.transaction(async (transaction) => {
          await sql`insert into ${sql.table(table)} values (${id})`.execute(transaction)
          if (error !== undefined) throw error
        })
      await insert(1)
      await expect(insert(2, new Error('no'))).rejects.toThrow('no')
      await lock?.release()
      expect(await idsOf(table)).toEqual([1])
    })
  })
})

async function pagesOf(database: Database, query: string): Promise<readonly QueryPage[]> {
  const pages: QueryPage[] = []
  for await (const page of database.readOnly(query)) pages.push(page)
  return pages
}
