import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeVerifier, openExchange } from '../../../pipeline/serve/scram.ts'

/** The exchange of RFC 7677, section 3. Its server nonce is the end of the common nonce. */
const SALT = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64')
const FIRST = 'n,,n=user,r=rOprNGfwEbeRWgbNEkqO'
const NONCE = '%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0'
const PROOF = 'dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ='
const open = (password: string) => openExchange(makeVerifier(password, SALT), NONCE)
const last = (proof: string) => `c=biws,r=rOprNGfwEbeRWgbNEkqO${NONCE},p=${proof}`

test('the login of the example in RFC 7677 has the messages of the RFC', () => {
  const exchange = open('pencil')
  expect(exchange.first(FIRST)).toBe(`r=rOprNGfwEbeRWgbNEkqO${NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`)
  expect(exchange.last(last(PROOF))).toBe('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=')
})

test.each([
  ['another password', 'pen', FIRST, last(PROOF)],
  ['another proof', 'pencil', FIRST, last(PROOF.replace('d', 'e'))],
  ['a proof of another length', 'pencil', FIRST, last('dHzb')],
  ['another nonce', 'pencil', FIRST, last(PROOF).replace('$k0', '$k1')],
  ['another binding', 'pencil', FIRST, last(PROOF).replace('biws', 'eSws')],
  ['a last message without a first one', 'pencil', null, last(PROOF)],
  ['a last message that proves nothing', 'pencil', FIRST, `c=biws,r=rOprNGfwEbeRWgbNEkqO${NONCE}`],
])('%s is refused', (_, password, first, message) => {
  const exchange = open(password)
  if (first !== null) exchange.first(first)
  expect(exchange.last(message)).toBeNull()
})

test.each(['', 'user,r=abc', 'p=tls-server-end-point,,n=,r=abc', 'n,,n=,r='])(
  'the first message "%s" is refused',
  (message) => {
    expect(open('pencil').first(message)).toBeNull()
  },
)

test('a client that knows the stored keys, but not the password, cannot log in', () => {
  const salted = pbkdf2Sync('pencil', SALT, 4096, 32, 'sha256')
  const clientKey = createHmac('sha256', salted).update('Client Key').digest()
  const { storedKey } = makeVerifier('pencil', SALT)
  expect(createHash('sha256').update(clientKey).digest()).toEqual(storedKey)
  const exchange = open('pencil')
  exchange.first(FIRST)
  expect(exchange.last(last(storedKey.toString('base64')))).toBeNull()
})
