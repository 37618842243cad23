import { parse, type Word } from 'unbash';

/** The shell grammar; the only file that calls the parser. Its trees are read elsewhere through their types. */
export const parseShell = parse;

/** The words of a text that is nothing but words. */
export function parseWords(text: string): readonly Word[] {
  const [statement] = parse(`: ${text}`).commands;
  if (statement?.command.type !== 'Command') return [];
  return statement.command.suffix.filter((part) => part.type === 'Word');
}
