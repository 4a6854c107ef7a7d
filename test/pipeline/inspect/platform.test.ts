import { expect, test } from 'vitest'
import { always, check, serve, sourceA } from './check-one.ts'

test('if platform.url is https but its port does not use TLS, the error says to check platform.url', async () => {
  const url = await serve(always(404, '{}'))
  const platform = { type: 'http', url: url.replace('http:', 'https:'), eventId: '1001', token: 'env:TOKEN' }
  const checked = await check({ ...sourceA(url), platform, passwords: { mode: 'none' } }, {}, { TOKEN: 'x' })
  const { status, seen, todo } = checked.rule('platform')
  expect(status).toBe('failed')
  expect(seen).toMatch(
    /: the connection failed \([A-Z_]+\): check platform\.url, whether it is https, and its port$/,
  )
  expect(seen + todo).not.toContain('source.url')
})
