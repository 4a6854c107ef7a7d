import {
  BatchRefusedError,
  defineTarget,
  PlatformRefusalError,
  type Result,
  type SentUpsert,
  secret,
  type TargetAnswer,
  z,
} from 'event-content-sync/target'

/* 1. What the platform can take, from its documentation. */

const limits = {
  batchSize: 50,
  requestsPerMinute: 6,
  uniqueFields: { attendees: ['emailAddress'] },
  longestTexts: { attendees: { firstName: 190, lastName: 190, company: 190, title: 190 } },
  removes: ['attendees'],
} as const

/* 2. How an attendee becomes a person of the platform, and back. */

/** The field of the platform for each field of an attendee. */
const NAMES = {
  emailAddress: 'email',
  firstName: 'first_name',
  lastName: 'last_name',
  title: 'job_title',
  company: 'company',
  biography: 'biography',
  phone: 'phone',
} as const

function toPerson({ uniqueId, fields, password, storeEncryptedPassword }: SentUpsert) {
  const known = Object.entries(NAMES).map(([field, name]) => [name, fields[field]])
  const { personalAgenda, custom } = fields
  return {
    reference: uniqueId,
    ...Object.fromEntries(known),
    // The platform has no field for these two, so they are kept as text in its own fields.
    custom_fields: { personal_agenda: toText(personalAgenda), own_fields: toText(custom) },
    ...(password !== undefined && { initial_password: password }),
    ...(storeEncryptedPassword === true && { mail_password: true }),
  }
}

const toText = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value))
const fromText = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text))

const personSchema = z.looseObject({
  reference: z.string(),
  custom_fields: z.object({ personal_agenda: z.string().optional(), own_fields: z.string().optional() }),
})

function toItem({ reference, custom_fields: texts, ...person }: z.output<typeof personSchema>) {
  const known = Object.entries(NAMES).map(([field, name]) => [field, person[name]])
  return {
    uniqueId: reference,
    fields: {
      ...Object.fromEntries(known),
      personalAgenda: fromText(texts.personal_agenda),
      custom: fromText(texts.own_fields),
    },
  }
}

/* 3. The answers of the platform. */

const pageSchema = z.object({
  people: z.array(personSchema),
  total: z.int(),
  next_page: z.int().nullable(),
})

const outcomesSchema = z.object({
  people: z.array(z.object({ reference: z.string(), outcome: z.string(), error: z.string().optional() })),
})

const refusalSchema = z.object({ error: z.string() })

const STATUSES = new Map<string, Result['status']>([
  ['created', 'created'],
  ['updated', 'updated'],
  ['unchanged', 'unchanged'],
  ['rejected', 'failed'],
  ['cancelled', 'removed'],
  ['not_registered', 'unchanged'],
])

function bodyOf<Output>({ status, body }: TargetAnswer, expected: number, schema: z.ZodType<Output>): Output {
  const parsed = schema.safeParse(body)
  if (status === expected && parsed.success) return parsed.data
  throw new PlatformRefusalError(`the platform answered ${status}, or with a body that is not documented`)
}

/* 4. The three functions. */

export default defineTarget({
  name: 'people',
  title: 'People Import',
  contents: ['attendees'],
  limits,
  takesPasswords: true,
  keys: { token: secret().describe('API token of the platform: env:NAME or file:PATH.') },
  secrets: ['token'],
  connect({ eventId }, { request, secret: secretOf }) {
    const people = `v1/events/${encodeURIComponent(eventId)}/people`
    const headers = { Authorization: `Bearer ${secretOf('token')}` }
    const post = (path: string, body: object) => request(path, { method: 'POST', headers, body })
    const readPage = async (page: number) =>
      bodyOf(await request(people, { headers, query: { page: String(page) } }), 200, pageSchema)

    return {
      async send({ upserts, removals }) {
        // A batch has only upserts or only removals.
        const answer =
          upserts.length > 0
            ? await post(`${people}/import`, { people: upserts.map(toPerson) })
            : await post(`${people}/cancel`, { references: removals.map(({ uniqueId }) => uniqueId) })
        if (answer.status === 422) throw new BatchRefusedError(bodyOf(answer, 422, refusalSchema).error)
        const { people: found } = bodyOf(answer, 200, outcomesSchema)
        const outcomes = new Map(found.map((one) => [one.reference, one]))
        return [...upserts, ...removals].flatMap(({ seq, uniqueId }): Result[] => {
          const { outcome = '', error } = outcomes.get(uniqueId) ?? {}
          const status = STATUSES.get(outcome)
          return status === undefined ? [] : [{ seq, status, code: error }]
        })
      },

      async *list() {
        for (let page: number | null = 1; page !== null; ) {
          const answer: z.output<typeof pageSchema> = await readPage(page)
          for (const person of answer.people) yield toItem(person)
          page = answer.next_page
        }
      },

      async count() {
        return (await readPage(1)).total
      },
    }
  },
})
