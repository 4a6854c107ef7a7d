import { differentTables, differentVersions, isCurrent, type Row, rowsOf } from './compare.ts'
import { resourcesOf } from './event.ts'
import type { Snapshot } from './snapshot.ts'
import type { Performance, Rehearsal } from './stage.ts'
import { expectedAt } from './table.ts'

/**
 * For each resource: `own` are the contents whose items are made from its records, `needed` are all contents
 * that use the resource. Source: transforms/RULES.md#r45.
 */
const CONTENTS: Readonly<
  Record<string, { readonly own: readonly string[]; readonly needed: readonly string[] }>
> = {
  'a sessions': { own: ['agenda'], needed: ['agenda', 'speakers'] },
  'a users': { own: ['speakers', 'attendees'], needed: ['speakers', 'attendees'] },
  'b sessions': { own: ['agenda'], needed: ['agenda'] },
  'b registrants': { own: ['speakers', 'attendees'], needed: ['speakers', 'attendees'] },
  'b reg_types': { own: [], needed: ['speakers'] },
}
const LOOKUP_OF_A = { own: [], needed: ['agenda'] }

/**
 * Matches the reasons of inferred removals: those that no record of this run asks for. Source:
 * transforms/RULES.md#r45.
 */
const INFERRED = /^(?:removed_at_source|missing_required|bad_time|not_a_speaker)/

/** Checks a run that did not see all records, and returns its faults, such as wrong removals. */
export function differencesOfUncertified(rehearsal: Rehearsal, run: Performance): readonly string[] {
  const { type } = rehearsal
  const found: string[] = run.report.status === 'finished' ? [] : [`the run is ${run.report.status}`]
  const uncertified = resourcesOf(type).filter((resource) =>
    run.casts.some(
      ({ fault, place }) => place === resource && expectedAt(fault, type, place) === 'uncertified',
    ),
  )
  for (const resource of resourcesOf(type)) {
    const isLate = run.casts.some(
      ({ fault, place }) => place === resource && expectedAt(fault, type, place) === 'late',
    )
    if (uncertified.includes(resource)) found.push(...differencesOfResource(rehearsal, run, resource))
    else if (!isLate) found.push(...differencesOfOther(rehearsal, run, resource))
  }
  const contents = uncertified.map((resource) => {
    const { own, needed } = CONTENTS[`${type} ${resource}`] ?? LOOKUP_OF_A
    // If unreadable records are the only fault, the resource's own contents may lose items of records that
    // were read. An unreadable record is not one of the records that were read.
    return { own, held: isQuarantined(run, resource) ? needed.filter((one) => !own.includes(one)) : needed }
  })
  const gone = new Set(contents.flatMap(({ own }) => own))
  found.push(...undueRemovals(rehearsal, run, new Set(contents.flatMap(({ held }) => held)), gone))
  for (const content of new Set(contents.flatMap(({ own }) => own))) {
    found.push(...noLongerPublished(rehearsal, run, content))
  }
  return found
}

/**
 * Returns wrong removals. A removal is wrong if the source still has the item. The run should have looked up
 * the unseen records again.
 */
export function differencesOfLate(rehearsal: Rehearsal, run: Performance): readonly string[] {
  return [
    ...(run.report.status === 'finished' ? [] : [`the run is ${run.report.status}`]),
    ...undueRemovals(rehearsal, run, new Set(), new Set()),
  ]
}

/**
 * Checks a resource that was not read completely: its earlier records must remain, and the certificate must
 * name the reason.
 */
function differencesOfResource(
  { type, before }: Rehearsal,
  run: Performance,
  resource: string,
): readonly string[] {
  const table = `staging.${type}_${resource}`
  const ids = (snapshot: Snapshot) =>
    new Set(
      rowsOf(snapshot, table)
        .filter(isCurrent)
        .map((row) => row.source_id),
    )
  const gone = ids(before).difference(ids(run.snapshot))
  const found = gone.size > 0 ? [`no longer current in ${table}: ${[...gone]}`] : []
  const fault = faultOf(run, resource)
  const certificate = rowsOf(run.snapshot, 'sync.certificates').find(
    (row) => row.run_id === 'run 2' && row.resource === resource,
  )
  const isCertified = isQuarantined(run, resource)
  if (certificate?.certified !== isCertified) found.push(`${resource}: certified ${certificate?.certified}`)
  if (!isCertified && fault?.says.test(String(certificate?.detail)) !== true) {
    found.push(`${resource} says something else: ${certificate?.detail}`)
  }
  if (isCertified && run.report.quarantined === 0) found.push(`${resource}: nothing is quarantined`)
  return found
}

function faultOf({ casts }: Performance, resource: string) {
  return casts.find(({ place }) => place === resource)?.fault
}

/** Returns true if a resource was read to its end but some of its records were unreadable. */
function isQuarantined(run: Performance, resource: string): boolean {
  return (faultOf(run, resource)?.records ?? null) !== null
}

/** Checks a resource without a fault: its records must be the same as after a run without faults. */
function differencesOfOther({ type, after }: Rehearsal, { casts, snapshot }: Performance, resource: string) {
  const table = `staging.${type}_${resource}`
  const respells = casts.some(({ fault, place }) => place === resource && fault.respells)
  const all = respells ? differentVersions(after, snapshot) : differentTables(after, snapshot)
  return all.filter((difference) => difference.endsWith(` ${table}`))
}

function removalsOf(snapshot: Snapshot): readonly Row[] {
  return rowsOf(snapshot, 'sync.changes').filter(({ action }) => action === 'remove')
}

const nameOf = ({ content, unique_id }: Row) => `${content} ${unique_id}`

/**
 * @param held contents for which the run must not infer removals
 * @param gone contents whose items must not be removed because their record is missing
 */
function undueRemovals(
  { after }: Rehearsal,
  { snapshot }: Performance,
  held: ReadonlySet<string>,
  gone: ReadonlySet<string>,
) {
  const isDue = ({ content, reason }: Row) =>
    !(INFERRED.test(String(reason)) && held.has(String(content))) &&
    !(reason === 'removed_at_source' && gone.has(String(content)))
  const due = new Set(removalsOf(after).filter(isDue).map(nameOf))
  const undue = removalsOf(snapshot)
    .map(nameOf)
    .filter((name) => !due.has(name))
  return undue.length > 0 ? [`removed: ${undue}`] : []
}

/**
 * Checks that published items remain. An item may disappear only if a record that was read asks for its
 * removal.
 */
function noLongerPublished({ before, after }: Rehearsal, { snapshot }: Performance, content: string) {
  const ids = (given: Snapshot) => new Set(rowsOf(given, `published.${content}`).map((row) => row.unique_id))
  const takenBack = removalsOf(after)
    .filter((row) => row.content === content && !INFERRED.test(String(row.reason)))
    .map((row) => row.unique_id)
  const current = (given: Snapshot, id: unknown) =>
    Object.keys(given).some(
      (table) =>
        table.startsWith('staging.') &&
        rowsOf(given, table).some((row) => row.source_id === id && isCurrent(row)),
    )
  const gone = ids(before).difference(ids(snapshot)).difference(new Set(takenBack))
  // If the source still has the record of an item, the item may have disappeared because of other resources.
  const undue = [...gone].filter((id) => !current(after, id) || ids(after).has(id))
  return undue.length > 0 ? [`no longer published: ${content} ${undue}`] : []
}
