import { styleText } from 'node:util'
import type { CommandOutput } from './io.ts'
import type { GlobalOptions } from './session.ts'

type Colour = 'green' | 'yellow' | 'red'

/** Gives a text a colour, or returns it unchanged. */
export type Paint = (colour: Colour, text: string) => string

/** Returns every text unchanged. */
export const unpainted: Paint = (_, text) => text

/**
 * Returns the function that colours text for an output. The function returns text unchanged with --no-color,
 * with the variable NO_COLOR, and if the output is not a terminal.
 */
export function paintFor(output: CommandOutput, { color }: Pick<GlobalOptions, 'color'>): Paint {
  if (!color) return unpainted
  return (colour, text) => styleText(colour, text, { stream: output, validateStream: true })
}

/**
 * Colours for the states of runs (such as `finished`) and of integrations (such as `up to date`). Other
 * states have no colour.
 */
const COLOUR_OF_STATE: Readonly<Record<string, Colour>> = {
  finished: 'green',
  'up to date': 'green',
  held: 'yellow',
  interrupted: 'yellow',
  failed: 'red',
  failing: 'red',
}

/** Makes a table cell that shows a state in its colour. @param text text of the cell; default: the state */
export function stateCell(paint: Paint, state: string, text = state) {
  const colour = COLOUR_OF_STATE[state]
  return { text, paint: (one: string) => (colour === undefined ? one : paint(colour, one)) }
}
