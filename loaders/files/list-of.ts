import { z } from 'zod'

/** A list that is read up to its first fault: in a file that somebody made up each element may have one. */
export function listOf<Element extends z.ZodType>(element: Element) {
  return z.array(z.unknown()).transform((list, context) => {
    const read: z.output<Element>[] = []
    for (const [at, one] of list.entries()) {
      const { data, error } = element.safeParse(one)
      if (error !== undefined) {
        context.addIssue({ code: 'custom', message: error.message, path: [at] })
        return z.NEVER
      }
      read.push(data)
    }
    return read
  })
}
