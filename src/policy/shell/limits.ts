/** Bounds of the work on one text. What goes beyond is unclear, and an unclear text is never simply allowed. */

/** UTF-16 units of a text. Longer ones are files written by heredoc, for which there is a tool. */
export const MAX_TEXT = 64 * 1024;
/** `<<` in a text: the grammar looks for the end of each of them anew. */
export const MAX_HEREDOCS = 500;
/** Backquotes in a text: the grammar looks for the end of each of them anew as well. */
export const MAX_BACKQUOTES = 4_000;
/** Words of all commands found. */
export const MAX_WORDS = 8_000;
/** UTF-16 units handed to the grammar in all: substitutions are read again for each level that they are in. */
export const MAX_PARSED = 512 * 1024;
/** Levels of the syntax tree, of wrappers and of texts that are parsed again; one substitution is some six. */
export const MAX_DEPTH = 200;
/** Simple commands found, every possible form of one counted. */
export const MAX_COMMANDS = 2_000;
/** Nodes of the syntax tree that are visited, and words that expansions make, together. */
export const MAX_NODES = 50_000;
/** Forms of one command, where a variable can have more than one value; and values of one variable. */
export const MAX_FORMS = 64;
/** Words that the braces of one word make. */
export const MAX_BRACE_WORDS = 64;
/** UTF-16 units of a value that is known before the text runs. */
export const MAX_VALUE = 16 * 1024;
