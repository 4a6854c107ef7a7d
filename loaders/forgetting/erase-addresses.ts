import { sql } from 'kysely'
import { z } from 'zod'
import { addressSpellings } from '../../transforms/rules/addresses.ts'
import { recordedAddress, writtenForms } from '../../transforms/rules/people.ts'
import { containing, type RunsOfRow, type Step } from './erasure.ts'

/** Ids and e-mail addresses that a source wrote into addresses of pages, which were kept there before version 0.2. */
export const requestsWithout: Step = addressesWithout('url', [], withoutPerson)

/** Earlier manifests with such an id or address: their hash stays a link of the chain, their text goes. */
export const manifestsWithout: Step = addressesWithout('manifest', ['signature'], (manifest, form) =>
  hasForm(manifest, form) ? null : manifest,
)

/** @param without what is left of a text; where it is another, the columns beside it are null */
function addressesWithout(
  column: string,
  beside: readonly string[],
  without: (text: string, form: string) => string | null,
): Step {
  const columns = [column, ...beside]
  return {
    does: 'addresses of pages with the person rewritten',
    columns,
    async erase({ transaction, integrationId, tokens, addresses, log }, place) {
      const forms = [...tokens.keys(), ...addresses.flatMap(addressSpellings)].flatMap(writtenForms)
      for (const form of new Set(forms)) {
        const { rows } = await sql<RunsOfRow & { readonly ctid: string; readonly text: string }>`
          select ctid::text, run_id, ${sql.ref(column)} as text from ${sql.table(place.table)}
          where integration_id = ${integrationId} and ${sql.ref(column)} ilike ${containing(form)}`.execute(
          transaction,
        )
        for (const row of rows) {
          const { ctid, text } = row
          const left = without(text, form)
          if (left === text) continue
          const values = columns.map((name) => sql`${sql.ref(name)} = ${name === column ? left : null}`)
          await sql`update ${sql.table(place.table)} set ${sql.join(values)} where ctid = ${ctid}::tid`.execute(
            transaction,
          )
          log.runsOf(place, row)
          log.add(place.table, 1)
        }
      }
    },
  }
}

/** Whether a request of a manifest has an id or an address in what is left out of addresses by now. */
function hasForm(manifest: string, form: string): boolean {
  const { requests } = manifestSchema.parse(JSON.parse(manifest))
  return requests.some(
    ({ url }) => url.toLowerCase().includes(form.toLowerCase()) && withoutPerson(url, form) !== url,
  )
}

/** Short ids may be part of any path; an e-mail address is nothing else. */
function withoutPerson(url: string, form: string): string {
  const recorded = recordedAddress(url)
  return /@|%40/.test(form) ? recorded.replace(new RegExp(RegExp.escape(form), 'gi'), 'forgotten') : recorded
}

const manifestSchema = z.object({ requests: z.array(z.object({ url: z.string() })) })
