/** Shortest form of a scenario's name, characters. */
const MIN_CHARS = 24;
const SCRIPTED = 'scripted:';

/**
 * Models of the rows of a list, with the paths of scripted ones shortened from the left as far as it takes for the longest
 * row to fit. Real models keep their names.
 */
export function fitModels(models: readonly string[], longestRow: number, columns: number): string[] {
  const longest = Math.max(0, ...models.map((model) => model.length));
  const room = Math.max(MIN_CHARS, longest - Math.max(0, longestRow - columns));
  return models.map((model) => {
    if (!model.startsWith(SCRIPTED) || model.length <= room) return model;
    return `${SCRIPTED}…${model.slice(model.length - (room - SCRIPTED.length - 1))}`;
  });
}
