import { expect, test } from 'vitest'
import { escapeForSlack, noticeText, teamsMessage } from '../../../pipeline/observe/notice-text.ts'
import { endOf } from '../../../pipeline/observe/outcome.ts'
import { NO_CHANGES, type RunReport } from '../../../pipeline/runtime/report.ts'

const CONFIG = { id: 'summit', guards: { maxQuarantined: 0 } } as Parameters<typeof endOf>[1]
const none = { create: 0, update: 0, remove: 0, unchanged: 3 }

function textOf(more: Partial<RunReport>): readonly string[] {
  const report: RunReport = {
    integration: 'summit',
    run: 'RUN',
    status: 'finished',
    planHash: 'HASH',
    changes: NO_CHANGES,
    excluded: {},
    quarantined: 0,
    certified: true,
    held: null,
    output: null,
    page: null,
    ...more,
  }
  return noticeText(endOf(report, CONFIG)).split('\n')
}

test('the text for a held run names the guard, its finding, the waiting changes, and the command that approves them', () => {
  const held = { guard: 'removals', detail: '18 of 34 live items would go\nlook there' }
  const changes = { ...NO_CHANGES, attendees: { ...none, remove: 18 }, agenda: { ...none, update: 1 } }
  expect(textOf({ status: 'held', held, changes })).toEqual([
    'summit: held by removals. 18 of 34 live items would go',
    'agenda: 1 to update; attendees: 18 to remove',
    expect.stringContaining(
      'Next: look at the plan with `event-sync show RUN`; approve it with `event-sync apply summit HASH`',
    ),
  ])
})

test('the text for a failed run has the first line of its error; the text for a success has the changes and the report', () => {
  expect(
    textOf({ status: 'failed', run: null, error: 'extract failed: answered 404\nplatform untouched' }),
  ).toEqual(['summit: failed. extract failed: answered 404', 'Next: see the error'])
  const changes = { ...NO_CHANGES, speakers: { ...none, create: 2 } }
  expect(textOf({ changes, output: '/out/summit/RUN' })).toEqual([
    'summit: everything landed',
    'speakers: 2 created',
    'Report: /out/summit/RUN/report.html',
  ])
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
