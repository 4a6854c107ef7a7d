import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'

const FILE = 'https://files.example/1.jpg'

describe.each(engines)('sync.unsigned_addresses removes signatures from URLs, on %s', (engine) => {
  const database = useDatabase(engine)

  async function unsigned(value: unknown): Promise<unknown> {
    const { rows } = await sql<{ value: unknown }>`
      select sync.unsigned_addresses(${JSON.stringify(value)}::jsonb) as value`.execute(database().kysely)
    return rows[0]?.value
  }

  test.each<[name: string, address: unknown, unsigned: unknown]>([
    ['a URL of Amazon', `${FILE}?X-Amz-Algorithm=A&X-Amz-Date=1&X-Amz-Signature=b`, FILE],
    ['a URL of Amazon in another case', `${FILE}?x-amz-date=1`, FILE],
    ['a URL of CloudFront', `${FILE}?Expires=1&Signature=a~b&Key-Pair-Id=K`, FILE],
    ['a URL of CloudFront with a policy', `${FILE}?Policy=e1&Signature=a~b&Key-Pair-Id=K`, FILE],
    [
      'a URL of Azure that a user signed',
      `${FILE}?w=1&skoid=a&sktid=b&skt=c&ske=d&sks=b&skv=1&sig=e`,
      `${FILE}?w=1`,
    ],
    ['a URL of Google', `${FILE}?X-Goog-Date=1&X-Goog-Signature=2`, FILE],
    ['a URL of Azure', `${FILE}?sv=1&st=2&se=3&sr=b&sp=r&sig=a%2Fb%3D`, FILE],
    ['a token', `${FILE}?token=a.b.c`, FILE],
    ['a parameter without a value', `${FILE}?sig&token=`, FILE],
    ['other parameters stay, in their order', `${FILE}?w=2&SIG=1&h=3&sig=2`, `${FILE}?w=2&h=3`],
    ['a fragment stays', `${FILE}?sig=1#sig=2&a`, `${FILE}#sig=2&a`],
    ['a fragment with a question mark', `${FILE}#/a?sig=1`, `${FILE}#/a?sig=1`],
    [
      'longer names are other parameters',
      `${FILE}?design=1&signature2=2&ast=3&tokens=4`,
      `${FILE}?design=1&signature2=2&ast=3&tokens=4`,
    ],
    ['a value that looks like a signature', `${FILE}?q=sig=1&r=a?token=b`, `${FILE}?q=sig=1&r=a?token=b`],
    ['a path that looks like a signature', 'https://files.example/sig=1/a', 'https://files.example/sig=1/a'],
    ['a URL without parameters', FILE, FILE],
    ['a list', [`${FILE}?sig=1`, 'https://x.example/?a=1&st=2'], [FILE, 'https://x.example/?a=1']],
    ['an empty list', [], []],
  ])('%s', async (_, address, expected) => {
    expect(await unsigned(address)).toEqual(expected)
  })
})
