import { expect, test } from 'vitest'
import { transformA } from '../../transforms/source-a/index.ts'
import { transformB } from '../../transforms/source-b/index.ts'

test('only for these reasons does a record state its removal itself; removals for other reasons are inferred', () => {
  expect(transformA.attested.toSorted()).toEqual(['not_published', 'one_to_one_meeting'])
  expect(transformB.attested.toSorted()).toEqual(['cancelled', 'not_a_speaker'])
})
