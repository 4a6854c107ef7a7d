/**
 * Entry `event-content-sync/target` of the package: functions that declare a target.
 * loaders/platform/README.md has an example.
 */
import './require-node.ts'

export { z } from 'zod'
export type { TargetLimits } from '../../loaders/platform/limits.ts'
export {
  BatchRefusedError,
  type ListedItem,
  type SentBatch,
  type SentRemoval,
  type SentUpsert,
  type TargetFunctions,
} from '../../loaders/platform/own-target.ts'
export { PlatformRefusalError, type Result } from '../../loaders/platform/target.ts'
export { secretReference as secret } from '../settings/values.ts'
export {
  defineTarget,
  type TargetConfig,
  type TargetDefinition,
  type TargetTools,
} from '../targets/define-target.ts'
export type { RequestOptions, TargetAnswer, TargetRequest } from '../targets/request.ts'
export type { OutsideTarget } from '../targets/target-type.ts'
