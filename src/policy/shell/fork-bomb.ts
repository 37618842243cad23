/**
 * The program that a function which starts itself again and again is listed as. Apart from the grammar, which rules name it
 * without and a start does not load.
 */
export const FORK_BOMB = 'fork bomb';
