/** The configuration: `event-sync.yaml` as a checked, frozen value; its JSON Schema; its secrets, when due. */
export { ConfigError, type ConfigProblem } from './config/errors.ts'
export { configHash } from './config/hash.ts'
export { type ConfigEnvironment, loadConfig } from './config/load.ts'
export {
  type Config,
  configSchema,
  type HttpPlatformConfig,
  type IntegrationConfig,
  jsonSchema,
  type SourceAConfig,
  type SourceBConfig,
} from './config/schema.ts'
export {
  resolveGlobalPassword,
  resolveSealingKey,
  resolveSecret,
  Secret,
  type SecretEnvironment,
} from './config/secrets.ts'
export type { SecretReference } from './config/values.ts'
