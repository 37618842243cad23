/** Categories of a provider's errors after which trying again is of no use. */
const GIVEN_UP: ReadonlySet<string> = new Set([
  'authentication',
  'permission',
  'not_found',
  'quota',
  'redirect',
  'answer_size',
]);

/** Whether an answer that ended with this category is the model's last word. */
export function isGivenUp(category: string | undefined): boolean {
  return category !== undefined && GIVEN_UP.has(category);
}
