import { relative } from 'node:path';
import ignore from 'ignore';
import { SandboxError } from '../errors.ts';
import { joinPath, showPath } from '../lib/path-bytes.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { MAX_RULE_BYTES, MAX_RULE_GLOBSTARS, MAX_RULES_BYTES } from './limits.ts';
import { readRegular } from './read-regular.ts';

/**
 * Ignore rules without git: the `.gitignore` of every folder, read by us. Knows no index, so a tracked file that is
 * also ignored stays out. Rules of a folder are rewritten to start at the root, because a later rule must be able to
 * take back an earlier one of a parent folder.
 */
export class IgnoreFiles implements IgnoreRules {
  readonly vcs = 'none';
  /** Top of the repository that the root is in; rules and paths below are relative to it. */
  readonly #top: Buffer;
  readonly #prefix: Buffer;
  readonly #stack: ignore.Ignore[];

  private constructor(top: Buffer, prefix: Buffer, base: ignore.Ignore) {
    this.#top = top;
    this.#prefix = prefix;
    this.#stack = [base];
  }

  /** `files`: rule files that hold for the whole tree, weakest first; `top`: the root or a folder above it. */
  static async load(root: string, top: string, files: readonly (string | Buffer)[]): Promise<IgnoreFiles> {
    const base = ignore({ ignorecase: false });
    for (const file of files) {
      const rules = await readRegular(file, MAX_RULES_BYTES);
      if (rules !== undefined) base.add(rulesIn(file, rules));
    }
    const prefix = relative(top, root);
    const rules = new IgnoreFiles(Buffer.from(top), Buffer.from(prefix), base);
    const above = prefix === '' ? [] : prefix.split('/');
    for (const index of above.keys()) {
      await rules.#push(Buffer.from(above.slice(0, index).join('/')));
    }
    // A repository above that ignores the whole folder says nothing about what is in it.
    if (prefix !== '' && rules.#current().ignores(`${rules.#prefix.toString('latin1')}/`)) {
      return IgnoreFiles.load(root, root, files);
    }
    return rules;
  }

  async enterFolder(folder: Buffer): Promise<void> {
    await this.#push(this.#fromTop(folder));
  }

  leaveFolder(): void {
    this.#stack.pop();
  }

  async enterRepository(): Promise<void> {}

  ignores(path: Buffer, isFolder: boolean): boolean {
    return this.#current().ignores(this.#fromTop(path).toString('latin1') + (isFolder ? '/' : ''));
  }

  notices(): string[] {
    return [];
  }

  async #push(folder: Buffer): Promise<void> {
    const path = joinPath(joinPath(this.#top, folder), Buffer.from('.gitignore'));
    // Like git, no link is followed here: it could lead anywhere.
    const bytes = await readRegular(path, MAX_RULES_BYTES, { follow: false });
    const current = this.#current();
    if (bytes === undefined) this.#stack.push(current);
    else
      this.#stack.push(
        ignore({ ignorecase: false })
          .add(current)
          .add(rooted(folder, rulesIn(path, bytes))),
      );
  }

  #fromTop(path: Buffer): Buffer {
    return path.length === 0 ? this.#prefix : joinPath(this.#prefix, path);
  }

  #current(): ignore.Ignore {
    return this.#stack[this.#stack.length - 1]!;
  }
}

/** Lines of a rule file. Throws SandboxError `repository` for a rule that could keep the matching busy for hours. */
function rulesIn(file: string | Buffer, bytes: Buffer): string[] {
  const lines = bytes
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .split(/\r?\n/);
  for (const line of lines) {
    if (line.length <= MAX_RULE_BYTES && line.split('**').length - 1 <= MAX_RULE_GLOBSTARS) continue;
    throw new SandboxError(
      'repository',
      `The ignore file ${showPath(Buffer.from(file))} cannot be used without git: ` +
        `one of its rules has more than ${MAX_RULE_BYTES} bytes or more than ${MAX_RULE_GLOBSTARS} times "**".`,
      { hint: 'Install git, or remove what keeps it from listing the repository, or simplify that rule.' },
    );
  }
  return lines;
}

function rooted(folder: Buffer, lines: string[]): string[] {
  if (folder.length === 0) return lines;
  const prefix = folder.toString('latin1').replace(/[\\*?[\]! ]/g, '\\$&');
  return lines.flatMap((line) => {
    if (line.trim() === '' || line.startsWith('#')) return [];
    const negative = line.startsWith('!');
    const body = negative ? line.slice(1) : line;
    const anchored = body.replace(/\/\s*$/, '').includes('/');
    const rule = anchored ? body.replace(/^\//, '') : `**/${body}`;
    return [`${negative ? '!' : ''}/${prefix}/${rule}`];
  });
}
