import { ofContents } from './contents.ts'
import { ofDoors } from './doors.ts'
import { ofGuards } from './guards.ts'
import type { Mutation } from './mutation.ts'
import { ofOutcomes } from './outcomes.ts'
import { ofReading } from './reading.ts'
import { ofTimes } from './times.ts'
import { ofUnattended } from './unattended.ts'
import { ofValues } from './values.ts'

/** Every way in which a rule is broken on purpose, to see that a test notices. */
export const mutations: readonly Mutation[] = [
  ...ofValues,
  ...ofTimes,
  ...ofDoors,
  ...ofReading,
  ...ofContents,
  ...ofGuards,
  ...ofOutcomes,
  ...ofUnattended,
]
