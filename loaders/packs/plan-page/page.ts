import {
  type Action,
  CONTENTS,
  type Content,
  type Hold,
  type Pin,
  type RunCounts,
} from '../../../sql/tables.ts'
import {
  removedBecause,
  removedInPlainWords,
  severalRemovedBecause,
} from '../../../transforms/declare/reasons.ts'
import { linesOfHold } from '../../../transforms/guards/guard-finding.ts'
import { counted } from '../../../transforms/texts/counted.ts'
import { ACTIONS_BY_WEIGHT, NOUN, WOULD } from '../../../transforms/texts/in-the-app.ts'
import { describePinned } from '../../../transforms/texts/pinned.ts'
import { approvalOf } from '../../../transforms/texts/waiting-plan.ts'
import { MASKED } from '../csv-files/csv.ts'
import type { ChangedItem } from '../csv-files/rows.ts'
import type { PlannedCount } from '../plan-changes.ts'
import { cell } from '../report/cell.ts'
import { documentOf } from '../report/document.ts'
import {
  badge,
  CONTENT_TITLE,
  grouped,
  groupedCount,
  type Html,
  html,
  inZone,
  nothing,
  numberCell,
  scrolling,
  table,
  toPage,
  value,
} from '../report/html.ts'
import { namesSessions } from './named-sessions.ts'
import type { PlannedItem, PlannedList, PlanToShow } from './planned-items.ts'

/** The facts about a plan that waits for a decision, from the ledger. */
export interface PlanFacts {
  readonly integrationId: string
  /** Name of the event; if the configuration has no name, the id of the integration. */
  readonly eventName: string
  readonly runId: string
  readonly planHash: string
  /** Time at which the plan was made, in UTC (ISO-8601). The source was read before the plan was made. */
  readonly plannedAt: string
  readonly contents: readonly Content[]
  readonly held: Hold | null
  /** The pin of the integration at the time of the plan; null if the integration was not pinned. */
  readonly pinned: Pin | null
  readonly counts: RunCounts | null
  /** Time zone of the event, in which the page shows all times; null shows UTC. */
  readonly timeZone: string | null
  readonly productVersion: string
  /** Run whose state a rollback restores; null for other plans. */
  readonly rollbackTo: string | null
  /** Adds the configuration to each command that a text names, if it is not the default one. */
  readonly named?: (text: string) => string
}

const asIs = (text: string) => text

const HEADING: Readonly<Record<Action, string>> = {
  remove: 'Would disappear',
  handover: 'Would be replaced by another person',
  update: 'Would change',
  create: 'Would be added',
}

/**
 * Makes the HTML page of a plan that waits for a decision. The page is self-contained: it loads no other
 * file.
 *
 * @param isToForward true makes a page without names and addresses of people; `plan` must already be masked
 *   in this case
 */
