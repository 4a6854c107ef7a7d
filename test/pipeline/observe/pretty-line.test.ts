import { expect, test } from 'vitest'
import { logEvents, logTo } from '../../../pipeline/observe/log.ts'
import { prettyLine } from '../../../pipeline/observe/pretty-line.ts'

test.each([
  [
    'a step',
    {
      level: 'info',
      time: 'T',
      integration: 'summit',
      run: 'r',
      trace_id: 't',
      span_id: 's',
      step: 'extract',
      ms: 120,
      errorType: null,
      msg: 'step ended',
    },
    'T info  summit: step ended step=extract ms=120\n',
  ],
  [
    'the begin of a run, with its id',
    { level: 'info', time: 'T', integration: 'summit', run: 'r', command: 'run', msg: 'run opened' },
    'T info  summit: run opened run=r command=run\n',
  ],
  [
    'a text with blanks, quotes or several lines',
    {
      level: 'error',
      time: 'T',
      integration: 'summit',
      run: null,
      error: 'no "way"\nat all',
      msg: 'run ended',
    },
    'T error summit: run ended error="no \\"way\\"\\nat all"\n',
  ],
  [
    'a line without an integration, with an object',
    { level: 'warn', time: 'T', underWay: ['a'], msg: 'worker stops' },
    'T warn  worker stops underWay=["a"]\n',
  ],
])('a log line for people shows %s', (_, fields, text) => {
  expect(prettyLine(JSON.stringify(fields))).toBe(text)
})

/** Writes one event to a log, and returns the text of the log. */
function logged(env: Readonly<Record<string, string>>): string {
  let text = ''
  const stderr = {
    write(line: string) {
      text += line
    },
  }
  const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
  logEvents('info', logTo({ env, stderr })).emit('summit', { type: 'done' }, ids)
  return text
}

test('a JSON line has the name of the level, and the ids of the trace and the span', () => {
  for (const env of [{}, { LOG_FORMAT: 'json' }]) {
    expect(JSON.parse(logged(env))).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      level: 'info',
      msg: 'done',
      integration: 'summit',
      run: null,
      trace_id: 'a'.repeat(32),
      span_id: 'b'.repeat(16),
    })
  }
})

test('with LOG_FORMAT=pretty a line is text for people', () => {
  expect(logged({ LOG_FORMAT: 'pretty' })).toMatch(/^\S+Z info {2}summit: done\n$/)
})

test('another value of LOG_FORMAT is an error that says what to do', () => {
  expect(() => logged({ LOG_FORMAT: 'xml' })).toThrow(
    'the environment variable LOG_FORMAT is "xml"; set it to json or pretty, or unset it',
  )
})
