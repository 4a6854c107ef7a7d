/**
 * Returns the targets in a `Link` header (RFC 8288) that have the given relation.
 *
 * @param relation relation in lower case, for example `next`
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

/**
 * Removes quotation marks. Also removes the characters inside them that would have a meaning in the header.
 */
function withoutQuotes(header: string): string {
  return header
    .replaceAll(/\\./g, '')
    .split('"')
    .map((part, index) => (index % 2 === 1 ? part.replaceAll(/[<>;,=]/g, ' ') : part))
    .join('')
}
