import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { converse } from '../../../pipeline/commands/dialogue.ts'
import { askForConfig } from '../../../pipeline/commands/init.ts'
import { configSchema } from '../../../pipeline/config/config.ts'

/**
 * Simulates a person who types all answers before the first question appears. If `isTerminal` is true, the
 * person uses a terminal.
 */
function person(typed: string, isTerminal = false) {
  const input = new PassThrough()
  const output = Object.assign(new PassThrough(), { isTTY: isTerminal, columns: 80 })
  input.end(typed)
  return { input, output, shown: text(output) }
}

/**
 * Asks the questions of `init` and answers them with typed text. Returns the resulting configuration and all
 * text that `init` showed.
 */
async function answersTo(typed: string, zone?: string) {
  const { input, output, shown } = person(typed)
  const config = await converse(input, output, (ask) => askForConfig(ask, zone)).finally(() => output.end())
  return { config, shown: await shown }
}

test('init asks for the keys of an integration of Source A, with the descriptions of the schema', async () => {
  const { config, shown } = await answersTo('a\nhttps://a.example/\n007\n\nsummit\n\n\n', 'America/New_York')
  expect(config).toStrictEqual({
    output: { folder: './out' },
    integrations: [
      {
        id: 'summit',
        source: { type: 'a', url: 'https://a.example', eventId: '007', timeZone: 'America/New_York' },
        platform: { type: 'jsonl' },
      },
    ],
  })
  expect(shown).toBe(`Source A: an event-management system, read anonymously, or with credentials (auth).
Source B: a registration system, read with an API key.
  type: Address of the system, without /api.
  url: The event in the source, as its paths name it.
  eventId: Time zone (IANA name) of times that carry no offset; left out: such times are bad_time. Enter writes the time zone in brackets.
  timeZone [America/New_York]: Its name in commands, folders and the database; must be unique.
  id: Name of the event, in headings of reports and pages; left out: the id.
  name: Folder that receives audit packs and operations files.
  output [./out]: `)
})

test('for Source B init also asks for references to the credentials, such as env:NAME', async () => {
  const { config } = await answersTo(
    'b\nhttps://b.example\n77\nUTC\nexpo\nExpo 2031\nenv:MY_KEY\nfile:secret.txt\n/srv/out\n',
  )
  expect(config).toMatchObject({
    output: { folder: '/srv/out' },
    integrations: [
      {
        name: 'Expo 2031',
        source: { type: 'b', eventId: '77', apiKey: 'env:MY_KEY', authenticationSecret: 'file:secret.txt' },
      },
    ],
  })
  expect(configSchema.safeParse(config).error).toBeUndefined()
})

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['Etc/Unknown', 'UTC'],
  [undefined, 'UTC'],
])('on a machine in the time zone %s, init offers %s as the answer', async (zone, offered) => {
  const { config, shown } = await answersTo('a\nhttps://a.example\n1\n\nx\n\n\n', zone)
  expect(shown).toContain(`timeZone [${offered}]: `)
  expect(config.integrations[0]?.source.timeZone).toBe(offered)
})

test('if an answer is invalid, init says why and repeats the question until an answer is valid', async () => {
  const typed =
    'c||a||a.example|https://me:pw@a.example|https://a.example| |..|4242|Berlin|Europe/Berlin|My Event|my-event||./out'
  const { config, shown } = await answersTo(`${typed.replaceAll('|', '\n')}\n`)
  const reasons = shown.match(/(?<=: ) {2}[a-zA-Z]+ (?:must|is|").*/g)
  expect(reasons?.map((reason) => reason.trim())).toEqual([
    'type must be a or b, got "c"',
    'type is missing',
    'url is missing',
    'url is not an http or https address (not shown)',
    'url must not contain a user name or a password',
    'eventId is missing',
    'eventId must be text that is not blank, has no control characters and is not . or .., got ".."',
    'timeZone must be a time zone such as Europe/Berlin or UTC, got "Berlin"',
    'id must be 1 to 63 of a-z, 0-9 and -, and not begin with -, got "My Event"',
  ])
  expect(config.integrations[0]).toMatchObject({ id: 'my-event', source: { eventId: '4242' } })
})

test('init refuses an answer that may be a secret instead of a reference to a secret, and does not show the answer', async () => {
  const typed = 'b|https://b.example|77||expo||canary0Key|canary:key|CANARY1234567890|env:KEY|canary secret||'
  const { config, shown } = await answersTo(`${typed.replaceAll('|', '\n')}\n`)
  expect(shown.toLowerCase()).not.toContain('canary')
  expect(shown.match(/not the secret itself \(not shown\)/g)).toHaveLength(4)
  expect(config.integrations[0]?.source).toMatchObject({
    apiKey: 'env:KEY',
    authenticationSecret: 'env:SOURCE_B_AUTHENTICATION_SECRET',
  })
})

const question = { about: 'What?', key: 'what', schema: z.string().min(1) }

test('the last line of the input is an answer even without a line break', async () => {
  const { input, output } = person('this')
  expect(await converse(input, output, (ask) => ask(question))).toBe('this')
})

test.each([
  ['the end of the input', '', false],
  ['the end of the input after an answer', 'x\n', false],
  ['Ctrl-D', '\x04', true],
  ['Ctrl-C', 'half\x03', true],
  ['Ctrl-C after an answer', 'x\r\x03', true],
])('%s ends the questions, and nothing is written', async (_what, typed, isTerminal) => {
  const { input, output } = person(typed, isTerminal)
  const talking = converse(input, output, async (ask) => [await ask(question), await ask(question)])
  await expect(talking).rejects.toMatchObject({ code: 'interrupted' })
  await expect(talking).rejects.toThrow('interrupted; nothing was written')
})
