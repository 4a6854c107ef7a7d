import { test } from 'vitest'
import type { Resources } from '../harness/serve-records.ts'
import { useDatabase } from '../support/use-database.ts'
import type { Setup } from '../traps/sync.ts'
import { A, B, expectHeld, expectRemoved, registrants, sessions, TALK } from './stated-removals.ts'

const database = useDatabase('pglite')

test.each<[string, Setup, Resources, Resources, string]>([
  [
    'a session type gets the name of meetings',
    A,
    sessions(24, {}, TALK),
    sessions(24, {}, [{ Id: 'y1', Title: '1:1 Meeting' }]),
    '24 of 24 agenda would be removed: one_to_one_meeting (sessions.session_type_id, session_types.title)',
  ],
  [
    'a status gets another name',
    { source: { type: 'a', sessionStatuses: ['Accepted'] }, content: ['agenda'] },
    sessions(24, { Status: 'Accepted' }, TALK),
    sessions(24, { Status: 'Confirmed' }, TALK),
    'sessions.status)',
  ],
])(
  '%s: the run is held, and nothing is sent until the source is as before',
  (_, setup, before, after, seen) => expectHeld(database(), setup, before, after, seen),
)

test.each<[string, Setup, Resources, Resources, number]>([
  ['a third is cancelled', B, registrants(60, 0), registrants(60, 20), 20],
  ['all nineteen are cancelled', B, registrants(19, 0), registrants(19, 19), 19],
  [
    'all are cancelled, which the configuration allows',
    { ...B, removals: { maxStatedShare: 1 } },
    registrants(40, 0),
    registrants(40, 40),
    40,
  ],
])('%s: the items are removed without a hold', (_, setup, before, after, removed) =>
  expectRemoved(database(), setup, before, after, removed),
)
