import type { Content, Fields } from '../../sql/tables.ts'

/** Fields that hold the person's own id. */
const OWN_ID = 'attendeeId'

/** Takes the values of one person out of items; what is said of each value is the same wherever it stood. */
export interface Redaction {
  /** Fields of an item that is the person. */
  ofPerson(content: Content, fields: Fields): Fields
  /** Fields of an item that may name the person. */
  ofOther(fields: Fields): Fields
}

/**
 * Puts `forgotten` in place of values, and tokens in place of ids. Different values of one field stay different
 * (`forgotten`, `forgotten 2`), so that what runs changed remains a change, and what they left is still what they sent.
 *
 * @param tokens by id
 */
export function makeRedaction(tokens: Pick<ReadonlyMap<string, string>, 'get'>): Redaction {
  const seen = new Map<string, Map<string, string>>()

  function placeholder(of: string, value: Fields[string]): string {
    const values = seen.get(of) ?? new Map<string, string>()
    seen.set(of, values)
    const key = JSON.stringify(value)
    const known = values.get(key)
    if (known !== undefined) return known
    const made = values.size === 0 ? 'forgotten' : `forgotten ${values.size + 1}`
    values.set(key, made)
    return made
  }

  return {
    ofPerson: (content, fields) =>
      mapFields(fields, (name, value) => {
        if (name === OWN_ID && typeof value === 'string') return tokens.get(value) ?? value
        const text = placeholder(`${content}.${name}`, value)
        return typeof value === 'string' ? text : [text]
      }),
    ofOther: (fields) =>
      mapFields(fields, (name, value) =>
        name === 'speakerIds' && typeof value !== 'string' ? value.map((id) => tokens.get(id) ?? id) : value,
      ),
  }
}

function mapFields(fields: Fields, map: (name: string, value: Fields[string]) => Fields[string]): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(name, value)]))
}
