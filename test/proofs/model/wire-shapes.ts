import { type Draw, traps } from '../../harness/draw.ts'
import type { JsonStyle } from '../../harness/json.ts'
import { PLAIN_A, type WireA, type WireB } from '../../harness/source-answers.ts'

const cap = traps<number>('page cap', {
  small: [5, ({ random }) => 2 + random.below(4)],
  middle: [3, ({ random }) => 7 + random.below(20)],
  none: [1, 1000],
})

const style = traps<JsonStyle>('JSON text', {
  plain: [3, 'plain'],
  'ASCII with escapes': [1, 'ascii'],
  'white space between tokens': [1, 'spaced'],
})

type Shape = Omit<WireA, 'cap' | 'style'>

const next = (nextKey: WireA['nextKey'], nextIs: WireA['nextIs']): Shape => ({
  ...PLAIN_A,
  paging: 'next',
  wrapped: true,
  nextKey,
  nextIs,
})

const shapeA = traps<Shape>('answer of A', {
  'bare array, pages by $skip': [6, PLAIN_A],
  'value, pages by $skip': [3, { ...PLAIN_A, wrapped: true }],
  'bare array, $skip ignored': [2, { ...PLAIN_A, paging: 'all' }],
  'value, $skip ignored': [1, { ...PLAIN_A, paging: 'all', wrapped: true }],
  '@odata.nextLink, absolute': [1, next('@odata.nextLink', 'absolute')],
  '@odata.nextLink, path': [1, next('@odata.nextLink', 'path')],
  '@odata.nextLink, relative': [1, next('@odata.nextLink', 'relative')],
  'odata.nextLink, absolute': [1, next('odata.nextLink', 'absolute')],
  'odata.nextLink, path': [1, next('odata.nextLink', 'path')],
  'odata.nextLink, relative': [1, next('odata.nextLink', 'relative')],
})

export const drawExpands = traps<boolean>('relations', {
  'expanded where asked': [8, true],
  'never expanded': [1, false],
})

const itemsAs = traps<WireB['itemsAs']>('items of B', {
  list: [3, 'list'],
  'object keyed by id': [2, 'object'],
  'bare array': [1, 'bare'],
})

export function drawWireA(draw: Draw): WireA {
  return { ...shapeA(draw), cap: cap(draw), style: style(draw) }
}

export function drawWireB(draw: Draw): WireB {
  return { itemsAs: itemsAs(draw), fields: 'asked', cap: cap(draw), style: style(draw) }
}
