import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import type { RunReport } from '../../../pipeline/runtime/report.ts'
import { type Engine, engines } from '../../support/engines.ts'
import type { Ended } from '../commands/command-line.ts'
import { type ScriptedSource, startScriptedSource } from '../commands/scripted-source.ts'
import { configOfA, integrationOfA, smallCounts, smallEvent } from '../commands/small-event.ts'
import { startPlatform } from '../commands/small-workspace.ts'
import { makeWorkspace, type Workspace } from '../commands/workspace.ts'
import { blocksOf } from '../snippets/blocks.ts'
import { pointsOf, spansOf } from './otlp.ts'
import { type Receiver, startReceiver } from './receiver.ts'

let source: ScriptedSource
let collector: Receiver
let workspace: Workspace

/**
 * Makes a workspace with the file that README.md tells users to write, and starts a collector on loopback.
 */
beforeEach(async () => {
  source = await startScriptedSource(structuredClone(smallEvent))
  collector = await startReceiver()
  workspace = await watchedWorkspace('pglite')
})

async function watchedWorkspace(engine: Engine): Promise<Workspace> {
  const workspace = await makeWorkspace(engine)
  const readme = readFileSync(join(packageRoot, 'pipeline', 'observe', 'README.md'), 'utf8')
  const file = blocksOf('README.md', readme).find(({ text }) => text.startsWith('// otel.mjs'))
  if (file === undefined) throw new Error('pipeline/observe/README.md has no otel.mjs')
  writeFileSync(join(workspace.folder, 'otel.mjs'), file.text)
  symlinkSync(join(packageRoot, 'node_modules'), join(workspace.folder, 'node_modules'))
  Object.assign(workspace.env, {
    NODE_OPTIONS: '--import ./otel.mjs',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  return workspace
}

/** Runs the command in a new process, because Node imports the file in NODE_OPTIONS only when it starts. */
async function run(): Promise<Ended & { readonly runs: readonly RunReport[] }> {
  const ended = await workspace.start('run', '--json').ended
  return { ...ended, runs: JSON.parse(ended.stdout).runs }
}

async function configure(more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const platform = (await startPlatform(workspace)).config(4)
  workspace.configure({ ...configOfA(source.url, { platform, passwords: { mode: 'none' } }), ...more })
}

test('a run is one trace of run, steps, resources, batches and requests, and its metrics agree with its report', async () => {
  let refusals = 1
  source.script = async ({ resource }) =>
    resource === 'Users' && refusals-- > 0 ? { status: 503, body: '' } : null
  await configure({ http: { retryBudgetSeconds: 60 } })
  const { code, runs } = await run()
  expect(code).toBe(0)
  const [report] = runs

  const spans = spansOf(collector.received)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  const paths = spans.map(({ path }) => path)
  expect(paths.filter((path) => path.includes('not sent'))).toEqual([])
  for (const step of ['extract', 'refresh', 'stage', 'transform', 'plan', 'apply', 'audit']) {
    expect(paths.filter((path) => path === `run > ${step}`)).toHaveLength(1)
  }
  const of = (path: string) => spans.filter((span) => span.path === path)
  expect(of('run')).toMatchObject([
    {
      isError: false,
      attributes: {
        'event_sync.integration': 'summit',
        'event_sync.run': report?.run,
        'event_sync.status': 'finished',
        'event_sync.exit_code': 0,
        'event_sync.plan_hash': report?.planHash,
      },
    },
  ])
  const [users] = of('run > extract > read users')
  const userRequests = of('run > extract > read users > GET')
  expect(users?.attributes).toMatchObject({
    'event_sync.records': 4,
    'event_sync.certified': true,
    'event_sync.end_proof': 'overlap',
    'event_sync.attempts': userRequests.length,
  })
  const statuses = userRequests.map(({ attributes }) => attributes['http.response.status_code'])
  expect(statuses.toSorted()).toEqual([200, 200, 200, 503])
  expect(userRequests.filter(({ isError }) => isError)).toHaveLength(1)
  expect(
    of('run > apply > send upserts').map(({ attributes }) => attributes['event_sync.operations']),
  ).toEqual([4, 3])
  expect(of('run > apply > send upserts > POST')).toHaveLength(2)

  const points = pointsOf(collector.received)
  const figureOf = (metric: string, attributes: Readonly<Record<string, unknown>> = {}) =>
    points
      .filter((point) => point.metric === metric)
      .filter((point) => Object.entries(attributes).every(([key, value]) => point.attributes[key] === value))
      .reduce((sum, { value }) => sum + value, 0)
  for (const [content, { create }] of Object.entries(smallCounts)) {
    const created = { 'event_sync.content': content, 'event_sync.action': 'create' }
    expect(figureOf('event_sync.changes', created)).toBe(create)
  }
  expect(figureOf('event_sync.operations', { 'event_sync.result': 'created' })).toBe(7)
  expect(figureOf('event_sync.retries')).toBe(1)
  expect(figureOf('event_sync.wait.time')).toBeLessThan(1)
  expect(figureOf('event_sync.read.io')).toBeGreaterThan(100)
  const requests = points.filter(({ metric }) => metric === 'http.client.request.duration')
  expect(requests.reduce((sum, { count }) => sum + count, 0)).toBe(
    spans.filter(({ name }) => name === 'GET' || name === 'POST').length,
  )
  expect(points.filter(({ metric }) => metric === 'event_sync.step.duration')).toHaveLength(7)
  expect(points.find(({ metric }) => metric === 'event_sync.run.duration')?.attributes).toEqual({
    'event_sync.integration': 'summit',
    'event_sync.status': 'finished',
    'event_sync.exit_code': 0,
  })
  const [age] = points.filter(({ metric }) => metric === 'event_sync.last_success.age')
  expect(age).toMatchObject({ unit: 's', attributes: { 'event_sync.integration': 'summit' } })
  expect(age?.value).toBeLessThan(60)
  expect(JSON.stringify(collector.received)).not.toMatch(/people\.example|Ada/)
})

test('log lines have the ids of their trace and span, so that other tools join both', async () => {
  await configure()
  const { stderr } = await workspace.start('--log-level', 'debug', 'run', '--json').ended
  const spans = new Map(spansOf(collector.received).map((span) => [span.spanId, span]))
  const lines: readonly Readonly<Record<string, unknown>>[] = stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  const pathsOf = (msg: string) => {
    const of = lines.filter((line) => line.msg === msg)
    return [...new Set(of.map(({ span_id }) => spans.get(String(span_id))?.path))]
  }
  expect(new Set(lines.map(({ trace_id }) => trace_id))).toEqual(
    new Set([spans.values().next().value?.traceId, undefined]),
  )
  expect(pathsOf('run opened')).toEqual(['run'])
  expect(pathsOf('step')).toEqual(pathsOf('step ended'))
  expect(pathsOf('step ended')).toContain('run > apply')
  expect(pathsOf('certificate')).toContain('run > extract > read users')
  expect(pathsOf('batch answered')).toEqual(['run > apply > send upserts'])
  expect(pathsOf('run ended')).toEqual(['run'])
  expect(pathsOf('done')).toEqual([undefined])
})

test.each([0, 1])('the exit code is still %d if the collector is down', async (due) => {
  // Port 9 belongs to the former discard service, so no process listens there.
  workspace.env.OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:9'
  workspace.env.OTEL_EXPORTER_OTLP_TIMEOUT = '200'
  source.script = async () => (due === 0 ? null : { status: 404, body: '' })
  await configure()
  expect(await run()).toMatchObject({ code: due, stderr: expect.not.stringContaining('OTLP') })
})

test('README.md names the OpenTelemetry packages with the versions that these tests use', () => {
  const readme = readFileSync(join(packageRoot, 'pipeline', 'observe', 'README.md'), 'utf8')
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(packageRoot, 'package.json'), 'utf8'),
  )
  const used = Object.entries({ ...dependencies, ...devDependencies }).flatMap(([name, version]) =>
    name.startsWith('@opentelemetry/') ? `${name}@${version}` : [],
  )
  expect([...readme.matchAll(/@opentelemetry\/[\w-]+@[\d.]+/g)].map(([text]) => text).toSorted()).toEqual(
    used.toSorted(),
  )
})

