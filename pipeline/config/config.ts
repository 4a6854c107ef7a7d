/** The configuration: `event-sync.yaml` as a checked, frozen value; its JSON Schema; its secrets, when due. */

export { ConfigError, type ConfigProblem, toConfigError } from '../settings/errors.ts'
export { plainMessage } from '../settings/messages.ts'
export { resolveSecret, Secret, type SecretEnvironment } from '../settings/secrets.ts'
export type { SecretReference } from '../settings/values.ts'
export { type ConfigInput, toCommentedYaml } from './commented-yaml.ts'
export { isUnencrypted } from './encryption.ts'
export { configHash } from './hash.ts'
export type { OutsideSources } from './integration.ts'
export { type ConfigFile, checkConfig, loadConfig, readConfig } from './load.ts'
export { resolveGlobalPassword, resolveSealingKey } from './passwords.ts'
export {
  type Config,
  configSchema,
  type IntegrationConfig,
  jsonSchema,
  type LineageConfig,
  type WebhookConfig,
} from './schema.ts'
