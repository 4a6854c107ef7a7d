import type { Random } from '../../harness/random.ts'
import type { SamplePlatform } from '../../harness/sample-platform/start.ts'
import { declare, type Tally } from '../../harness/tally.ts'
import type { Fields } from '../model/model-items.ts'
import type { Content } from '../model/options.ts'
import type { ModelPlatform, Operation } from './model-platform.ts'

const DEEDS = ['changes an item', 'removes an item', 'adds an item'] as const
for (const deed of DEEDS) declare(`another hand ${deed}`)

/**
 * Changes the platform like another person would do, so that the integration does not know of the change.
 *
 * @param number the number of the change, which makes its run id unique
 */
export async function interfere(
  platform: Pick<SamplePlatform, 'url' | 'token' | 'eventId'>,
  model: ModelPlatform,
  number: number,
  random: Random,
  tally: Tally,
): Promise<void> {
  const deed = random.pick(DEEDS)
  const operation = drawOperation(deed, model, random, number)
  if (operation === null) return
  tally.count(`another hand ${deed}`)
  // A platform accepts no upserts after removals of the same run, so each operation has a run id of its own.
  const run = `01a1fda0-0000-7000-8000-${String(number).padStart(12, '0')}`
  await postByHand(platform, run, operation)
  model.post(run, [operation])
}

/**
 * Sends one operation like a person who uses the platform's console. The highest fence number does not
 * change.
 */
export async function postByHand(
  platform: Pick<SamplePlatform, 'url' | 'token' | 'eventId'>,
  run: string,
  { seq, content, uniqueId, fields }: Operation,
): Promise<void> {
  const told =
    fields === null
      ? { seq, op: 'remove', content, uniqueId, reason: 'removed_at_source' }
      : { seq, op: 'upsert', content, uniqueId, fields }
  const response = await fetch(`${platform.url}/v1/events/${platform.eventId}/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.token}`, 'idempotency-key': run },
    body: JSON.stringify({
      contract: '1.0',
      integration: `another-hand-${run}`,
      run,
      planHash: '0'.repeat(64),
      fence: 1,
      phase: fields === null ? 'removals' : 'upserts',
      operations: [told],
    }),
  })
  if (!response.ok) throw new Error(`the platform answers ${response.status} to another hand`)
}

const FIELDS: Readonly<Record<Content, (number: number) => Fields>> = {
  agenda: (number) => ({
    name: `Hand ${number}`,
    startTime: '2031-05-04T09:00:00Z',
    endTime: '2031-05-04T10:00:00Z',
  }),
  speakers: (number) => ({ firstName: `Hand ${number}`, lastName: 'Made' }),
  attendees: (number) => ({
    firstName: `Hand ${number}`,
    lastName: 'Made',
    emailAddress: `hand${number}@people.example`,
  }),
}

function drawOperation(
  deed: (typeof DEEDS)[number],
  { items }: ModelPlatform,
  random: Random,
  number: number,
): Operation | null {
  const content = random.pick(['agenda', 'speakers', 'attendees'] as const)
  const fields = FIELDS[content](number)
  if (deed === 'adds an item') return { seq: 1, content, uniqueId: `hand${number}`, fields }
  const ids = [...(items.get(content) ?? new Map()).keys()]
  if (ids.length < 2) return null
  const uniqueId = random.pick(ids)
  return { seq: 1, content, uniqueId, fields: deed === 'removes an item' ? null : fields }
}
