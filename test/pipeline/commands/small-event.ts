import { sampleSourceBDefaults } from '../../harness/sample-source/b.ts'
import type { Records } from './scripted-source.ts'

/**
 * An event of Source A with two sessions, one speaker and four attendees. A page contains at most three
 * records, so the users need two pages.
 */
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

/** The numbers of items that the first sync of the small event creates. */
export const smallCounts = {
  agenda: { create: 2, update: 0, remove: 0, unchanged: 0 },
  speakers: { create: 1, update: 0, remove: 0, unchanged: 0 },
  attendees: { create: 4, update: 0, remove: 0, unchanged: 0 },
}

/**
 * Returns a configuration with one integration of Source A. Retries are switched off, so that a test does not
 * wait.
 */
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

/** Environment variables with the credentials that the sample Source B accepts. */
export const credentialsOfB = {
  API_KEY: sampleSourceBDefaults.apiKey,
  AUTHENTICATION_SECRET: sampleSourceBDefaults.authenticationSecret,
}

/** Run ids for `--run-id`. These run ids are later than every run id that is made from the clock. */
export const runIds = [1, 2, 3].map((n) => `01ffffff-0000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
]
