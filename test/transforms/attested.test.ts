import { expect, test } from 'vitest'
import { transformA } from '../../transforms/source-a/index.ts'
import { transformB } from '../../transforms/source-b/index.ts'

test('a record states exactly these reasons itself; removals for any other reason are inferred', () => {
  expect(transformA.attested.toSorted()).toEqual(['not_published', 'one_to_one_meeting'])
  expect(transformB.attested.toSorted()).toEqual(['cancelled', 'not_a_speaker'])
})
