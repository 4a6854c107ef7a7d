import { type Fault, fault, passing } from '../fault.ts'
import type { Delivery } from '../reply.ts'

const by = (delivery: Delivery): Fault['play'] => {
  return (honest) => ({ ...honest, delivery })
}

/** What stays and takes its time is tried a few times only: each of them takes as long as the first. */
function soonGivenUp({ http, plays, standsAlone }: Fault): Fault['http'] {
  if (http.timeoutSeconds === undefined || plays === 'once') return http
  return { ...http, retryBudgetSeconds: standsAlone ? 0 : 1 }
}

/** Faults of the connection pass. Source: spec-gaps, "Retries": network. */
export const networkFaults: readonly Fault[] = [
  ...passing({
    kind: 'the connection is reset before the headers',
    play: by('reset'),
    says: /the connection (?:failed \(\w+\)|broke off); gave up after \d tries/,
  }),
  ...passing({
    kind: 'the connection is reset in a body of known length',
    play: by('reset in the body'),
    says: /the connection (?:failed \(\w+\)|broke off); gave up after \d tries/,
  }),
  ...passing({
    kind: 'the connection is reset in a body of chunks',
    play: by('reset in chunks'),
    says: /the connection (?:failed \(\w+\)|broke off); gave up after \d tries/,
  }),
  ...passing({
    kind: 'no headers come in time',
    play: by('no headers'),
    http: { timeoutSeconds: 0.25 },
    says: /no answer for 0\.25 s/,
  }),
  ...passing({
    kind: 'a gap within the body',
    play: by('gap'),
    http: { timeoutSeconds: 0.25 },
    says: /no answer for 0\.25 s/,
  }),
  ...passing({
    kind: 'the body comes a byte at a time',
    play: by('drip'),
    http: { timeoutSeconds: 0.25 },
    standsAlone: true,
    says: /the answer took longer than 5 s in all|no answer for 0\.25 s/,
  }),
  fault({
    kind: 'the source goes away and comes back',
    name: 'the source goes away and comes back',
    plays: 'once',
    expected: 'recovered',
    standsAlone: true,
    play: by('gone'),
  }),
  fault({
    kind: 'the source goes away for good',
    name: 'the source goes away for good',
    plays: 'always',
    expected: 'failed',
    atToken: 'failed',
    play: by('gone'),
    says: /the connection (?:failed \(\w+\)|broke off); gave up after \d tries/,
  }),
].map((row) => ({ ...row, atToken: row.expected, http: soonGivenUp(row) }))
