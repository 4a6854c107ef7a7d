import { describe, expect, test } from 'vitest'
import { HIDDEN_CODE, safeCode } from '../../../loaders/platform/safe-code.ts'

const ANNA = {
  firstName: 'Anna',
  lastName: 'Lée-Møller',
  emailAddress: 'a.lee@mail.example.org',
  company: 'Taken',
}

describe('a code of a platform', () => {
  test.each([
    'email_taken',
    'invalid_id',
    'status_404',
    'not_found_when_read_back',
    'missing_required_field_first_name',
    'conflict',
    'too_many_items_in_1_hour',
  ])('a code that names a kind of fault is shown: %s', (code) => {
    expect(safeCode(code, ANNA)).toBe(code)
  })

  test.each([
    ['an address', 'duplicate_b_lee_mail_example_org'],
    ['an address in another shape', 'duplicate_b_at_example'],
    ['an address of a country', 'taken_by_bob_example_de'],
    ['a telephone number', 'taken_by_491701234567'],
    ['an id', 'taken_by_12345'],
    ['the first name', 'taken_by_anna'],
    ['a part of the last name without its marks', 'lee_is_there'],
    ['a part of the address', 'mail_is_taken'],
    ['no words', 'x9f86d081884c7d659a2feaa0c55ad015'],
    ['too long a text', 'a_word_and_another_word_and_another_word_and_one'],
    ['too many words', 'a_b_c_d_e_f_g_h'],
  ])('a code that could contain %s is hidden: %s', (_, code) => {
    expect(safeCode(code, ANNA)).toBe(HIDDEN_CODE)
  })

  test('the code of an operation without fields is checked only by its form', () => {
    expect([safeCode('taken_by_anna', undefined), safeCode('taken_by_1234', undefined)]).toEqual([
      'taken_by_anna',
      HIDDEN_CODE,
    ])
  })
})
