import {
  type Config,
  ConfigError,
  type IntegrationConfig,
  resolveGlobalPassword,
  resolveSealingKey,
  type SecretEnvironment,
} from '../config.ts'
import { targetTypeOf } from '../platform/connect.ts'
import { type Finding, failedBy, notCheckable, ok, type Rule } from './findings.ts'

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
 *
 * Source: spec 5.2, 8; spec-gaps, "Passwords".
 */
export function passwordFindings(
  config: Config,
  integration: IntegrationConfig,
  secrets: SecretEnvironment,
): readonly Finding[] {
  const { passwords, platform } = integration
  const notSent = targetTypeOf(platform).takesPasswords
    ? ''
    : `a platform of type ${platform.type} takes no passwords, so none is sent`
  if (passwords === undefined || !integration.content.includes('attendees')) {
    return [ok(SENT, notSent === '' ? 'no attendees are synced, so no password is sent' : notSent)]
  }
  const wereItSent = notSent === '' ? '' : 'were it sent: '
  switch (passwords.mode) {
    case 'none':
      return [ok(SENT, 'none: the platform signs people in by other means')]
    case 'global':
      return [
        ok(SENT, notSent === '' ? 'one password for all of them' : notSent),
        secretFinding(
          () => resolveGlobalPassword(integration, secrets),
          `${passwords.global} holds at least 6 characters`,
        ),
        notCheckable(
          PLATFORM,
          wereItSent + GLOBAL_MEANS + emailMeans(passwords.storeEncryptedPassword),
          ASK_GLOBAL,
        ),
      ]
    case 'random':
      return [
        ok(SENT, notSent === '' ? 'a random one of 6 characters for each' : notSent),
        secretFinding(
          () => resolveSealingKey(config, secrets),
          `${config.sealingKey} holds a key of 32 bytes`,
        ),
        notCheckable(PLATFORM, wereItSent + RANDOM_MEANS + emailMeans(true), ASK_RANDOM),
      ]
  }
}

function secretFinding(resolve: () => unknown, seen: string): Finding {
  try {
    resolve()
    return ok(SECRET, seen)
  } catch (error) {
    if (error instanceof ConfigError) return failedBy(SECRET, error)
    throw error
  }
}

const GLOBAL_MEANS =
  'one password for everybody: whoever has it can sign in as any attendee whose e-mail address they know, ' +
  'and it stays known after the event; 6 characters can also be guessed where tries are not limited'

const RANDOM_MEANS =
  "6 random characters for each: nobody learns another's from their own, but they can be guessed within hours " +
  'where tries are not limited, or by whoever gets hold of what the platform stores'

function emailMeans(isInWelcomeEmail: boolean): string {
  return isInWelcomeEmail
    ? '; the welcome email carries it as plain text, so the platform stores it in a form that can be read back'
    : ''
}

const ASK =
  'ask of the platform: to demand a password of their own at the first sign-in, to limit and report failed tries, to close unused accounts after the event'
const ASK_GLOBAL = `${ASK}; or use mode: random`
const ASK_RANDOM = `${ASK}, to make passwords in welcome emails expire`
