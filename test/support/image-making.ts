import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { type BuiltImage, buildImage } from '../../src/container/image/build.ts';
import { testEngine } from './engine.ts';
import { buildSmall } from './image-probe.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Time for a build of a whole image, milliseconds. */
export const BUILD_MS = 600_000;

export interface MakeOptions {
  readonly from?: string;
  readonly signal?: AbortSignal;
}

/** Makes images for one test file; what it made is gone when the file is done. To be made outside of hooks, opened in one. */
export class ImageMaker {
  readonly progress: string[] = [];
  #engine: Engine | undefined;
  readonly #stateDir = mkdtempSync(join(tmpdir(), 'pi-sandbox-image-test-'));
  readonly #made: string[] = [];

  constructor() {
    afterAll(async () => {
      for (const tag of this.#made) await this.#engine?.removeImage(tag);
      rmSync(this.#stateDir, { recursive: true });
    });
  }

  async open(): Promise<void> {
    this.#engine = await testEngine();
  }

  get engine(): Engine {
    if (this.#engine === undefined) throw new Error('not opened');
    return this.#engine;
  }

  /** Builds as the product does: the default image, or one upon `from`. Only the latter is removed afterwards. */
  async make({ from, signal = AbortSignal.timeout(BUILD_MS) }: MakeOptions = {}): Promise<BuiltImage> {
    const built = await buildImage({
      engine: this.engine,
      root: ROOT,
      stateDir: this.#stateDir,
      env: process.env as Record<string, string>,
      onProgress: (line) => this.progress.push(line),
      signal,
      ...(from === undefined ? {} : { from }),
    });
    if (from !== undefined) this.#made.push(built.tag);
    return built;
  }

  /** A variation of an image by some lines of a Dockerfile. */
  vary(from: string, ...lines: readonly string[]): Promise<string> {
    return this.dockerfile(`FROM ${from}\nUSER root\n${lines.join('\n')}\n`);
  }

  async dockerfile(text: string): Promise<string> {
    const { ok, output, tag } = await buildSmall(this.engine, text);
    if (!ok) throw new Error(output);
    this.#made.push(tag);
    return tag;
  }

  /** Removes this image too. */
  removeLater(tag: string): void {
    this.#made.push(tag);
  }

  /** What builds have left in the state folder: nothing, always. */
  leftovers(): string[] {
    return readdirSync(this.#stateDir);
  }
}
