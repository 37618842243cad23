import { createHash } from 'node:crypto';

const REPOSITORY = 'pi-sandbox';
const FINGERPRINT_CHARS = 12;
const MAX_SLUG_CHARS = 40;
const SLUG_HASH_CHARS = 6;

/**
 * The name of the image for a product version and guest fingerprint: `pi-sandbox:0.1.0-0123456789ab`, and with `from`
 * `pi-sandbox:0.1.0-0123456789ab-from-python_3.12`.
 */
export function imageTag(version: string, fingerprint: string, from?: string): string {
  const tag = `${version}-${fingerprint.slice(0, FINGERPRINT_CHARS)}`.replace(/[^A-Za-z0-9_.-]/g, '-');
  return `${REPOSITORY}:${tag}${from === undefined ? '' : `-from-${slug(from)}`}`;
}

/** An image name as part of a tag: `python:3.12` as `python_3.12`. Any other change of a name is told apart by a hash. */
function slug(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9.-]+/g, '_').replace(/^[-.]+/, '');
  if (plain === name.replace(':', '_') && !name.includes('_') && plain.length <= MAX_SLUG_CHARS) return plain;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, SLUG_HASH_CHARS);
  return `${plain.slice(0, MAX_SLUG_CHARS)}-${hash}`;
}
