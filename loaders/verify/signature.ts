import { type KeyObject, verify } from 'node:crypto'
import type { Finding } from '../audit/csv-files/finding.ts'
import { readSmallFile } from './files.ts'

/**
 * Looks whether a file beside `signed` is its signature: 64 bytes of Ed25519 in base64, and a line feed.
 *
 * @param publicKey null where it is only to be looked whether it can be one
 */
export async function checkSignatureFile(
  folder: string,
  file: string,
  signed: Buffer,
  publicKey: KeyObject | null,
): Promise<readonly Finding[]> {
  const finding = (message: string) => [{ file, message }]
  const text = await readSmallFile(folder, file)
  if (text === null) return publicKey === null ? [] : finding('is not there')
  const signature = Buffer.from(text, 'base64')
  // What is no base64 would be passed over, and so would bits behind the last byte.
  if (signature.length !== 64 || text !== `${signature.toString('base64')}\n`)
    return finding('is no signature as it is written here')
  return publicKey === null || verify(null, signed, publicKey, signature)
    ? []
    : finding('is not a signature by the owner of the key')
}
