import { z } from 'zod'
import type { ArmedFaults } from './armed-faults.ts'
import { type Content, readJson } from './contract.ts'
import type { ControlAnswer, ControlName, RequestEntry } from './control-answers.ts'
import { faultSchema } from './faults.ts'
import { isPassword } from './password.ts'
import { danglingReferences } from './references.ts'
import { type Reply, refusal } from './reply.ts'
import type { Store } from './store.ts'

/** What the control endpoints look into. */
export interface Controlled {
  readonly store: Store
  readonly faults: ArmedFaults
  readonly requests: readonly RequestEntry[]
}

const faultsBody = z.union([faultSchema, z.array(faultSchema)])
const passwordBody = z.strictObject({ uniqueId: z.string(), password: z.string() })

/** Answers what a test asks about the platform, and takes orders to misbehave. Nothing here is of the contract. */
export function answerControl(
  { store, faults, requests }: Controlled,
  method: string,
  name: string,
  bytes: Uint8Array,
): Reply {
  const listFaults = () => ok<'faults'>({ faults: faults.list() })
  const orders: Readonly<Record<string, () => Reply>> = {
    'GET ledger': () => ok<'ledger'>({ ledger: store.ledger }),
    'GET state': () => ok<'state'>(stateOf(store)),
    'GET requests': () => ok<'requests'>({ requests }),
    'GET dangling': () => ok<'dangling'>({ dangling: danglingReferences(store) }),
    'GET faults': listFaults,
    'POST faults'() {
      const read = faultsBody.safeParse(readJson(bytes))
      if (!read.success) return refusal(400, 'invalid')
      faults.arm([read.data].flat())
      return listFaults()
    },
    'POST password'() {
      const read = passwordBody.safeParse(readJson(bytes))
      if (!read.success) return refusal(400, 'invalid')
      const stored = store.item('attendees', read.data.uniqueId)?.passwordHash
      return ok<'password'>({ matches: stored !== undefined && isPassword(read.data.password, stored) })
    },
  }
  const order = orders[`${method} ${name}`]
  return order === undefined ? refusal(404, 'not_found') : order()
}

function ok<Name extends ControlName>(body: ControlAnswer<Name>): Reply {
  return { status: 200, body }
}

function stateOf(store: Store): ControlAnswer<'state'> {
  const itemsOf = (content: Content) =>
    store.uniqueIds(content).flatMap((uniqueId) => {
      const item = store.item(content, uniqueId)
      if (item === undefined) return []
      return [{ uniqueId, fields: item.fields, hasPassword: item.passwordHash !== undefined }]
    })
  return {
    items: {
      agenda: itemsOf('agenda'),
      speakers: itemsOf('speakers'),
      attendees: itemsOf('attendees'),
    },
    fences: Object.fromEntries([...store.fences].map(([integration, { fence }]) => [integration, fence])),
    keys: store.keys.size,
  }
}
