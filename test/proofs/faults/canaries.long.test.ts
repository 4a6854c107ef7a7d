import { expect, onTestFinished, test } from 'vitest'
import { API_KEY, AUTHENTICATION_SECRET, CANARY, EVENT_ID, TOKEN } from '../../harness/source-server.ts'
import { integrationOfA, integrationOfB } from '../../pipeline/commands/small-event.ts'
import { makeWorkspace, type Workspace } from '../../pipeline/commands/workspace.ts'
import { type Receiver, startReceiver } from '../../pipeline/observe/receiver.ts'
import { makeEvent, type SourceType } from './event.ts'
import type { Fault } from './fault.ts'
import { startFaultServer } from './fault-server.ts'
import { faults } from './table.ts'

/** Tables of the ledger of runs. The tables must contain neither values of records nor credentials. */
const LEDGER = ['integrations', 'runs', 'certificates', 'requests', 'readings', 'unstaged', 'notices']

/**
 * Faults of a source whose answers name people or repeat the request. Each entry has the source, the
 * resource, the fault, and the expected exit code.
 */
const cases: readonly (readonly [SourceType, string, string, number])[] = [
  ['a', 'users', 'answered 500, always', 1],
  ['a', 'users', 'answered 403', 1],
  ['a', 'users', '{"Message":…}', 1],
  ['a', 'users', '{"<an address>":…}', 1],
  ['a', 'users', '200 with HTML, always', 1],
  ['a', 'users', 'JSON that is cut short, always', 1],
  ['a', 'users', 'JSON that goes on after its end, once', 1],
  ['a', 'users', 'A: a next link to another host and path', 1],
  ['a', 'users', 'A: a page lacks its overlap, always', 3],
  ['a', 'users', 'a record that is no object', 3],
  ['b', 'registrants', 'answered 422', 1],
  ['b', 'registrants', 'answered 401 by Source B, always', 1],
  ['b', 'registrants', 'the connection is reset in a body of known length, always', 1],
  ['b', 'registrants', 'a redirect with a user name', 1],
  ['b', 'registrants', 'a record without an id', 3],
  ['b', TOKEN, 'answered 401 by Source B, always', 1],
  ['b', TOKEN, '{"<an address>":…}', 1],
  ['b', TOKEN, 'a redirect to another host', 1],
  ['b', TOKEN, 'B: a token that could not stand in a header', 1],
]

function faultOf(name: string): Fault {
  const found = faults.find((fault) => fault.name === name || fault.name === `${name}, once`)
  if (found === undefined) throw new Error(`there is no fault ${name}`)
  return found
}

/**
 * Returns all texts that the command prints, sends or stores in the ledger of runs. The result also has the
 * texts of the pack's files, except its data files.
 */
async function saidBy(
  workspace: Workspace,
  receiver: Receiver,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const { code, stdout, stderr } = await workspace.run('run', '--json', '--log-level', 'debug')
  const show = await workspace.run('runs', '--json')
  const ledger = await Promise.all(
    LEDGER.map((table) => workspace.rows(`select row_to_json(t)::text as row from sync.${table} as t`)),
  )
  const packs = workspace
    .files('out')
    .filter((file) => !/(?:agenda|speakers|attendees|changes|operations|report)\./.test(file))
  const files = packs.map((file) => workspace.read('out', file))
  return {
    code,
    text: [
      ...[stdout, stderr, show.stdout, show.stderr, JSON.stringify(ledger), ...files],
      // The webhook messages are signed and sent with a token, but their bodies must contain neither the
      // signing key nor the token.
      ...receiver.received.map(({ body }) => body),
    ].join('\n'),
  }
}

test('if a source has faults, output, log and ledger of the run contain no credential and no address', async () => {
  for (const type of ['a', 'b'] as const) {
    const server = await startFaultServer(type)
    onTestFinished(() => server.close())
    const workspace = await makeWorkspace('postgres')
    const receiver = await startReceiver()
    Object.assign(workspace.env, {
      API_KEY,
      AUTHENTICATION_SECRET,
      WATCHED: `${receiver.url}/${CANARY}`,
      SECRET: CANARY,
    })
    const { source, ...rest } = (type === 'a' ? integrationOfA : integrationOfB)('event', server.url)
    const integration = { ...rest, source: { ...source, eventId: EVENT_ID } }
    workspace.configure({
      integrations: [integration],
      http: { retryBudgetSeconds: 0, timeoutSeconds: 5 },
      webhook: { url: 'env:WATCHED', secret: 'env:SECRET', on: ['held', 'failed', 'incomplete'] },
      lineage: { to: 'env:WATCHED', token: 'env:SECRET' },
    })
    const { before, after } = makeEvent(type, 1)
    await server.reset(before, [])
    expect((await saidBy(workspace, receiver)).code).toBe(0)
    for (const [, place, name, code] of cases.filter(([of]) => of === type)) {
      const fault = faultOf(name)
      await server.reset(after, [{ fault, place, fromPage: fault.fromPage }])
      // The notices are deleted so that this run is reported too. A state that lasts is reported only once a
      // day.
      await workspace.rows('delete from sync.notices')
      const said = await saidBy(workspace, receiver)
      expect(said.code, `${name} at ${place}: ${said.text}`).toBe(code)
      expect(said.text, `${name} at ${place}`).not.toContain(CANARY)
      expect(server.strayed).toEqual([])
    }
    const ends = receiver.received.filter(({ headers }) => headers['webhook-id'] !== undefined)
    expect(ends).toHaveLength(cases.filter(([of]) => of === type).length)
  }
})
