import { shellWord } from '../runtime/shell-word.ts'
import { PAGES } from './pages.ts'

/** Commands that neither read nor write a configuration. */
const WITHOUT_CONFIG = ['demo', 'schema', 'verify', 'completion', 'man', 'help']

const NAMED = new RegExp(
  `\\bevent-sync (?=(?:${Object.keys(PAGES)
    .filter((name) => !WITHOUT_CONFIG.includes(name))
    .join('|')})\\b)`,
  'g',
)

/** The configuration of commands without the option `-c`. */
export const DEFAULT_CONFIG = './event-sync.yaml'

/** Adds `-c FILE` to each command that a text or a JSON object names. */
export function namingConfig(text: string, config: string): string {
  const file = shellWord(config)
  const isJson = text.startsWith('{')
  return text.replace(NAMED, () => `event-sync -c ${isJson ? JSON.stringify(file).slice(1, -1) : file} `)
}
