/** Schemas of the `--json` output about audit packs and evidence, and of a manifest. */
import { z } from 'zod'
import { detailsSchema, manifestSchema } from '../../loaders/packs/csv-files/pack-format.ts'
import { reports } from './runs.ts'
import { count, counts, type Described, finding, hold, integration, runOf, sha256, timeOf } from './values.ts'

const signature = z
  .enum(['checked', 'not checked', 'none'])
  .describe('`not checked`: there is a signature, but no public key was given.')

const anchor = z
  .object({
    run: runOf('Id of the run').nullable(),
    manifestSha256: sha256,
    finishedAt: timeOf('End of the run').nullable(),
  })
  .nullable()

const verified = z
  .object({
    pack: z.string().describe('Folder of the pack.'),
    run: z.string().nullable(),
    integration: z.string().nullable(),
    format: z.int().nullable().describe('Format version; null if no manifest can be read.'),
    elsewhere: z
      .string()
      .nullable()
      .describe(
        "For a pack that was verified alone: the name of the folder around it, if that name is not the integration's id.",
      ),
    signature,
    gap: z
      .array(z.string())
      .describe(
        'Runs whose packs exist although the database did not know these runs when it wrote this pack.',
      ),
    extent: z
      .enum(['whole', 'purged', 'manifest'])
      .describe(
        'What was checked. `purged`: the files were deleted. `manifest`: only the manifest was read.',
      ),
    otherLocalTimes: z
      .int()
      .describe(
        'Number of local times in agenda.csv that differ from the time zone data of this machine. It is no fault: a country may have changed its clocks.',
      ),
    findings: z.array(finding).describe('Faults; empty if the pack is intact.'),
  })
  .describe('The result for a pack.')

const evidence = z
  .object({
    evidence: z.string().describe('The folder.'),
    integration: z.string().nullable().describe('Null if the index cannot be read.'),
    from: z.string().nullable(),
    to: z.string().nullable(),
    begins: sha256
      .nullable()
      .describe('SHA-256 of the manifest before the first pack; null if the chain begins in the evidence.'),
    after: anchor.describe(
      'The pack after the last one. If it is null, nobody can see if the last packs are missing.',
    ),
    signature,
    findings: z.array(finding),
  })
  .describe('The result for an evidence folder; that of its packs is with the packs.')

/** The output of `verify`. */
export const verification = z.object({
  evidence: evidence.nullable().describe('Null unless the folder is an evidence folder.'),
  packs: z.array(verified),
  noPacks: z.array(z.string()).describe('Folders beside the packs that do not contain a pack.'),
})

export type Signature = z.infer<typeof signature>
export type Verified = Described<typeof verified>
export type EvidenceJson = Described<typeof evidence>
export type VerifiedJson = Described<typeof verification>

const exportedPack = z.object({ run: runOf('Id of the run'), output: z.string().describe('The folder.') })

const exportedFiles = exportedPack.extend({
  format: z.enum(['parquet', 'xlsx', 'raw-csv', 'ics']),
  personalData: z.enum(['full', 'masked']),
  files: z.array(
    z.object({
      name: z.string(),
      rows: count,
      cut: count.describe('Texts that were cut, because a cell of Excel cannot hold more.'),
    }),
  ),
})

/** The output of `export`: the pack, files in another format, or the report of a run that had to be finished. */
export const exported = z.union([exportedFiles, exportedPack, reports])

/** The output of `evidence`. */
export const madeEvidence = z.object({
  integration,
  from: z.iso.date(),
  to: z.iso.date(),
  output: z.string().describe('The folder.'),
  runs: z.array(runOf('Run whose pack is in the folder')),
  purged: z.array(runOf('Run whose pack was purged: only its manifest is in the folder')),
  before: anchor.describe('The pack before the period.'),
  after: anchor.describe('The pack after the period.'),
  rows: counts('Rows of each CSV file.'),
  isSigned: z.boolean(),
  unknownConfigurations: z
    .array(z.string())
    .describe('Hashes of configurations of which the database has only the hash.'),
  todo: z.string().nullable().describe('What is left to do, for example after the end of the period.'),
})

const place = z.object({ type: z.string(), url: z.string(), eventId: z.string() })

/**
 * The manifest of a pack: what `verify` requires, and what else a run writes. `verify` ignores keys that it
 * does not know.
 */
export const manifest = manifestSchema.safeExtend({
  contract: z.string().exactOptional(),
  startedAt: timeOf('Begin of the run').exactOptional(),
  plannedAt: timeOf('Time at which the plan was stored').nullish(),
  approvedBy: z.string().nullish(),
  approvedAt: timeOf('Time of the approval').nullish(),
  held: hold.nullish(),
  firstAnswerAt: timeOf('Time of the first answer of the source').nullish(),
  lastAnswerAt: timeOf('Time of the last answer of the source').nullish(),
})

/** The details of a pack: what `verify` requires, and what else a run writes. */
export const details = detailsSchema.safeExtend({
  source: place.exactOptional(),
  formulaGuard: z.string().exactOptional(),
})
