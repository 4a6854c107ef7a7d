import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { SamplePlatform } from '../../../../pipeline/demo/sample-platform/start.ts'
import { attendee, get, post, RUN_2, removal, removals, session, statuses, upserts } from './talk.ts'
import { usePlatforms } from './use-platform.ts'

const platforms = usePlatforms()
const MAIN = fileURLToPath(new URL('../../../../pipeline/demo/sample-platform/main.ts', import.meta.url))

async function everything(platform: SamplePlatform) {
  return [await platform.control('state'), await platform.control('ledger')]
}

test('what was acknowledged is there after kill -9: items, keys, fences, ledger, passwords, phases', async () => {
  const platform = await platforms.start()
  const batch = upserts([session(1, 'S1'), attendee(2, '1', { password: 'secret-1' })], { fence: 3 })
  const first = await post(platform, batch, { key: 'k1' })
  await post(platform, upserts([]), { key: 'refused' })
  await post(platform, removals([removal(3, 'agenda', 'S1')], { fence: 3 }))
  const before = await everything(platform)
  await platform.kill('SIGKILL')

  const next = await platforms.start()
  expect(await everything(next)).toEqual(before)
  expect((await post(next, batch, { key: 'k1' })).body).toEqual(first.body)
  expect((await post(next, upserts([session(1, 'S1')]), { key: 'k1' })).body.error).toBe('key_reused')
  expect((await post(next, upserts([session(1, 'S1')]), { key: 'refused' })).body.error).toBe('key_reused')
  expect((await post(next, upserts([session(4, 'S4')]))).body).toEqual({ error: 'stale_fence', fence: 3 })
  expect((await post(next, upserts([session(4, 'S4')], { fence: 3 }))).body.error).toBe(
    'upserts_after_removals',
  )
  expect((await next.control('password', { uniqueId: '1', password: 'secret-1' })).matches).toBe(true)
  expect(await everything(next)).toEqual([{ ...before[0], keys: 5 }, before[1]])
})

test('killed while many batches are under way: each has its effect once when all are sent again', async () => {
  const platform = await platforms.start()
  const batches = Array.from({ length: 60 }, (_, index) =>
    upserts([session(index * 2 + 1, `S${index}a`), session(index * 2 + 2, `S${index}b`)]),
  )
  let acknowledged = 0
  const send = async (to: SamplePlatform, index: number) => {
    const answer = await post(to, batches[index], { key: `k${index}` })
    acknowledged += 1
    if (to === platform && acknowledged === 20) void platform.kill('SIGKILL')
    return answer
  }
  const sent = await Promise.allSettled(batches.map((_, index) => send(platform, index)))
  const heard = sent.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []))
  expect(heard.length).toBeGreaterThanOrEqual(20)
  expect(heard.length).toBeLessThan(60)
  await platform.gone

  const next = await platforms.start()
  const keys = new Set((await next.control('ledger')).ledger.map(({ key }) => key))
  expect(heard.filter((index) => !keys.has(`k${index}`))).toEqual([])
  const answers = await Promise.all(batches.map((_, index) => send(next, index)))
  expect(answers.flatMap(statuses).filter(([, status]) => status !== 'created')).toEqual([])
  const { ledger } = await next.control('ledger')
  expect(ledger.length).toBe(120)
  expect(new Set(ledger.map(({ uniqueId }) => uniqueId)).size).toBe(120)
})

test('a sender that breaks off in the middle of its body has no effect, and the platform goes on', async () => {
  const platform = await platforms.start()
  const { hostname, port } = new URL(platform.url)
  const text = JSON.stringify(upserts([session(1, 'S1')]))
  const head = `Host: a\r\nAuthorization: Bearer ${platform.token}\r\nIdempotency-Key: k1\r\nContent-Length: ${text.length + 1}`
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(`POST /v1/events/${platform.eventId}/batches HTTP/1.1\r\n${head}\r\n\r\n${text}`)
  await expect.poll(async () => (await platform.control('requests')).requests.length).toBe(1)
  socket.destroy()
  expect(statuses(await post(platform, upserts([session(1, 'S1')])))).toEqual([[1, 'created']])
  expect(platform.errors).toEqual([])
})

test('a last line that was cut off is ignored, and what is written next is not joined to it', async () => {
  const platform = await platforms.start()
  await post(platform, upserts([session(1, 'S1')]), { key: 'k1' })
  await post(platform, upserts([session(2, 'S2')]), { key: 'k2' })
  await platform.kill('SIGKILL')
  const journal = join(platforms.folder(), 'journal.jsonl')
  writeFileSync(journal, readFileSync(journal).subarray(0, -20))

  const next = await platforms.start()
  expect((await next.control('ledger')).ledger.map(({ uniqueId }) => uniqueId)).toEqual(['S1'])
  expect(statuses(await post(next, upserts([session(2, 'S2')]), { key: 'k2' }))).toEqual([[2, 'created']])
  await next.kill('SIGKILL')
  const last = await platforms.start()
  expect((await last.control('ledger')).ledger.map(({ uniqueId }) => uniqueId)).toEqual(['S1', 'S2'])
})

test('a damaged line, another event and a storage that is in use stop the start with a plain sentence', async () => {
  const platform = await platforms.start()
  await expect(platforms.start()).rejects.toThrow('the storage is open in another sample platform')
  await platform.close()
  await expect(platforms.start({ eventId: 'other' })).rejects.toThrow('is not that of event other')
  appendFileSync(join(platforms.folder(), 'journal.jsonl'), '{"record":"batch"}\n')
  await expect(platforms.start()).rejects.toThrow('line 2 of the journal cannot be read')
})

function start(...given: readonly string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, ...given], { stdio: ['pipe', 'pipe', 'pipe'] })
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = ''
  for await (const part of stream ?? []) text += String(part)
  return text
}

test.each([
  ['its standard input closes', (child: ChildProcess) => void child.stdin?.end()],
  ['it is told by SIGTERM', (child: ChildProcess) => void child.kill('SIGTERM')],
])('prints one line when it listens, and ends with 0 when %s', async (_what, end) => {
  const child = start('--storage', platforms.folder(), '--token=t')
  const printed = textOf(child.stdout)
  const listening = child.stdout === null ? undefined : once(child.stdout, 'data')
  await listening
  end(child)
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(await printed).toMatch(/^\{"url":"http:\/\/127\.0\.0\.1:\d+"\}\n$/)
})

test.each([
  [['--port', '80x', '--storage', '.'], '--port is no whole number from 0 on; it takes --storage DIR'],
  [[], '--storage is missing; it takes --storage DIR'],
  [['--quiet'], 'it takes --storage DIR'],
])('arguments %j are refused', async (given, sentence) => {
  const child = start(...given)
  const said = textOf(child.stderr)
  expect(await once(child, 'exit')).toEqual([1, null])
  expect(await said).toContain(`sample platform: ${sentence}`)
})

test('listens on the port that it is told, and has no control endpoints where it is told so', async () => {
  const first = await platforms.start()
  const port = Number(new URL(first.url).port)
  await first.close()
  const platform = await platforms
    .start({ port, control: false, token: 'other token', eventId: 'e 1' })
    .catch(() => null)
  // The storage is that of another event.
  expect(platform).toBeNull()
  const own = await platforms.start({ port, control: false, token: '-t' })
  expect(own.url).toBe(first.url)
  expect((await get(own, '/control/state')).status).toBe(404)
  expect((await post(own, upserts([session(1, 'S1')], { run: RUN_2 }))).status).toBe(200)
})
