import { expect, test } from 'vitest'
import { z } from 'zod'
import { listOf } from '../../../loaders/files/read.ts'

test('checking a list stops at the first invalid element', () => {
  let read = 0
  const element = z.number().refine((value) => {
    read += 1
    return value < 3
  })
  expect(listOf(element).safeParse([1, 2]).data).toEqual([1, 2])
  read = 0
  const { error } = listOf(element).safeParse([1, 2, 3, 4, 5])
  expect(error?.issues.map(({ path }) => path)).toEqual([[2]])
  expect(read).toBe(3)
  expect(listOf(element).safeParse({}).success).toBe(false)
})
