const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\(\?<?[:=!]|\(|[?*+]|\{\d+,?\d*\}|./gsu
const MEMBER = /\\[a-z]|\\.|.-[^\]]|./gsu

/**
 * Returns variants of a regular expression. In each variant one repetition, anchor, flag or member of a
 * character class is missing.
 */
export function brokenPatterns(pattern: string, flags: string): readonly string[] {
  const broken: string[] = []
  for (const { 0: token, index } of pattern.matchAll(TOKEN)) {
    const replaced = (by: string) => pattern.slice(0, index) + by + pattern.slice(index + token.length)
    if (/^([?*+^$]|\{.*)$/s.test(token)) broken.push(replaced(''))
    if (token === '\\S') broken.push(replaced('.'))
    if (/^\[/.test(token)) broken.push(...withoutMember(token).map(replaced))
  }
  const whole = broken.map((text) => [text, flags] as const)
  if (flags.includes('i')) whole.push([pattern, flags.replace('i', '')])
  return whole.filter(([text, flag]) => isPattern(text, flag)).map(([text, flag]) => `/${text}/${flag}`)
}

function withoutMember(token: string): readonly string[] {
  const open = token.startsWith('[^') ? '[^' : '['
  const members = [...token.slice(open.length, -1).matchAll(MEMBER)].map(([member]) => member)
  if (members.length < 2) return []
  return members.map((_, index) => `${open}${members.toSpliced(index, 1).join('')}]`)
}

function isPattern(text: string, flags: string): boolean {
  try {
    return text !== '' && new RegExp(text, flags) instanceof RegExp
  } catch {
    return false
  }
}
