/**
 * The configuration: `event-sync.yaml` as a checked and frozen value, its JSON Schema, and functions that
 * look up its secrets.
 */

export { ConfigError } from '../settings/errors.ts'
export { resolveSecret, Secret, type SecretEnvironment } from '../settings/secrets.ts'
export type { SecretReference } from '../settings/values.ts'
export { type ConfigInput, toCommentedYaml } from './commented-yaml.ts'
export { type ConfigFile, type ConfigPlace, readConfig } from './files.ts'
export { NOTHING_OUTSIDE, type Outside } from './integration-schema.ts'
export { fileSchema, integrationFileSchema, jsonSchema } from './json-schema.ts'
export {
  checkConfig,
  configHash,
  configurationOf,
  loadConfig,
  resolveGlobalPassword,
  resolveSealingKeys,
} from './load.ts'
export { pathsNaming } from './rules.ts'
export {
  type Config,
  configSchema,
  type IntegrationConfig,
  type LineageConfig,
  type MailConfig,
  outputFolderSchema,
  type Retention,
  type WebhookConfig,
} from './schema.ts'
