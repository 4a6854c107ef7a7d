import { z } from 'zod'
import { SOURCES } from '../extract/registry.ts'
import { section } from './values.ts'

type Shape = (typeof SOURCES)[keyof typeof SOURCES]['shape']
type FormOf<One> = One extends Shape ? ReturnType<typeof section<One>> : never
type Form = FormOf<Shape>

const shapes: readonly Shape[] = Object.values(SOURCES).map(({ shape }) => shape)
const forms = shapes.map((shape) => {
  const others = shapes.filter((other) => other !== shape)
  const elsewhere = others.flatMap((other) =>
    Object.keys(other).map((key) => [key, `type: ${other.type.value}`] as const),
  )
  return section(shape, new Map(elsewhere))
})

/** Where an integration reads from: one form for each source. */
export const sourceSchema = z
  .discriminatedUnion('type', forms as unknown as [Form, ...Form[]])
  .describe('The source event to read.')
