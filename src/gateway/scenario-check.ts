import type { Message } from '@earendil-works/pi-ai';
import type { Script } from './scenario-file.ts';

/** Characters of the tool results that an error quotes. */
const EXCERPT = 400;

/** The text of all tool results since the last thing the model said. */
export function lastResults(messages: readonly Message[]): string {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(last + 1)
    .flatMap((message) => (message.role === 'toolResult' ? message.content : []))
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');
}

/** What a conversation lacks that turn `index` expects, as a sentence for a person; undefined when all is well. */
export function offScript(script: Script, index: number, messages: readonly Message[]): string | undefined {
  const turn = script.turns[index];
  const place = `${script.file}, ${script.where}, turn ${index + 1}`;
  const results = lastResults(messages);
  if (turn === undefined) {
    return `${place}: the model was called once more than the script has turns (${script.turns.length}). The last tool results were: ${excerpt(results)}`;
  }
  for (const word of listOf(turn.expect)) {
    if (!results.includes(word)) {
      return `${place}: expected ${JSON.stringify(word)} in the last tool results, which were: ${excerpt(results)}`;
    }
  }
  for (const word of listOf(turn.expectNot)) {
    if (results.includes(word)) {
      return `${place}: did not expect ${JSON.stringify(word)} in the last tool results, which were: ${excerpt(results)}`;
    }
  }
  return undefined;
}

function listOf(words: string | readonly string[] | undefined): readonly string[] {
  if (words === undefined) return [];
  return typeof words === 'string' ? [words] : words;
}

function excerpt(text: string): string {
  if (text === '') return '(none)';
  if (text.length <= EXCERPT) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, EXCERPT))} and ${text.length - EXCERPT} characters more`;
}