export function planPage(facts: PlanFacts, plan: PlanToShow, isToForward: boolean): string {
  const { eventName, integrationId, held, pinned, timeZone, plannedAt, productVersion } = facts
  const sections: readonly (readonly [id: string, title: string, part: Html])[] = [
    ['question', 'Is this right?', question(facts, plan.counts, isToForward)],
    ['counts', 'Before and after', beforeAndAfter(facts)],
    ...(held === null ? [] : [['guard', 'Why it waits', guard(held, isToForward)] as const]),
    ...(pinned === null || isToForward ? [] : [['pin', 'Nothing is sent now', pin(facts, pinned)] as const]),
    ...Map.groupBy(plan.lists, ({ action }) => action)
      .entries()
      .map(
        ([action, lists]) =>
          [action, HEADING[action], html`${lists.map((list) => listOf(list, facts, isToForward))}`] as const,
      ),
    isToForward
      ? (['operator', 'For the person who sent you this page', commands(facts)] as const)
      : (['notes', 'Also noticed', notesOf(facts)] as const),
  ]
  const state = isToForward
    ? nothing
    : html`<li>${badge('warn', held === null ? 'waits for approval' : `held by the guard ${held.guard}`)}</li>${pinned === null ? nothing : html`<li>${badge('warn', 'pinned')}</li>`}`
  const zone = timeZone ?? 'UTC'
  const body = html`<header>
<p class="kind">${isToForward ? 'A question about your event app' : 'Plan that waits for a decision'}</p>
<h1>${eventName}</h1>
<p class="when">made on ${inZone(plannedAt, timeZone)} (${zone})</p>
<ul class="outcomes" aria-label="State">${state}<li>${badge('good', 'nothing was changed yet')}</li></ul>
</header>
<nav aria-label="Sections"><ul>${sections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<main id="main" tabindex="-1">
${sections.map(([id, title, part]) => html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>\n${part}</section>\n`)}</main>
<footer><p>Written by event-content-sync ${productVersion} for integration ${integrationId}. All times are in ${zone}. This page holds no script, loads nothing and sends nothing. ${isToForward ? 'It has no names and no addresses of people, and may be forwarded.' : html`It may have values of people: forward <a href="report-masked.html">report-masked.html</a> instead.`}</p></footer>
`
  return toPage(documentOf(`${eventName}: plan that waits for a decision`, 'plan', body))
}

/**
 * Returns the condition under which the changes would happen. The text completes the sentence "what would
 * change in the app if …".
 */
function ifApplied({ rollbackTo }: PlanFacts): string {
  return rollbackTo === null
    ? 'it followed your registration system as we read it'
    : 'it were taken back to what it showed at an earlier time'
}

/** Returns a paragraph that explains a rollback; nothing for other plans. */
function aboutRollback({ rollbackTo }: PlanFacts): Html {
  return rollbackTo === null
    ? nothing
    : html` This is a rollback: it would bring the items back to what they were after run <code>${rollbackTo}</code>, and was not made from the source.`
}

function question(facts: PlanFacts, counts: readonly PlannedCount[], isToForward: boolean): Html {
  const lines = inOrder(counts).map(([content, action, of]) => {
    const count = sumOf(of)
    const asks = action === 'remove' ? ' Is that right?' : ''
    const stated = of.filter(({ reason }) => reason !== '')
    // Several reasons may have the same text, so their counts are added.
    const own = (reason: string) => {
      const why = facts.counts?.words?.[content]?.[reason]?.why
      return why === undefined ? '' : ` (${why.replace(/\.$/, '')})`
    }
    const byWords = Map.groupBy(stated, ({ reason }) => severalRemovedBecause(reason) + own(reason))
    const reasons = [...byWords.values()].map((same) => {
      const [{ reason } = { reason: '' }] = same
      const because = `because ${becauseOf(reason, isToForward, sumOf(same))}${own(reason)}`
      return sumOf(same) === count ? because : `${grouped(sumOf(same))} ${because}`
    })
    return html`<li><strong>${groupedCount(count, NOUN[content])}</strong> ${WOULD[action]}.${asks}${reasons.length === 0 ? nothing : html` <span class="meaning">${sentence(reasons.join('; '))}</span>`}</li>\n`
  })
  const ask = isToForward
    ? html`<p class="lead">The list below says what would change in the app if ${ifApplied(facts)}. Nothing was changed yet, and your own system is never changed. Please answer the person who sent you this page: <strong>yes</strong>, all of this is right; or <strong>no</strong>, and which line is wrong. After a “no” nothing changes in the app.</p>\n`
    : html`<p class="lead">Nothing was changed yet.${aboutRollback(facts)} The organiser can answer this: send them <a href="report-masked.html">report-masked.html</a>, which has no names and no addresses of people.</p>\n`
  return html`${ask}<ul class="questions">${lines}</ul>