test('the spans of a failed run contain the class of the error but not its message', async () => {
  source.script = async ({ resource }) => (resource === 'Users' ? { status: 404, body: 'Ada' } : null)
  await configure()
  const { code } = await run()
  expect(code).toBe(1)
  const failed = spansOf(collector.received).filter(({ isError }) => isError)
  expect(failed.map(({ path }) => path).toSorted()).toEqual([
    'run',
    'run > extract',
    'run > extract > read users',
    'run > extract > read users > GET',
  ])
  const types = failed.map(({ attributes }) => attributes['error.type'])
  expect(types.toSorted()).toEqual(['404', 'ReadError', 'ReadError', 'failed'])
  expect(JSON.stringify(collector.received)).not.toMatch(/Ada|\$skip/)
})

test.each(engines)(
  'each job of a worker is one trace, sent while the worker runs; metrics are sent when the worker stops (on %s)',
  async (engine) => {
    workspace = await watchedWorkspace(engine)
    workspace.env.OTEL_BSP_SCHEDULE_DELAY = '200'
    const schedule = { cron: '0 4 * * *', timeZone: 'UTC' }
    workspace.configure({
      integrations: ['summit', 'expo'].map((id) => integrationOfA(id, source.url, { schedule })),
    })
    expect((await workspace.run('schedule', '--now')).code).toBe(0)
    expect(spansOf(collector.received)).toEqual([])
    const worker = workspace.start('worker')
    const runs = () => spansOf(collector.received).filter(({ path }) => path === 'run')
    await expect.poll(() => runs().length).toBe(2)
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(143)

    expect(new Set(runs().map(({ traceId }) => traceId)).size).toBe(2)
    expect(runs().map(({ attributes }) => attributes['event_sync.integration'])).toEqual(
      expect.arrayContaining(['summit', 'expo']),
    )
    for (const { traceId, attributes } of runs()) {
      expect(attributes).toMatchObject({ 'event_sync.status': 'finished', 'event_sync.exit_code': 0 })
      const paths = spansOf(collector.received).flatMap((span) =>
        span.traceId === traceId ? [span.path] : [],
      )
      expect(paths.filter((path) => path === 'run > extract > read users > GET')).toHaveLength(3)
      expect(paths.filter((path) => path.includes('not sent'))).toEqual([])
    }
    const ages = pointsOf(collector.received).filter(({ metric }) => metric === 'event_sync.last_success.age')
    expect(ages.map(({ attributes }) => attributes['event_sync.integration']).toSorted()).toEqual([
      'expo',
      'summit',
    ])
  },
)

test('without an OpenTelemetry SDK nothing is sent, and the run works as usual', async () => {
  delete workspace.env.NODE_OPTIONS
  await configure()
  expect((await run()).code).toBe(0)
  expect(collector.received).toEqual([])
})
