import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { z } from 'event-content-sync/target'

/**
 * A platform that imports people, as strict as its documentation:
 *
 * - A batch has at most 50 people. One mistake in the form of a batch refuses the whole batch (422).
 * - Names, job titles and companies have at most 190 characters.
 * - Only one registered person may have an e-mail address. The check follows all changes of the batch.
 * - People are never deleted. A cancelled person is not listed; importing them again opens another account.
 * - In any 60 seconds the platform answers 6 requests. It answers every further request with 429.
 */
const most = { batch: 50, name: 190, requests: 6, periodMs: 60_000 }

const name = z.string().min(1).max(most.name)
const personSchema = z.strictObject({
  reference: z.string().min(1),
  email: z.string().includes('@'),
  first_name: name,
  last_name: name,
  job_title: name.optional(),
  company: name.optional(),
  biography: z.string().optional(),
  phone: z.string().optional(),
  custom_fields: z.record(z.string(), z.string()).default({}),
  initial_password: z.string().optional(),
  mail_password: z.literal(true).optional(),
})
const importSchema = z.strictObject({ people: z.array(personSchema).min(1).max(most.batch) })
const cancelSchema = z.strictObject({ references: z.array(z.string()).min(1).max(most.batch) })

type Imported = z.output<typeof personSchema>

/** An account of a person. A person who was cancelled and imported again has two accounts. */
export interface Account {
  readonly person: Omit<Imported, 'initial_password' | 'mail_password'>
  readonly password: string | null
  readonly isMailed: boolean
  readonly isCancelled: boolean
}

export interface PeoplePlatform {
  readonly url: string
  /** The accounts in the order of their creation. */
  readonly accounts: readonly Account[]
  /** Method and path of each answered request. */
  readonly requests: readonly string[]
  /** Number of requests that exceeded the limit of requests. */
  readonly exceeded: number
  /** Makes the next import fail with status 503 after its effect. */
  loseNextAnswer(): void
  /** Cancels a person, as somebody who works at the platform does by hand. */
  cancelByHand(reference: string): void
  close(): Promise<void>
}

export const peopleToken = 'people-import-token'

interface Options {
  /** Returns the time in milliseconds by which requests are counted. */
  readonly now: () => number
  readonly pageSize?: number
}

/** Starts the platform on loopback, with the event `spring`. */
export async function servePeople({ now, pageSize = 100 }: Options): Promise<PeoplePlatform> {
  let accounts: readonly Account[] = []
  let exceeded = 0
  let isAnswerLost = false
  let answeredMs: readonly number[] = []
  const requests: string[] = []

  function answer(method: string, url: URL, authorization: string | undefined, body: string): Answer {
    if (authorization !== `Bearer ${peopleToken}`) return [401, { error: 'unauthorized' }]
    answeredMs = answeredMs.filter((time) => time > now() - most.periodMs)
    if (answeredMs.length >= most.requests) {
      exceeded += 1
      return [429, { error: 'too_many_requests' }]
    }
    answeredMs = [...answeredMs, now()]
    requests.push(`${method} ${url.pathname}`)
    const answered = effectOf(`${method} ${url.pathname}`, url, body)
    if (!isAnswerLost || !url.pathname.endsWith('/import')) return answered
    isAnswerLost = false
    return [503, {}]
  }

  function effectOf(asked: string, url: URL, body: string): Answer {
    switch (asked) {
      case 'GET /v1/events/spring/people':
        return listed(Number(url.searchParams.get('page') ?? 1))
      case 'POST /v1/events/spring/people/import': {
        const { data } = importSchema.safeParse(JSON.parse(body))
        return data === undefined ? [422, { error: 'invalid_batch' }] : imported(data.people)
      }
      case 'POST /v1/events/spring/people/cancel': {
        const { data } = cancelSchema.safeParse(JSON.parse(body))
        return data === undefined ? [422, { error: 'invalid_batch' }] : cancelled(data.references)
      }
      default:
        return [404, { error: 'not_found' }]
    }
  }

  function listed(page: number): Answer {
    const people = accounts.filter(({ isCancelled }) => !isCancelled).map(({ person }) => person)
    const end = page * pageSize
    const next_page = end < people.length ? page + 1 : null
    return [200, { people: people.slice(end - pageSize, end), total: people.length, next_page }]
  }

  function imported(people: readonly Imported[]): Answer {
    const emails = people.map(({ email }) => email.toLowerCase())
    if (new Set(emails).size < emails.length) return [422, { error: 'email_twice' }]
    const leaving = new Set(people.map(({ reference }) => reference))
    const others = accounts.filter(
      ({ person, isCancelled }) => !isCancelled && !leaving.has(person.reference),
    )
    const held = new Set(others.map(({ person }) => person.email.toLowerCase()))
    return [200, { people: people.map((one) => ({ reference: one.reference, ...take(one, held) })) }]
  }

  function take({ initial_password, mail_password, ...person }: Imported, held: ReadonlySet<string>) {
    if (held.has(person.email.toLowerCase())) return { outcome: 'rejected', error: 'email_in_use' }
    const before = accounts.find((one) => !one.isCancelled && one.person.reference === person.reference)
    if (before === undefined) {
      const password = initial_password ?? null
      accounts = [...accounts, { person, password, isMailed: mail_password === true, isCancelled: false }]
      return { outcome: 'created' }
    }
    const isSame = JSON.stringify(before.person) === JSON.stringify(person)
    accounts = accounts.map((one) => (one === before ? { ...one, person } : one))
    return { outcome: isSame ? 'unchanged' : 'updated' }
  }

  function cancelled(references: readonly string[]): Answer {
    const outcomes = references.map((reference) => {
      const found = accounts.find(({ person, isCancelled }) => !isCancelled && person.reference === reference)
      accounts = accounts.map((one) => (one === found ? { ...one, isCancelled: true } : one))
      return { reference, outcome: found === undefined ? 'not_registered' : 'cancelled' }
    })
    return [200, { people: outcomes }]
  }

  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const [status, value] = answer(
      method,
      new URL(url, 'http://127.0.0.1'),
      headers.authorization,
      await text(request),
    )
    response.writeHead(status, {
      'Content-Type': 'application/json',
      ...(status === 429 && { 'Retry-After': '10' }),
    })
    response.end(JSON.stringify(value))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get accounts() {
      return accounts
    },
    requests,
    get exceeded() {
      return exceeded
    },
    loseNextAnswer() {
      isAnswerLost = true
    },
    cancelByHand: (reference) => void cancelled([reference]),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

type Answer = readonly [status: number, value: unknown]
