import type { Context } from '../context/run-context.ts'
import { consequenceIn } from '../run/recorded-run.ts'
import type { Listener } from '../runtime/events.ts'
import type { CommandIo } from './io.ts'

/**
 * Ends the process at once at a signal, and says what that means for the platform and the next run: what was applied is
 * recorded, and the next run finishes what was not.
 *
 * @param text what else is to be said
 * @returns the context to work in
 */
export function announceInterruption(
  { stderr, signals }: CommandIo,
  context: Context,
  text: string,
): Context {
  let run = ''
  let consequence = ''
  const events: Listener = {
    ...context.events,
    emit(integration, event) {
      if (event.type === 'run opened') run = event.run
      if (event.type === 'step begun') consequence = `${integration}: ${consequenceIn(event.step, run)}\n`
      if (event.type === 'done') consequence = ''
      context.events.emit(integration, event)
    },
  }
  signals.onFirst((code) => {
    stderr.write(`${consequence}stopped; nothing is lost: the next run goes on${text}\n`)
    signals.endAtOnce(code)
  })
  return { ...context, events }
}
