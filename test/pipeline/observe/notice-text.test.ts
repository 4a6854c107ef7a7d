import { expect, test } from 'vitest'
import { namingConfig } from '../../../pipeline/commands/naming-config.ts'
import {
  escapeForSlack,
  messageAbout,
  noticeText,
  type Occasion,
  teamsMessage,
} from '../../../pipeline/observe/notice-text.ts'
import { endOf } from '../../../pipeline/observe/outcome.ts'
import { NO_CHANGES, type RunReport } from '../../../pipeline/runtime/report.ts'
import { MOST_OF_SLACK, MOST_OF_TEAMS } from './chats.ts'

const CONFIG = { id: 'summit', guards: { maxQuarantined: 0 } } as Parameters<typeof endOf>[1]
const none = { create: 0, update: 0, remove: 0, unchanged: 3 }

const HELD: Occasion = { end: 'held', state: 'begun', before: null }
const FAILED: Occasion = { ...HELD, end: 'failed' }
const FINISHED: Occasion = { end: 'finished', state: 'ended', before: null }

function textOf(more: Partial<RunReport>, occasion: Occasion): readonly string[] {
  return noticeText(endOf(reportWith(more), CONFIG), occasion, '/out').split('\n')
}

function reportWith(more: Partial<RunReport>): RunReport {
  return {
    integration: 'summit',
    run: 'RUN',
    status: 'finished',
    planHash: 'HASH',
    changes: NO_CHANGES,
    excluded: {},
    quarantined: 0,
    certified: true,
    held: null,
    pinned: null,
    output: null,
    page: null,
    ...more,
  }
}

test('the text about a held run says what would change, why the guard holds the run, and how to look, approve and reject', () => {
  const held = { guard: 'removals', detail: '18 of 34 live items would go\nlook there' }
  const changes = { ...NO_CHANGES, attendees: { ...none, remove: 18 }, agenda: { ...none, update: 1 } }
  const page = '/out/summit/RUN/report.html'
  expect(textOf({ status: 'held', held, changes, page }, HELD)).toEqual([
    'summit: held by removals. 18 of 21 attendees would disappear from the app; 1 of 4 sessions would change in the app',
    'Why: 18 of 34 live items would go',
    'Next: look at the plan with `event-sync show RUN`; if it is right, approve it with `event-sync apply summit HASH`; if it is wrong, correct the source, then `event-sync run summit`',
    'Page: /out/index.html links to the plan that waits, and to a page without names that you can forward',
  ])
})

test('the text for a failed run has the first line of its error, and the text for a success has the changes and the report', () => {
  expect(
    textOf(
      { status: 'failed', run: null, error: 'extract failed: answered 404\nplatform untouched' },
      FAILED,
    ),
  ).toEqual(['summit: failed. extract failed: answered 404', 'Next: see the error'])
  const changes = { ...NO_CHANGES, speakers: { ...none, create: 2 } }
  expect(textOf({ changes, output: '/out/summit/RUN' }, FINISHED)).toEqual([
    'summit: everything landed',
    'speakers: 2 created',
    'Report: /out/summit/RUN/report.html',
  ])
})

test('the text for an approved plan does not say that it is held', () => {
  const held = { guard: 'removals', detail: '18 of 34 live items would go' }
  expect(textOf({ held, approved: true }, FINISHED)).toEqual(['summit: everything landed'])
})

test.each<[string, Occasion, Partial<RunReport>]>([
  ['summit: held by removals', HELD, {}],
  ['summit: held by removals (before: failed)', { ...HELD, state: 'changed', before: 'failed' }, {}],
  ['summit: still held by removals', { ...HELD, state: 'lasting', before: 'held' }, {}],
  [
    'summit is up to date again',
    { end: 'finished', state: 'over', before: 'held' },
    { held: null, status: 'finished' },
  ],
  ['summit: no longer failed, now held by removals', { ...HELD, state: 'over', before: 'failed' }, {}],
])('%s: the heading is the begin of the text', (heading, occasion, more) => {
  const held = { guard: 'removals', detail: 'seen' }
  const message = messageAbout(
    endOf(reportWith({ status: 'held', held, ...more }), CONFIG),
    occasion,
    'AT',
    '/out',
  )
  expect(message.heading).toBe(heading)
  expect(message.text.split('\n')[0]).toBe(more.held === null ? heading : `${heading}. seen`)
  expect(message.facts).toMatchObject({ state: occasion.state, end: occasion.end, at: 'AT' })
})

test('the commands of a message name the configuration, if it is not the default one', () => {
  const error = 'renamed; run `event-sync rename summit summer`'
  const ended = endOf(reportWith({ status: 'failed', error }), CONFIG)
  const { text, facts } = messageAbout(ended, FAILED, 'AT', '/out', (one) =>
    namingConfig(one, 'my events.yaml'),
  )
  for (const said of [text, facts.error, facts.todo]) {
    expect(said).toContain("`event-sync -c 'my events.yaml' ")
    expect(said).not.toMatch(/event-sync (?:rename|show)/)
  }
})

test('a long text stays within the limits of Slack and Teams, and is not cut within a character', () => {
  const worst = ['\u0001', '😀', '_', '水', '<', 'a😀'].map((one) => one.repeat(5000))
  for (const error of worst) {
    const text = noticeText(endOf(reportWith({ status: 'failed', error }), CONFIG), FAILED, '/out')
    expect(text.isWellFormed()).toBe(true)
    expect(escapeForSlack(text).length).toBeLessThanOrEqual(MOST_OF_SLACK)
    expect(Buffer.byteLength(JSON.stringify(teamsMessage(text)))).toBeLessThanOrEqual(MOST_OF_TEAMS)
  }
})

test('chat markup in values has no effect: it notifies nobody and makes no link', () => {
  expect(escapeForSlack('<!channel> & <https://x.example|y>')).toBe(
    '&lt;!channel&gt; &amp; &lt;https://x.example|y&gt;',
  )
  expect(JSON.stringify(teamsMessage('a [link](https://x.example)'))).toContain(
    JSON.stringify('a \\[link\\](https://x.example)').slice(1, -1),
  )
})

test('Teams gets an Adaptive Card with one block for each line', () => {
  expect(teamsMessage('summit: failed\nNext: see the error')).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            { type: 'TextBlock', text: 'summit: failed', wrap: true, weight: 'Bolder', size: 'Medium' },
            { type: 'TextBlock', text: 'Next: see the error', wrap: true },
          ],
        },
      },
    ],
  })
})
