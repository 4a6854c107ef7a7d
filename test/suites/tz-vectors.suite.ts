import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readTimeOfA } from '../../transforms/rules/times.ts'

/**
 * A local time and its two possible instants. The names `earlier` and `later` have the meaning of Temporal's
 * disambiguation, also for times that clocks skip.
 */
interface Vector {
  readonly zone: string
  readonly kind: string
  readonly local: string
  readonly earlier: string
  readonly later: string
}

// The vectors were made with tzdata 2025b. In later versions Morocco has no clock changes from 2027 on, so
// Morocco's vectors from 2027 on are skipped.
const changedSince = ({ zone, local }: Vector) => zone === 'Africa/Casablanca' && local >= '2027'

const file = new URL('../../../shared/suites/tz-vectors/local-to-instant.json', import.meta.url)

if (existsSync(file)) {
  const { vectors }: { vectors: readonly Vector[] } = JSON.parse(readFileSync(file, 'utf8'))

  test('the vectors contain times that clocks skip and times that clocks show twice', () => {
    expect(vectors.filter(({ kind }) => kind === 'gap').length).toBeGreaterThan(100)
    expect(vectors.filter(({ kind }) => kind === 'overlap').length).toBeGreaterThan(100)
    expect(vectors.filter(changedSince).length).toBeLessThan(10)
  })

  test.each(vectors.filter((vector) => !changedSince(vector)))('$zone, $kind: $local', (vector) => {
    const { kind, local, earlier, later, zone } = vector
    const time = readTimeOfA(local, zone)
    // If clocks skip the time, the later instant is computed with the UTC offset before the gap.
    if (kind === 'gap') expect(time).toEqual({ status: 'read', instant: later, warnings: ['skipped_time'] })
    else {
      const status = earlier === later ? 'read' : 'ambiguous'
      expect(time).toEqual({ status, instant: earlier, warnings: [] })
    }
  })
} else {
  test.skip(`tz-vectors: not run, ${file.pathname} is not here`, () => {})
}
