/**
 * The targets of a `Link` header (RFC 8288) that have a relation.
 *
 * @param relation in lower case, such as `next`
 */
export function linksOf(header: string, relation: string): readonly string[] {
  const targets: string[] = []
  for (const [, target = '', parameters = ''] of withoutQuotes(header).matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [relations = ''] = parameters.split(';').flatMap((parameter) => {
      const [name = '', value = ''] = parameter.split('=')
      return name.trim().toLowerCase() === 'rel' ? [value] : []
    })
    if (
      relations
        .toLowerCase()
        .split(/[\s,']+/)
        .includes(relation)
    )
      targets.push(target)
  }
  return targets
}

/** A header whose quoted texts have lost their quotes and all characters that mean something outside of them. */
function withoutQuotes(header: string): string {
  return header
    .replaceAll(/\\./g, '')
    .split('"')
    .map((part, index) => (index % 2 === 1 ? part.replaceAll(/[<>;,=]/g, ' ') : part))
    .join('')
}
