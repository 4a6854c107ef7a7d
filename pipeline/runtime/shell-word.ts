/** Returns a text as one word of a shell command. The text is quoted if a shell would read it otherwise. */
export function shellWord(text: string): string {
  return /^[\w./@:=+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
