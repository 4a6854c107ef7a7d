import { z } from 'zod'
import { type Frozen, section } from './values.ts'

/** Keys of one form of a mapping, its `type` among them. */
export interface TypedShape extends z.core.$ZodLooseShape {
  readonly type: z.ZodLiteral<string>
}

/** The configuration that keys of this shape describe, checked and with every default filled in. */
export type ConfigOf<Shape> = Shape extends z.core.$ZodLooseShape
  ? Frozen<z.output<z.ZodObject<Shape>>>
  : never

type FormOf<Shape> = Shape extends TypedShape ? ReturnType<typeof section<Shape>> : never

/** A mapping that has one form for each type; a key of another type's form is refused as such. */
export function oneOf<Types extends Readonly<Record<string, { readonly shape: TypedShape }>>>(types: Types) {
  type Form = FormOf<Types[keyof Types]['shape']>
  const shapes = Object.values(types).map(({ shape }) => shape)
  const forms = shapes.map((shape) => {
    const elsewhere = shapes
      .filter((other) => other !== shape)
      .flatMap((other) => Object.keys(other).map((key) => [key, `type: ${other.type.value}`] as const))
    return section(shape, new Map(elsewhere))
  })
  return z.discriminatedUnion('type', forms as unknown as [Form, ...Form[]])
}
