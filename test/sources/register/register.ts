/**
 * A source for tests that uses what the other examples do not use: people without an id, keys that the
 * configuration can replace, a reason that no other source has, and reading by changes.
 */
import {
  addressKey,
  column,
  content,
  defineSource,
  EXACT_KEYS,
  flag,
  id,
  option,
  optional,
  readText,
  required,
  resource,
  sql,
  staged,
  text,
  UnprovedError,
  uniqueId,
} from 'event-content-sync/source'

const EMAIL = option('email', 'email', 'Key of a guest that has the e-mail address.')

const guests = resource(
  'guests',
  'register_guests',
  { ...EXACT_KEYS, changedAt: 'changed' },
  column<string | null>('id', ['id', EMAIL], ([own, address]) => {
    const [{ value }, { value: written }] = [readText(own), readText(address)]
    return staged(value ?? (written === null ? null : addressKey(written)))
  }),
  {
    own_id: id('id', { isPlain: true, meaning: 'null if the e-mail address serves as id' }),
    first_name: text('first'),
    last_name: text('last'),
    email: text(EMAIL),
    company: text('company'),
    is_refunded: flag('refunded', { isPlain: true, meaning: 'whether the ticket was paid back' }),
  },
)

const guest = guests.columns

const attendees = content('attendees', guests, {
  alias: 'guest',
  uniqueId: uniqueId({ column: guests.id, key: 'id' }, 'guests.id', 'The id, or the e-mail address.', {
    also: [{ column: guest.email }],
  }),
  fields: {
    firstName: required(guest.first_name, 'guests.first'),
    lastName: required(guest.last_name, 'guests.last'),
    emailAddress: required(guest.email, 'guests.email'),
    company: optional(guest.company, 'guests.company'),
  },
  exclude: [
    {
      reason: 'source_reason:paid_back',
      isAttested: true,
      when: ({ at }) => sql`${at(guest.is_refunded)}`,
      why: 'The ticket was paid back.',
      todo: 'Nothing, if the money is back; otherwise undo it in Register.',
      columns: [guest.is_refunded],
    },
  ],
})

export default defineSource({
  name: 'register',
  title: 'Register',
  resources: [guests],
  contents: [attendees],
  people: { records: guests, address: guest.email, ownId: guest.own_id },
  fillIn: 'Fill it in.',
  connect({ url, eventId }) {
    const within = new URL(`${url}/${encodeURIComponent(eventId)}/`)
    return {
      within,
      listOf: () => 'guests',
      async readToEnd({ search }, readPage) {
        const address = new URL('guests', within)
        if (search !== undefined && 'ids' in search) address.searchParams.set('ids', search.ids.join(','))
        else if (search !== undefined) address.searchParams.set('since', search.changedSince)
        const { elements, said } = await readPage(address, null)
        if (said.records !== elements) throw new UnprovedError('the answer has other records than it counts')
        return { proof: 'total met', declared: said.records }
      },
    }
  },
})
