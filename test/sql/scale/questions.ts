import { LARGE } from './sync.ts'

/** A question that an analyst asks, and what its plan must keep to. */
export interface Question {
  readonly name: string
  readonly text: string
  /** Blocks that it may touch; null where it reads a whole content. */
  readonly blocks: number | null
  /** Whether reading a table from end to end may be the right thing, since so much of it is asked for. */
  readonly mayScan: boolean
}

/** Runs and a record to ask for. */
export interface Asked {
  readonly run: string
  readonly runBefore: string
  readonly id: string
}

/** Blocks of a way down three or four indexes, to a few versions. */
const FEW = 60

/** One record or item of the largest integration. */
export function singleQuestions({ run, id }: Asked): readonly Question[] {
  const one = `integration_id = '${LARGE}' and source_id = '${id}'`
  const item = `integration_id = '${LARGE}' and unique_id = '${id}'`
  const questions: Readonly<Record<string, string>> = {
    'a record now': `select * from staging.b_registrants where ${one} and valid_to_run is null`,
    'all versions of a record': `select * from staging.b_registrants where ${one}`,
    'a record as of a run': `select * from staging.b_registrants_as_of('${run}') where source_id = '${id}'`,
    'a record as of a run, integration named': `select * from staging.b_registrants_as_of('${run}') where ${one}`,
    'an attendee now': `select * from published.attendees where ${item}`,
    'an attendee as of a run': `select * from published.attendees_as_of('${run}') where unique_id = '${id}'`,
    'an attendee in each run': `select * from published.attendees_by_run where ${item}`,
    'a decision now': `select * from published.decisions where ${one} and content = 'attendees'`,
  }
  return Object.entries(questions).map(([name, text]) => ({ name, text, blocks: FEW, mayScan: false }))
}

/** Everything of one integration; of the largest, that may be most of the table. */
export function wholeQuestions(integration: string, { run, runBefore }: Asked): readonly Question[] {
  const of = `integration_id = '${integration}'`
  const questions: Readonly<Record<string, string>> = {
    'records now': `select count(company) from staging.b_registrants where ${of} and valid_to_run is null`,
    'records as of a run': `select count(company) from staging.b_registrants_as_of('${run}')`,
    'changes of records since the run before': `select change, count(*) from staging.b_registrants_between('${runBefore}', '${run}') group by change`,
    'attendees now': `select count(company) from published.attendees where ${of}`,
    'attendees as of a run': `select count(company) from published.attendees_as_of('${run}')`,
    'decisions now': `select reason, count(*) from published.decisions where ${of} group by reason`,
  }
  return Object.entries(questions).map(([name, text]) => ({
    name: `${name}, ${integration}`,
    text,
    blocks: null,
    mayScan: integration === LARGE,
  }))
}
