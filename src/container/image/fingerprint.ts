import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { SandboxError } from '../../errors.ts';

/** Folders and files below the product's root that decide what an image holds. */
const INPUTS = [
  'Dockerfile.pi',
  'images/build',
  'images/pi/package.json',
  'images/pi/package-lock.json',
  'dist/images',
];

const GUARD = 'dist/images/guest/guard.mjs';

/** SHA-256, in hex, over the product version and every file that goes into the guest side of an image. */
export async function guestFingerprint(root: string): Promise<string> {
  const hash = createHash('sha256');
  hash.update(`version\0${await productVersion(root)}\0`);
  for (const file of (await Promise.all(INPUTS.map((input) => filesIn(root, input)))).flat().sort()) {
    const content = await readFile(join(root, file));
    // Length first, so that no two lists of files read as the same bytes.
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** SHA-256, in hex, of the guard that goes into images. */
export async function guardDigest(root: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(join(root, GUARD)))
    .digest('hex');
}

/** The version in the product's package.json. */
export async function productVersion(root: string): Promise<string> {
  const parsed: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const version = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : undefined;
  if (typeof version !== 'string') throw new SandboxError('internal', `${root}/package.json has no version.`);
  return version;
}

async function filesIn(root: string, input: string): Promise<string[]> {
  try {
    const entries = await readdir(join(root, input), { recursive: true, withFileTypes: true });
    return (
      entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        // Judged below the root: an installed product lies in a folder of that name itself.
        .filter((path) => !path.split(sep).includes('node_modules'))
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return [input];
    throw new SandboxError('internal', `A part of the image is missing: ${join(root, input)}.`, {
      hint: 'Build the product first: npm run build',
      cause: error,
    });
  }
}
