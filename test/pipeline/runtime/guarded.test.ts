import { describe, expect, test } from 'vitest'
import { BatchRefusedError } from '../../../loaders/platform/own-target.ts'
import { PlatformRefusalError } from '../../../loaders/platform/target.ts'
import { guarded } from '../../../pipeline/runtime/guarded.ts'

const guard = guarded({
  kind: 'target',
  title: 'Example',
  isMeant: (error) => error instanceof BatchRefusedError || error instanceof PlatformRefusalError,
  toError: (what, todo) => new PlatformRefusalError(what, todo),
})

describe('errors of the code of a target', () => {
  test('an error is replaced by its kind, file and line, because its message may contain personal data', async () => {
    const call = guard.call('send', async () => {
      throw new TypeError('cannot read Ada\n    at lovelace.ts:1:1')
    })
    await expect(call).rejects.toThrow(
      /^`send` of Example threw TypeError in guarded\.test\.ts, line \d+; correct the file of the target/,
    )
    await expect(call).rejects.not.toThrow(/Ada|lovelace/)
  })

  test('a thrown value that is not an error is replaced too', async () => {
    const call = guard.call('count', () => Promise.reject('Ada'))
    await expect(call).rejects.toThrow(/^`count` of Example threw string; /)
  })

  test('an error while items are listed is replaced after the items before it', async () => {
    const seen: number[] = []
    const listing = async () => {
      for await (const item of guard.iterate('list', async function* () {
        yield 1
        throw new RangeError('Ada')
      }))
        seen.push(item)
    }
    await expect(listing()).rejects.toThrow(/^`list` of Example threw RangeError/)
    expect(seen).toEqual([1])
  })

  test.each([new BatchRefusedError('email_taken'), new PlatformRefusalError('the account is closed')])(
    'an error that a target throws on purpose stays as it is: %s',
    async (error) => {
      await expect(guard.call('send', () => Promise.reject(error))).rejects.toBe(error)
    },
  )

  test('an error of a request stays as it is', async () => {
    const error = new Error('the connection broke off')
    const request = guard.passing((_path: string) => Promise.reject(error))
    await expect(guard.call('send', () => request('people').then(() => []))).rejects.toBe(error)
  })
})
