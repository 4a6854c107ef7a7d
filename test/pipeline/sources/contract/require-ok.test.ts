import { describe, expect, test } from 'vitest'
import type { Answer } from '../../../../pipeline/http/http.ts'
import { HttpFault } from '../../../../pipeline/http/read-error.ts'
import { requireOk } from '../../../../pipeline/sources/contract/require-ok.ts'
import { headOf } from '../../extract/support.ts'

const NOW = Date.parse('2031-05-04T12:00:00Z')

describe('an answer that is not 200', () => {
  const REDIRECT = 'a redirect is followed three times at most, and only below source.url; check source.url'
  function refused(status: number, headers: Readonly<Record<string, string>> = {}) {
    let discarded = false
    const answer: Answer = {
      ...headOf(status, headers),
      body: (async function* () {})(),
      discard: () => {
        discarded = true
      },
    }
    let error: unknown
    try {
      requireOk(answer, NOW)
    } catch (thrown) {
      error = thrown
    }
    return { error: error as HttpFault, discarded }
  }

  test.each([408, 429, 500, 502, 503, 504, 599])(
    'an answer with status %d may be retried [R49]',
    (status) => {
      const { error, discarded } = refused(status, { 'retry-after': '9' })
      expect(error).toBeInstanceOf(HttpFault)
      expect(error).toMatchObject({
        message: `answered ${status}: try again later; if it persists, ask the people who run the source`,
        kind: 'status',
        status,
        retryable: true,
        waitMs: 9000,
      })
      expect(discarded).toBe(true)
    },
  )

  test.each([
    [400, 'answered 400: check source.eventId and source.fields'],
    [401, 'answered 401: check the credentials in the configuration'],
    [403, 'answered 403: check that the account (Source A: the Anonymous role) may read this'],
    [
      404,
      'answered 404: check source.url and the keys of source that name the event, such as source.eventId',
    ],
    [422, 'answered 422: check source.eventId and source.fields'],
    ...[301, 302, 308].map((status): [number, string] => [status, `answered ${status}: ${REDIRECT}`]),
    [204, 'answered 204'],
    [206, 'answered 206'],
  ])(
    'an answer with status %d fails at once, and the message says what to check [R49]',
    (status, message) => {
      const { error, discarded } = refused(status, { 'retry-after': '9' })
      expect(error).toBeInstanceOf(HttpFault)
      expect(error).toMatchObject({ message, status, retryable: false, waitMs: null })
      expect(discarded).toBe(true)
    },
  )
})
