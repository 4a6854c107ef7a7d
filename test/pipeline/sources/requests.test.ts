import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { sourceA } from '../../../pipeline/sources/a/source.ts'
import { TOKEN_ENDPOINT } from '../../../pipeline/sources/b/index.ts'
import { sourceB, urlOfB } from '../../../pipeline/sources/b/source.ts'
import type { Source, SourceResource } from '../../../pipeline/sources/contract/source.ts'
import { TRANSFORMS } from '../../../transforms/decide/platform-fields.ts'

const README = readFileSync(join(packageRoot, 'pipeline/sources/README.md'), 'utf8')
const config = { url: 'https://source.example', version: '{version}', eventId: '{eventId}' } as never
const none = async () => ({})
const tokens = { header: async () => '', forget: () => undefined } as never

const SOURCES: Readonly<Record<string, Source>> = {
  a: sourceA(config, { account: null, authorization: none, renewAuthorization: () => undefined }),
  b: sourceB(config, '', tokens),
}

/** Returns the address of the first page of a resource, without the address of the source. */
async function firstRequest(source: Source, name: string): Promise<string> {
  const asked: URL[] = []
  const readPage = async (url: URL) => {
    asked.push(url)
    throw new Error('no page is needed')
  }
  const resource = { name, keys: ['{keys}'] } as unknown as SourceResource
  await expect(source.readToEnd(resource, readPage, async () => undefined, null)).rejects.toThrow('no page')
  const [{ pathname, search } = new URL('https://none.example')] = asked
  return decodeURIComponent(pathname + search)
}

test.each(
  Object.entries(TRANSFORMS).flatMap(([type, { resources }]) =>
    resources.map(({ name }) => [type, name] as const),
  ),
)('the document has the request of Source %s for %s', async (type, name) => {
  const source = SOURCES[type]
  if (source === undefined) throw new Error(`the test lacks source ${type}`)
  expect(README).toContain(`| ${type.toUpperCase()} | ${name} | \`${await firstRequest(source, name)}\` |`)
})

test('the document has the request for a token of Source B', () => {
  expect(TOKEN_ENDPOINT).toMatchObject({ lifetime: 'expires_at', takesPost: false })
  expect(README).toContain(`\`POST ${urlOfB(config, 'oauth2/token.json').pathname}\``)
})
