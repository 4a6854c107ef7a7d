import type { RecordedRunOptions } from '../../../pipeline/run/recorded-run.ts'
import type { Engine } from '../../support/engines.ts'
import { smallEvent } from '../commands/small-event.ts'
import { TEST_START_MS } from '../extract/support.ts'
import { useSmallSync } from '../use-small-sync.ts'
import type { Receiver } from './receiver.ts'

const HOUR = 3_600_000

/** Returns the integration, the end of the run and the state in each message, in the order of arrival. */
export function told({ received }: Receiver): readonly string[] {
  return received.map(({ body }) => {
    const { integration, end, state } = JSON.parse(body)
    return `${integration} ${end} ${state}`
  })
}

/** Gives each test an integration of the small event whose source can fail or lack records. */
export function useUnsteady(engine: Engine) {
  const { database, source, sync } = useSmallSync(engine)
  const whole = structuredClone(smallEvent)
  const held = () => {
    source().script = async () => null
    source().records = { ...structuredClone(whole), Users: whole.Users?.slice(0, 1) ?? [] }
  }
  const failed = () => {
    source().script = async () => ({ status: 404, body: 'Ada u1@people.example' })
  }
  const good = () => {
    source().script = async () => null
    source().records = structuredClone(whole)
  }

  /** Returns a function that runs the integration at a time in hours after the start of the test. */
  function runsWith(
    config: Readonly<Record<string, unknown>>,
    variables: Readonly<Record<string, string>> = {},
  ) {
    return (hours: number, options: Partial<RecordedRunOptions> = {}) =>
      sync(
        {
          integration: { removals: { minCount: 1 } },
          config,
          variables,
          startMs: TEST_START_MS + hours * HOUR,
        },
        options,
      )
  }
  return { database, source, whole, held, failed, good, runsWith }
}
