import { test } from 'vitest'
import { useDatabase } from '../support/use-database.ts'
import { expectHold, expectNoHold, ORDINARY, VANISHED } from './vanished-fields.ts'

const database = useDatabase('pglite')

test.each(VANISHED.filter(({ isInGate }) => isInGate !== true))(
  'if the field is empty in all records, the run is held, nothing is sent, and the hold names the field: $what [R46]',
  (one) => expectHold(database(), one),
)

test.each(ORDINARY.filter(({ isInGate }) => isInGate !== true))(
  'an ordinary change does not hold the run: $what',
  (one) => expectNoHold(database(), one),
)