${isToForward ? nothing : commands(facts)}`
}

function sumOf(counts: readonly PlannedCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}

function becauseOf(reason: string, isToForward: boolean, count: number): string {
  if (isToForward) return removedInPlainWords(reason)
  return count === 1 ? removedBecause(reason) : severalRemovedBecause(reason)
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Shows the commands that approve and replace the plan. */
function commands({ integrationId, runId, planHash, rollbackTo, pinned, named = asIs }: PlanFacts): Html {
  const approval = named(approvalOf({ integration: integrationId, run: runId, planHash, rollbackTo, pinned }))
  const otherwise =
    rollbackTo === null
      ? html`Correct it at the source, then <code>${named(`event-sync run ${integrationId}`)}</code>: it reads again, and a new plan takes the place of this one.`
      : html`Do nothing: without approval nothing is sent.`
  return html`<dl class="facts">
<div><dt>Yes, it is right</dt><dd><code>${approval}</code></dd></div>
<div><dt>No, it is not</dt><dd>${otherwise}</dd></div>
<div><dt>Hash of the plan</dt><dd><code class="hash">${planHash}</code></dd></div>
</dl>`
}

/** Groups counts by action and content, removals first. */
function inOrder(counts: readonly PlannedCount[]) {
  return ACTIONS_BY_WEIGHT.flatMap((action) =>
    CONTENTS.flatMap((content) => {
      const of = counts.filter((row) => row.action === action && row.content === content)
      return of.length === 0 ? [] : [[content, action, of] as const]
    }),
  )
}

function beforeAndAfter({ contents, counts }: PlanFacts): Html {
  const rows = CONTENTS.filter((content) => contents.includes(content)).map((content) => {
    const of = counts?.changes[content]
    const { create = 0, update = 0, handover = 0, remove = 0, unchanged = 0 } = of ?? {}
    const stay = update + handover + unchanged
    const before = stay + remove
    const share = before === 0 ? '–' : `${Math.round((remove / before) * 100)} %`
    return html`<tr><th scope="row">${CONTENT_TITLE[content]}</th>${[before, stay + create, create, update + handover, remove].map(numberCell)}<td class="n">${share}</td></tr>\n`
  })
  const kept = counts?.kept ?? 0
  const head = [
    'Content',
    '#In the app now',
    '#After the plan',
    '#Added',
    '#Changed',
    '#Removed',
    '#Share removed',
  ]
  return html`${scrolling('Items before and after', table({ caption: 'Items in the app before and after this plan', head, rows }))}
${kept === 0 ? nothing : html`<p>${groupedCount(kept, 'item')} would stay in the app although the source no longer asks for ${kept === 1 ? 'it' : 'them'}.</p>`}`
}

function guard(held: Hold, isToForward: boolean): Html {
  const { seen, todo } = linesOfHold(held)
  if (isToForward)
    return html`<p>A check stopped this, because such a change is often a mistake. For example, a system that hides data for a moment looks like a system in which the data was deleted.</p>
<details><summary>What the check saw, in technical words</summary><p>${value(seen, 4000)}</p></details>`
  return html`<p>The guard <strong>${held.guard}</strong> stopped this plan, because it looks like a mistake:</p>
<blockquote><p>${value(seen, 4000)}</p>${todo === null ? nothing : html`<p>${value(todo, 4000)}</p>`}</blockquote>`
}

function pin({ integrationId, timeZone, named = asIs }: PlanFacts, pinned: Pin): Html {
  const words = describePinned(pinned, (instant) => inZone(instant, timeZone))
  return html`<p>When this plan was made, the integration was ${value(words, 2000)}. Nothing of a plan is sent until <code>${named(`event-sync resume ${integrationId}`)}</code>${pinned.until === null ? nothing : html`, or until that time`}.</p>`
}

function notesOf({ counts, runId, named = asIs }: PlanFacts): Html {
  const notes = counts?.notes ?? []
  const list =
    notes.length === 0
      ? html`<p>Nothing else.</p>`
      : html`<ul>${notes.map((note) => html`<li>${value(named(note), 1500)}</li>`)}</ul>`
  return html`${list}
