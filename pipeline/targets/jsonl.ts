import { z } from 'zod'
import { jsonlTarget } from '../../loaders/platform/jsonl.ts'
import type { TargetType } from './target-type.ts'

const shapeOfJsonl = {
  type: z.literal('jsonl').describe('Writes the operations to operations.jsonl in the output folder.'),
}

/** Writes operations to a file in the pack of the run, which people take to the platform. */
export const jsonlType: TargetType<typeof shapeOfJsonl> = {
  shape: shapeOfJsonl,
  eventOf: () => ({ url: '', eventId: '' }),
  takesPasswords: false,
  writesToPack: true,
  open: (_config, _context, folder) => jsonlTarget(folder),
  read: null,
}
