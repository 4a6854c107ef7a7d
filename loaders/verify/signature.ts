import { type KeyObject, verify } from 'node:crypto'
import type { Finding } from '../audit/csv-files/finding.ts'
import { UnreadableFileError } from '../files/read-regular.ts'
import { readSmallFile } from './files.ts'

/**
 * Reads a signature: 64 bytes of Ed25519 in base64, and a line feed.
 *
 * @returns null where there is none
 * @throws UnreadableFileError
 */
export function readSignature(folder: string, file: string): Buffer | null {
  const text = readSmallFile(folder, file)
  if (text === null) return null
  const signature = Buffer.from(text, 'base64')
  // What is no base64 would be passed over, and so would bits behind the last byte.
  if (signature.length !== 64 || text !== `${signature.toString('base64')}\n`)
    throw new UnreadableFileError(file, 'is no signature as it is written here')
  return signature
}

/** Looks whether a file beside `signed` is its signature. @throws UnreadableFileError */
export function checkSignature(
  folder: string,
  file: string,
  signed: Buffer,
  publicKey: KeyObject,
): readonly Finding[] {
  const signature = readSignature(folder, file)
  if (signature === null) return [{ file, message: 'is not there' }]
  return verify(null, signed, publicKey, signature)
    ? []
    : [{ file, message: 'is not a signature by the owner of the key' }]
}
