/**
 * The configuration: `event-sync.yaml` as a checked, frozen value, its JSON Schema, and functions that look
 * up its secrets.
 */

export { ConfigError, type ConfigProblem, toConfigError } from '../settings/errors.ts'
export { resolveSecret, Secret, type SecretEnvironment } from '../settings/secrets.ts'
export type { SecretReference } from '../settings/values.ts'
export { type ConfigInput, toCommentedYaml } from './commented-yaml.ts'
export type { OutsideSources } from './integration-schema.ts'
export {
  type ConfigFile,
  checkConfig,
  configHash,
  loadConfig,
  readConfig,
  resolveGlobalPassword,
  resolveSealingKeys,
} from './load.ts'
export {
  type Config,
  configSchema,
  type IntegrationConfig,
  jsonSchema,
  type LineageConfig,
  type WebhookConfig,
} from './schema.ts'
