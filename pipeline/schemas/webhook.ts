/** The message to a webhook. With `format: teams`, a webhook gets an Adaptive Card instead. */
import { z } from 'zod'
import type { NotifiedEnd } from '../../sql/tables.ts'
import { type Described, integration, runOf, runStatus, timeOf } from './values.ts'

const end: z.ZodType<NotifiedEnd> = z.enum(['held', 'failed', 'incomplete', 'finished'])

export const message = z
  .object({
    contract: z.literal('1.0').describe('Version of the contract; a new version may add keys.'),
    text: z.string().describe('The message in a few lines, with `&`, `<` and `>` escaped for Slack.'),
    end: end.nullable().describe('Result of the run; null in a test message.'),
    state: z
      .enum(['begun', 'changed', 'lasting', 'over', 'ended', 'test'])
      .describe(
        'Why the message is sent. `begun`: the integration is now held, failed or incomplete. `changed`: it has moved from one of these states to another. `lasting`: it is still in the same state. `over`: it has left the state. `ended`: a run finished. `test`: from `event-sync notify --test`.',
      ),
    at: timeOf('Time of the message'),
    integration: integration.nullable(),
    run: runOf('The run').nullable().describe('Null if no run could be opened.'),
    status: z
      .enum([...runStatus.options, 'locked', 'refused', 'stale'])
      .nullable()
      .describe('How the run ended.'),
    exitCode: z.int().nullable(),
    meaning: z.string().describe('What the exit code means.'),
    guard: z.string().nullable().describe('Guard that holds the plan.'),
    detail: z.string().nullable().describe('Finding of the guard.'),
    error: z.string().nullable(),
    planHash: z.string().nullable(),
    todo: z.string(),
    output: z.string().nullable().describe('Folder of the audit pack.'),
    notes: z.array(z.string()).exactOptional(),
  })
  .describe('No message contains a value of a person.')

/** The message as data for programs. */
export type MessageFacts = Omit<Described<typeof message>, 'contract' | 'text'>
