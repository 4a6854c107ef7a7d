import type { Draw } from '../../harness/draw.ts'
import type { Json } from '../../harness/json.ts'
import { makeRandom } from '../../harness/random.ts'
import { type Held, unexpanded } from '../../harness/source-answers.ts'
import type { Served } from '../../harness/source-server.ts'
import { declare, type Tally } from '../../harness/tally.ts'
import { drawCustom, drawExclude } from './custom-options.ts'
import { drawOptionsA, drawOptionsB, drawOptionsOfBoth } from './draw-options.ts'
import type { Element, Resources } from './elements.ts'
import { changeA, generateA } from './generate-a.ts'
import { changeB, generateB } from './generate-b.ts'
import type { Paging } from './model-pages.ts'
import { NO_STATE, type ReadSource, see } from './model-run.ts'
import type { OptionsOfBoth } from './options.ts'
import { drawSuppressed, type Suppressed, type Suppressible } from './suppressions.ts'
import { drawExpands, drawWireA, drawWireB } from './wire-shapes.ts'

/** The records of an event in one run, and the form in which the source serves them. */
export interface Version {
  readonly source: ReadSource
  readonly served: Served
}

declare('run: options changed before the second')

/**
 * Returns the versions for the runs of a seed: the first version, then the second version two or three times.
 */
export function makeVersions(type: 'a' | 'b', seed: number, tally: Tally): readonly Version[] {
  const random = makeRandom(seed * 2 + (type === 'a' ? 0 : 1))
  // A fourth run shows if unchanged records lead to files with equal bytes.
  const count = random.chance(0.35) ? 4 : 3
  const draw = (times: number): Draw => ({
    random,
    tally: { count: (name, each = 1) => tally.count(name, each * times) },
  })
  const changes = random.chance(0.3)
  const custom = drawCustom(draw(count), type)
  const common = { ...drawOptionsOfBoth(draw(count)), custom }
  const exclude = drawExclude(draw(changes ? 1 : count), custom)
  const excludeThen = changes ? drawExclude(draw(count - 1), custom) : exclude
  if (changes) tally.count('run: options changed before the second')
  const versionsOf = type === 'a' ? versionsOfA : versionsOfB
  const versions = versionsOf(draw, { common, changes, count })
  const suppressed = drawSuppressions(draw, versions)
  return versions.map(({ source, ...version }, index) => ({
    ...version,
    source: {
      ...source,
      exclude: index === 0 ? exclude : excludeThen,
      suppressed: suppressed[index] ?? [],
    },
  }))
}

/**
 * Draws the suppressed items for each run: the same as before, or others. The fourth run has the same
 * suppressed items as the third run.
 */
function drawSuppressions(
  drawFor: DrawFor,
  versions: readonly Version[],
): readonly (readonly Suppressed[])[] {
  const draw = drawFor(1)
  const drawn: (readonly Suppressed[])[] = []
  for (const { source } of versions) {
    const last = drawn.at(-1)
    const isKept = last !== undefined && (drawn.length === 3 || draw.random.chance(0.5))
    drawn.push(isKept ? last : drawSuppressed(draw, suppressibleOf(source)))
  }
  return drawn
}

function suppressibleOf(source: ReadSource): Suppressible {
  const { decisions } = see(source, NO_STATE)
  const named = (isSynced: boolean) =>
    decisions.flatMap(({ content, uniqueId, decision }) =>
      uniqueId === null || (decision === 'synced') !== isSynced ? [] : { content, uniqueId },
    )
  return { synced: named(true), others: named(false) }
}

interface Plan {
  readonly common: OptionsOfBoth
  /** True if the options change from the first to the second version. */
  readonly changes: boolean
  readonly count: number
}

/** Makes a generator whose drawn cases are counted once for each of the `runs` in which they are used. */
type DrawFor = (runs: number) => Draw

function versionsOfA(drawFor: DrawFor, { common, changes, count }: Plan): readonly Version[] {
  const draw = drawFor(1)
  const options = drawOptionsA(drawFor(changes ? 1 : count))
  const first = generateA(draw, options)
  const second = changeA(draw, first, changes ? drawOptionsA(drawFor(count - 1)) : options)
  // Related records are included or left out per version, not per run. If each run decided, the third run
  // would differ from the second although both have the same version.
  const [expandsFirst, expandsSecond] = [first, second].map(({ resources }) =>
    mapResources(resources, () => drawExpands(draw)),
  )
  return Array.from({ length: count }, (_, index): Version => {
    const { options, resources } = index === 0 ? first : second
    const expanded = index === 0 ? expandsFirst : expandsSecond
    const served = mapResources(resources, (name, list) => {
      const expands = expanded?.[name] ?? true
      return { elements: expands ? list : unexpanded(name, list), wire: drawWireA(draw) }
    })
    const elements = elementsIn(served)
    const pages = pagesIn(served, ({ paging, cap }) => {
      return { size: paging === 'all' ? Number.POSITIVE_INFINITY : cap, overlap: paging === 'next' ? 0 : 1 }
    })
    const source: ReadSource = { type: 'a', ...common, options, elements, pages }
    return { source, served: { type: 'a', resources: served } }
  })
}

function versionsOfB(drawFor: DrawFor, { common, changes, count }: Plan): readonly Version[] {
  const draw = drawFor(1)
  const options = drawOptionsB(drawFor(changes ? 1 : count))
  const first = generateB(draw, options)
  const second = changeB(draw, first, changes ? drawOptionsB(drawFor(count - 1)) : options)
  return Array.from({ length: count }, (_, index): Version => {
    const { options, resources } = index === 0 ? first : second
    const served = mapResources(resources, (_, elements) => ({ elements, wire: drawWireB(draw) }))
    const elements = elementsIn(served)
    const pages = pagesIn(served, ({ itemsAs, cap }) => {
      return { size: itemsAs === 'bare' ? Number.POSITIVE_INFINITY : cap, overlap: 0 }
    })
    const source: ReadSource = { type: 'b', ...common, options, elements, pages }
    return { source, served: { type: 'b', resources: served } }
  })
}

function elementsIn(served: Readonly<Record<string, Held<unknown>>>): ReadSource['elements'] {
  return Object.fromEntries(Object.entries(served).map(([name, { elements }]) => [name, elements]))
}

function pagesIn<Wire>(
  served: Readonly<Record<string, Held<Wire>>>,
  pagingOf: (wire: Wire) => Paging,
): ReadSource['pages'] & object {
  return Object.fromEntries(Object.entries(served).map(([name, { wire }]) => [name, pagingOf(wire)]))
}

function mapResources<T>(
  resources: Resources,
  make: (name: string, elements: readonly Json[]) => T,
): Record<string, T> {
  const toJson = (list: readonly Element[]) => list.map(({ json }) => json)
  return Object.fromEntries(Object.entries(resources).map(([name, list]) => [name, make(name, toJson(list))]))
}
