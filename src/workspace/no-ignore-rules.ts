import { lstatSync } from 'node:fs';
import { joinPath } from '../lib/path-bytes.ts';
import type { IgnoreRules } from './ignore-rules.ts';

const GITIGNORE = Buffer.from('.gitignore');

/** There are ignore rules after all: the walk starts again with what can read them. */
export class RulesFound extends Error {
  override readonly name = 'RulesFound';
}

/**
 * A folder in no repository, until the first file with ignore rules or the first repository inside is met. Most such
 * folders have neither, and then nothing has to be asked of git.
 */
export class NoIgnoreRules implements IgnoreRules {
  readonly vcs = 'none';
  readonly #root: Buffer;

  constructor(root: string) {
    this.#root = Buffer.from(root);
  }

  async enterFolder(folder: Buffer): Promise<void> {
    const file = joinPath(joinPath(this.#root, folder), GITIGNORE);
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw new RulesFound();
  }

  leaveFolder(): void {}

  async enterRepository(): Promise<void> {
    throw new RulesFound();
  }

  ignores(): boolean {
    return false;
  }

  notices(): string[] {
    return [];
  }
}
