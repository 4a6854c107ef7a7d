import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { smallEvent } from '../commands/small-event.ts'
import type { Ended } from '../sync-to-platform.ts'
import { useSmallSync } from '../use-small-sync.ts'
import { runEventSchema } from './lineage-schema.ts'
import { startReceiver } from './receiver.ts'

const ajv = new Ajv({
  formats: {
    uri: (value: string) => URL.canParse(value),
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  },
})
const isRunEvent = ajv.compile(runEventSchema)

interface Event {
  readonly eventType: string
  readonly run: {
    readonly runId: string
    readonly facets: Readonly<Record<string, { readonly message: string }>>
  }
  readonly job: { readonly namespace: string; readonly name: string }
  readonly inputs: readonly Place[]
  readonly outputs: readonly Place[]
}
interface Place {
  readonly namespace: string
  readonly name: string
  readonly facets?: { readonly schema: { readonly fields: readonly { readonly name: string }[] } }
  readonly inputFacets?: { readonly inputStatistics: { readonly rowCount: number; readonly size: number } }
  readonly outputFacets?: { readonly outputStatistics: { readonly rowCount: number } }
}

describe.each(engines)('on %s', (engine) => {
  const { output, source, sync: syncSmall } = useSmallSync(engine)

  function sync(to: string, more: Readonly<Record<string, unknown>> = {}): Promise<Ended> {
    return syncSmall({
      integration: { removals: { minCount: 1 } },
      config: { lineage: { to, ...more } },
      variables: { LINEAGE: `${to}/api/v1/lineage`, LINEAGE_TOKEN: 'canary-token' },
    })
  }

  /** Parses every written event and checks it against the schema. */
  function eventsOf(texts: readonly string[]): readonly Event[] {
    return texts.map((text) => {
      const event = JSON.parse(text)
      expect(isRunEvent(event), JSON.stringify(isRunEvent.errors)).toBe(true)
      return event
    })
  }

  const linesOf = (file: string) => eventsOf(readFileSync(join(output(), file), 'utf8').trimEnd().split('\n'))

  test('a run writes the lineage events START and COMPLETE, a held run ABORT, and a failed run FAIL; facets contain the counts', async () => {
    const { last } = await sync('lineage.jsonl')
    const [start, complete] = linesOf('lineage.jsonl')
    expect([start?.eventType, complete?.eventType]).toEqual(['START', 'COMPLETE'])
    expect([start?.run.runId, complete?.run.runId]).toEqual([last.run, last.run])
    expect(complete?.job).toMatchObject({ namespace: 'event-sync', name: 'summit' })
    const users = complete?.inputs.find(({ name }) => name === '4242/users')
    expect(users).toMatchObject({
      namespace: source().url,
      inputFacets: { inputStatistics: { rowCount: 4 } },
    })
    expect(users?.inputFacets?.inputStatistics.size).toBeGreaterThan(100)
    const rows = complete?.outputs.map(({ name, outputFacets }) => [
      name,
      outputFacets?.outputStatistics.rowCount,
    ])
    expect(rows).toContainEqual(['summit/attendees', 4])
    expect(rows).toContainEqual(['summit/agenda', 2])
    expect(rows).toContainEqual(['staging.a_users', undefined])
    const agenda = complete?.outputs.find(({ name }) => name === 'summit/agenda')
    expect(agenda?.facets?.schema.fields.map(({ name }) => name)).toContain('startTime')

    source().records = { ...source().records, Users: smallEvent.Users?.slice(0, 1) ?? [] }
    expect((await sync('lineage.jsonl')).code).toBe(4)
    source().script = async () => ({ status: 404, body: 'Ada' })
    expect((await sync('lineage.jsonl')).code).toBe(1)
    const events = linesOf('lineage.jsonl')
    const types = events.map(({ eventType }) => eventType)
    expect(types.join(' ')).toBe('START COMPLETE START ABORT START FAIL')
    expect(events[3]?.run.facets.errorMessage?.message).toContain('held by removals')
    expect(events[5]?.run.facets.errorMessage?.message).toContain('answered 404')
    expect(JSON.stringify(events)).not.toMatch(/Ada|people\.example/)
  })

  test('lineage events are also sent to a URL, in order and with the token', async () => {
    const receiver = await startReceiver()
    receiver.answers = [503]
    await sync(receiver.url, { to: 'env:LINEAGE', token: 'env:LINEAGE_TOKEN', namespace: 'events' })
    const [refused, ...taken] = receiver.received
    expect(refused?.body).toBe(taken[0]?.body)
    const events = eventsOf(taken.map(({ body }) => body))
    expect(events.map(({ eventType }) => eventType)).toEqual(['START', 'COMPLETE'])
    expect(taken.map(({ path }) => path)).toEqual(['/api/v1/lineage', '/api/v1/lineage'])
    expect(taken[0]?.headers.authorization).toBe('Bearer canary-token')
  })

  test('if the file for lineage events cannot be written, this is logged, and the run still succeeds', async () => {
    mkdirSync(join(output(), 'a folder'))
    const { code, log } = await sync('a folder')
    expect(code).toBe(0)
    expect(log).toContain('"whom":"the lineage","cause":"EISDIR')
  })
})
