import type { JsonStyle } from './json.ts'
import { type Draw, traps } from './traps.ts'

/** How one resource of Source A is served in one run. */
export interface WireA {
  readonly paging: 'skip' | 'all' | 'next'
  /** Whether the array stands in `{"value": …}`. */
  readonly wrapped: boolean
  readonly nextKey: '@odata.nextLink' | 'odata.nextLink'
  readonly nextIs: 'absolute' | 'path' | 'relative'
  /** Most elements in an answer; at least two, since pages overlap by one. */
  readonly cap: number
  readonly style: JsonStyle
}

/** The same of Source B. */
export interface WireB {
  readonly itemsAs: 'list' | 'object' | 'bare'
  readonly cap: number
  readonly style: JsonStyle
}

const cap = traps<number>('page cap', {
  small: [5, ({ random }) => 2 + random.below(4)],
  middle: [3, ({ random }) => 7 + random.below(20)],
  none: [1, () => 1000],
})

const style = traps<JsonStyle>('JSON text', {
  plain: [3, () => 'plain'],
  'ASCII with escapes': [1, () => 'ascii'],
  'white space between tokens': [1, () => 'spaced'],
})

const next = (nextKey: WireA['nextKey'], nextIs: WireA['nextIs']) =>
  ({ paging: 'next', wrapped: true, nextKey, nextIs }) as const
const unused = { nextKey: '@odata.nextLink', nextIs: 'absolute' } as const

const shapeA = traps<Pick<WireA, 'paging' | 'wrapped' | 'nextKey' | 'nextIs'>>('answer of A', {
  'bare array, pages by $skip': [6, () => ({ paging: 'skip', wrapped: false, ...unused })],
  'value, pages by $skip': [3, () => ({ paging: 'skip', wrapped: true, ...unused })],
  'bare array, $skip ignored': [2, () => ({ paging: 'all', wrapped: false, ...unused })],
  'value, $skip ignored': [1, () => ({ paging: 'all', wrapped: true, ...unused })],
  '@odata.nextLink, absolute': [1, () => next('@odata.nextLink', 'absolute')],
  '@odata.nextLink, path': [1, () => next('@odata.nextLink', 'path')],
  '@odata.nextLink, relative': [1, () => next('@odata.nextLink', 'relative')],
  'odata.nextLink, absolute': [1, () => next('odata.nextLink', 'absolute')],
  'odata.nextLink, path': [1, () => next('odata.nextLink', 'path')],
  'odata.nextLink, relative': [1, () => next('odata.nextLink', 'relative')],
})

/** Whether relations are expanded at all. */
export const drawExpands = traps<boolean>('relations', {
  'expanded where asked': [8, () => true],
  'never expanded': [1, () => false],
})

const itemsAs = traps<WireB['itemsAs']>('items of B', {
  list: [3, () => 'list'],
  'object keyed by id': [2, () => 'object'],
  'bare array': [1, () => 'bare'],
})

export function drawWireA(draw: Draw): WireA {
  return { ...shapeA(draw), cap: cap(draw), style: style(draw) }
}

export function drawWireB(draw: Draw): WireB {
  return { itemsAs: itemsAs(draw), cap: cap(draw), style: style(draw) }
}
