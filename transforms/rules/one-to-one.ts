/** The form into which the function below converts every usual spelling of a 1:1 meeting. */
const ONE_TO_ONE = '1:1 meeting'

const BETWEEN = String.raw`[\s\p{Pd}\u00ad\u2212]*`
const SPELLINGS = new RegExp(
  String.raw`^(?:1|one)(?:\s*[:\u2236\uff1a]\s*|\s*[\p{Pd}\u00ad\u2212]\s*|${BETWEEN}(?:on|to)${BETWEEN})(?:1|one)(?:${BETWEEN}meeting(?:s|\(s\))?)?$`,
  'u',
)

/**
 * Converts the title of a session type to the form in which titles are compared. The form ignores case.
 *
 * @returns `1:1 meeting` for each usual spelling of it (transforms/RULES.md#r30)
 */
export function foldTitle(title: string): string {
  const folded = title.trim().toLowerCase()
  return SPELLINGS.test(folded) ? ONE_TO_ONE : folded
}
