import { CANARY } from '../event.ts'
import { type Fault, fatal, fault } from '../fault.ts'
import { jsonReply } from '../reply.ts'

const noToken = /the answer holds no token|larger than/

/** Faults that the token endpoint alone can have. Source: spec-gaps, "Credentials". */
export const tokenFaults: readonly Fault[] = [
  fault({
    kind: 'B: a token that has expired already',
    plays: 'once',
    expected: 'recovered',
    play: (honest) => jsonReply({ ...JSON.parse(honest.body.toString()), expires_at: '2001-01-01 00:00:00' }),
  }),
  fatal({
    kind: 'B: an answer that is no token',
    name: 'B: a token without an expiry',
    play: () => jsonReply({ access_token: `${CANARY}-token`, type: 'bearer' }),
    says: noToken,
  }),
  fatal({
    kind: 'B: an answer that is no token',
    name: 'B: a token that is no text',
    play: () => jsonReply({ access_token: [`${CANARY}-token`], expires_at: '2099-01-01 00:00:00' }),
    says: noToken,
  }),
  fatal({
    kind: 'B: an answer that is no token',
    name: 'B: a token that could not stand in a header',
    play: () =>
      jsonReply({ access_token: `${CANARY}-token\r\nX-Evil: 1`, expires_at: '2099-01-01 00:00:00' }),
  }),
  fatal({
    kind: 'B: an answer that is no token',
    name: 'B: a token of a million characters',
    play: () => jsonReply({ access_token: CANARY.repeat(200_000), expires_at: '2099-01-01 00:00:00' }),
    says: noToken,
  }),
].map((row) => ({ ...row, sources: ['b'], atToken: row.expected, isOfToken: true }))