<p>Run <code>${runId}</code>. The same on a terminal: <code>${named(`event-sync show ${runId}`)}</code>.</p>`
}

const OPEN_ITEMS = 60

function listOf(
  { action, content, total, items }: PlannedList,
  facts: PlanFacts,
  isToForward: boolean,
): Html {
  const caption = `${total > items.length ? `The first ${grouped(items.length)} of ` : ''}${groupedCount(total, NOUN[content])}`
  const body =
    action === 'remove' ? removals(items, caption, isToForward) : changes(items, caption, facts, isToForward)
  const rest =
    total > items.length
      ? html`<p>${isToForward ? html`${grouped(total - items.length)} more like these.` : html`${grouped(total - items.length)} more in <a href="plan.csv">plan.csv</a>.`}</p>`
      : nothing
  const part = html`${body}${rest}`
  return items.length > OPEN_ITEMS ? html`<details><summary>${caption}</summary>${part}</details>\n` : part
}

function removals(items: readonly ChangedItem[], caption: string, isToForward: boolean): Html {
  const rows = items.map(
    ({ uniqueId, label, reason }) =>
      html`<tr><th scope="row">${shownName(label)}</th><td>${value(uniqueId, 80)}</td><td>${becauseOf(reason, isToForward, 1)}</td></tr>\n`,
  )
  return scrolling(
    caption,
    table({ caption, head: ['Name', isToForward ? 'Id in your system' : 'Id', 'Because'], rows }),
  )
}

function shownName(label: ChangedItem['label']): Html {
  if (label === null) return html`<span class="none">name hidden</span>`
  return label === '' ? html`<span class="none">no name</span>` : value(label, 120)
}

/** Maximum number of fields that the page shows of an item. */
const MOST_FIELDS = 12

/** Maximum length, in characters, of the list of session titles on the page. */
const MOST_OF_SESSIONS = 1500

/**
 * Returns the name of a field in words for an organiser: `startTime` as "start time", `speakerIds` as
 * "speakers".
 */
function fieldInWords(name: string): string {
  return name
    .replace(/Ids$/, 's')
    .replace(/Id$/, '')
    .replace(/^custom\./, '')
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function changes(
  items: readonly PlannedItem[],
  caption: string,
  { timeZone }: PlanFacts,
  isToForward: boolean,
): Html {
  const rows = items.map(({ content, uniqueId, label, fields, lostSessions = [] }) => {
    const shown = fields.slice(0, MOST_FIELDS)
    const title =
      label === '' || (label === null && !isToForward)
        ? nothing
        : html` <span class="label">${label === null ? shownName(label) : value(label, 80)}</span>`
    const more =
      fields.length > shown.length
        ? html`<tr><td colspan="3">${counted(fields.length - shown.length, 'more field')}</td></tr>\n`
        : nothing
    const shownIn = (name: string, text: string | null) =>
      isToForward && text === MASKED
        ? html`<span class="none">hidden</span>`
        : text !== null && namesSessions(content, name)
          ? value(text, MOST_OF_SESSIONS)
          : cell(text, { content, name, timeZone })
    const because =
      lostSessions.length === 0
        ? nothing
        : html`<tr><td colspan="3">Follows from ${lostSessions.length === 1 ? 'a session' : 'sessions'} that would disappear: ${value(lostSessions.join(', '), MOST_OF_SESSIONS)}</td></tr>\n`
    return html`<tbody><tr><th scope="rowgroup" colspan="3" class="group">${value(uniqueId, 80)}${title}</th></tr>
${shown.map(({ name, before, after }) => html`<tr><th scope="row">${isToForward ? fieldInWords(name) : name}</th><td>${shownIn(name, before)}</td><td>${shownIn(name, after)}</td></tr>\n`)}${more}${because}</tbody>
`
  })
  return html`<div class="changes">${table({ caption, head: ['Field', 'Now', 'After the plan'], rows })}</div>`
}
