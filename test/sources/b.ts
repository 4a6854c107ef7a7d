import { sampleSourceBDefaults } from '../harness/sample-source/b.ts'
import { serveRecords } from '../harness/serve-records.ts'
import type { SourceExample } from './example.ts'

/** The example for Source B: a session, and a registrant who speaks in that session. */
export const exampleB: SourceExample = {
  source: {
    type: 'b',
    eventId: sampleSourceBDefaults.eventId,
    timeZone: 'UTC',
    apiKey: 'env:API_KEY',
    authenticationSecret: 'env:AUTHENTICATION_SECRET',
  },
  env: {
    API_KEY: sampleSourceBDefaults.apiKey,
    AUTHENTICATION_SECRET: sampleSourceBDefaults.authenticationSecret,
  },
  full: {
    sessions: {
      id: 'S1',
      name: 'Opening',
      description: '<p>Hello</p>',
      date: '2031-05-04',
      start_time: '09:00:00',
      end_time: '10:00:00',
      timezone: 'Europe/Berlin',
    },
    registrants: {
      id: 'U1',
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.org',
      job_title: 'Countess',
      company: 'Engines',
      bio: 'Wrote',
      mobile_phone: '+1 555 0100',
      twitter_handle: 'ada',
      reg_type_id: { id: 20, value: 'Speaker' },
      session_ids: ['S1'],
      cancelled_at: null,
    },
    reg_types: { id: 20, name: 'Speaker' },
  },
  serve: (records) => serveRecords('b', records),
}
