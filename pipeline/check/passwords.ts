import {
  type Config,
  type IntegrationConfig,
  resolveGlobalPassword,
  resolveSealingKey,
  type SecretEnvironment,
} from '../config/config.ts'
import { targetTypeOf } from '../platform/connect.ts'
import { findingOf, notCheckable, ok, type Rule } from '../sources/contract/findings.ts'

const CLAUSE = 'spec 5.2'
const SECRET: Rule = { id: 'passwords.secret', sentence: 'the secret for passwords is there', clause: CLAUSE }
const SENT: Rule = { id: 'passwords', sentence: 'how attendees get a password', clause: CLAUSE }
const PLATFORM: Rule = {
  id: 'passwords.platform',
  sentence: 'the platform protects accounts with such passwords',
  clause: CLAUSE,
}

/**
 * Says whether the secrets for passwords can be used, what such passwords mean, and what to ask of the platform.
 * Neither a password nor its length is in any text.
 */
export function passwordFindings(config: Config, integration: IntegrationConfig, secrets: SecretEnvironment) {
  const { passwords, platform } = integration
  const notSent = targetTypeOf(platform).takesPasswords
    ? ''
    : `a platform of type ${platform.type} takes no passwords, so none is sent`
  if (passwords === undefined || !integration.content.includes('attendees')) {
    return [ok(SENT, notSent || 'no attendees are synced, so no password is sent')]
  }
  const wereItSent = notSent === '' ? '' : 'were it sent: '
  switch (passwords.mode) {
    case 'none':
      return [ok(SENT, 'none: the platform signs people in by other means')]
    case 'global': {
      const means = GLOBAL_MEANS + (passwords.storeEncryptedPassword ? IN_EMAIL : '')
      const isLongEnough = `${passwords.global} holds at least 6 characters`
      return [
        ok(SENT, notSent || 'one password for all of them'),
        findingOf(SECRET, isLongEnough, () => resolveGlobalPassword(integration, secrets)),
        notCheckable(PLATFORM, wereItSent + means, ASK_GLOBAL),
      ]
    }
    case 'random': {
      const isKey = `${config.sealingKey} holds a key of 32 bytes`
      return [
        ok(SENT, notSent || 'a random one of 6 characters for each'),
        findingOf(SECRET, isKey, () => resolveSealingKey(config, secrets)),
        notCheckable(PLATFORM, wereItSent + RANDOM_MEANS + IN_EMAIL, ASK_RANDOM),
      ]
    }
  }
}

const GLOBAL_MEANS =
  'one password for everybody: anyone who has it can sign in as any attendee whose e-mail address they know, ' +
  'and it stays known after the event; 6 characters can also be guessed where tries are not limited'

const RANDOM_MEANS =
  "6 random characters for each: nobody learns another's from their own, but they can be guessed within hours " +
  'where tries are not limited, or by anyone who gets hold of what the platform stores'

const IN_EMAIL =
  '; the welcome email carries it as plain text, so the platform stores it in a form that can be read back'

const ASK =
  'ask of the platform: to demand a password of their own at the first sign-in, to limit and report failed tries, to close unused accounts after the event'
const ASK_GLOBAL = `${ASK}; or use mode: random`
const ASK_RANDOM = `${ASK}, to make passwords in welcome emails expire`
