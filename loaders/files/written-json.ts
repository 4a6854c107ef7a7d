import { isUtf8 } from 'node:buffer'

/** @returns undefined where the bytes are no JSON as it is written here: other readers may read a repeated key or bad UTF-8 otherwise */
export function parseWritten(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString()
  try {
    const value: unknown = JSON.parse(text)
    return `${JSON.stringify(value, null, 2)}\n` === text ? value : undefined
  } catch {
    return undefined
  }
}
