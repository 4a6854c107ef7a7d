/** The configuration: `event-sync.yaml` as a checked, frozen value; its JSON Schema; its secrets, when due. */
export { type ConfigInput, toCommentedYaml } from './config/commented-yaml.ts'
export { isUnencrypted } from './config/encryption.ts'
export { ConfigError } from './config/errors.ts'
export { configHash } from './config/hash.ts'
export { loadConfig } from './config/load.ts'
export { plainMessage } from './config/messages.ts'
export { resolveGlobalPassword, resolveSealingKey } from './config/passwords.ts'
export {
  type Config,
  configSchema,
  type IntegrationConfig,
  jsonSchema,
  type LineageConfig,
  type WebhookConfig,
} from './config/schema.ts'
export {
  resolveSecret,
  Secret,
  type SecretEnvironment,
} from './config/secrets.ts'
export type { SecretReference } from './config/values.ts'
