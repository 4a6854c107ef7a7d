import { sampleSourceBDefaults } from '../../harness/sample-source/b.ts'
import type { Records } from './scripted-source.ts'

/** Two sessions, one speaker, four attendees at a Source A; a page holds three, so users take two. */
export const smallEvent: Records = {
  TimeSlots: [{ Id: 1, StartTime: '2031-05-04T13:00:00Z', EndTime: '2031-05-04T14:00:00Z' }],
  Sessions: [
    { Id: 101, Title: 'Opening', TimeSlotId: 1, Speakers: [{ Id: 'u1' }] },
    { Id: 102, Title: 'Closing', TimeSlotId: 1, Speakers: [] },
  ],
  Users: ['u1', 'u2', 'u3', 'u4'].map((id) => ({
    Id: id,
    FirstName: 'Ada',
    LastName: `Of ${id}`,
    EmailAddress: `${id}@people.example`,
  })),
}

/** Items that a first sync of it creates. */
export const smallCounts = {
  agenda: { create: 2, update: 0, remove: 0, unchanged: 0 },
  speakers: { create: 1, update: 0, remove: 0, unchanged: 0 },
  attendees: { create: 4, update: 0, remove: 0, unchanged: 0 },
}

/** The configuration of an integration of Source A, without retries: a test does not wait. */
export function configOfA(url: string, more: Readonly<Record<string, unknown>> = {}) {
  return { integrations: [integrationOfA('summit', url, more)], http: { retryBudgetSeconds: 0 } }
}

export function integrationOfA(id: string, url: string, more: Readonly<Record<string, unknown>> = {}) {
  return { id, source: { type: 'a', url, eventId: '4242' }, platform: { type: 'jsonl' }, ...more }
}

export function integrationOfB(id: string, url: string) {
  const credentials = { apiKey: 'env:API_KEY', authenticationSecret: 'env:AUTHENTICATION_SECRET' }
  const source = { type: 'b', url, eventId: '77', timeZone: 'UTC', ...credentials }
  return { id, source, platform: { type: 'jsonl' } }
}

/** Variables that hold what the sample Source B accepts. */
export const credentialsOfB = {
  API_KEY: sampleSourceBDefaults.apiKey,
  AUTHENTICATION_SECRET: sampleSourceBDefaults.authenticationSecret,
}

/** Ids of runs as `--run-id` takes them, later than any that the clock makes. */
export const runIds = [1, 2, 3].map((n) => `01ffffff-0000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
]
