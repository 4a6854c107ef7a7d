import { type Mutation, mutationsOf } from './mutation.ts'

/** Who runs what when, and who is kept out. Source: pipeline/README.md, "Unattended", "Forgetting a person". */
export const ofUnattended: readonly Mutation[] = [
  ...mutationsOf('pipeline/unattended/queue.ts', {
    'Turns: one that comes due while its integration waits or is at work stands beside it': [
      `{ policy: 'exclusive', ...settings }`,
      `{ policy: 'standard', ...settings }`,
    ],
    'Turns: one that fails is never tried again': ['retryLimit: RETRIES,', 'retryLimit: 0,'],
    'Turns: what is given up is told to nobody': ['    deadLetter: GIVEN_UP,\n', ''],
    'Turns: what was put back counts as a try': [
      'await boss.complete(TURNS, attemptOf(turn), null, { db })',
      `await boss.fail(TURNS, attemptOf(turn), { error: '' }, { db })`,
    ],
    'Turns: integrations that are left to others are taken': [
      `...(but.length === 0 ? {} : { ignoreGroups: [...but] }),`,
      '',
    ],
    'Turns: one that succeeded leaves what was given up before': [
      '      await clearGivenUp(turn.integrationId)\n',
      '',
    ],
  }),
  ...mutationsOf('transforms/rules/forgotten.ts', {
    'Forgotten: a record is known by its id alone': [
      'isJsonObject(record) && (hasAddress(record) || hasId(record))',
      'isJsonObject(record) && hasId(record)',
    ],
    'Forgotten: a record is known by its address alone': [
      'isJsonObject(record) && (hasAddress(record) || hasId(record))',
      'isJsonObject(record) && hasAddress(record)',
    ],
    'Forgotten: an object with the same id is the person, wherever it stands': [
      'hasAddress(element) || (isPeople && hasId(element))',
      'hasAddress(element) || hasId(element)',
    ],
    'Forgotten: ids in a list as text stay': [
      `if (isPeople && typeof value === 'string') {`,
      `if (!isPeople && typeof value === 'string' && value === '') {`,
    ],
    'Forgotten: what stands within a kept element stays': [
      '(isJsonObject(element) ? within(element) : element)',
      'element',
    ],
  }),
]
