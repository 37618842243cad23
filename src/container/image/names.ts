import { createHash } from 'node:crypto';

const REPOSITORY = 'pi-sandbox';
const FINGERPRINT_CHARS = 12;
const MAX_SLUG_CHARS = 40;
const SLUG_HASH_CHARS = 6;

/**
 * The name of the image for a product version and guest fingerprint: `pi-sandbox:0.1.0-0123456789ab`, and with `from`
 * `pi-sandbox:0.1.0-0123456789ab-from-python-3.12`.
 */
export function imageTag(version: string, fingerprint: string, from?: string): string {
  const tag = `${version}-${fingerprint.slice(0, FINGERPRINT_CHARS)}`.replace(/[^A-Za-z0-9_.-]/g, '-');
  return `${REPOSITORY}:${tag}${from === undefined ? '' : `-from-${slug(from)}`}`;
}

/** An image name as part of a tag. Whatever does not survive unchanged is told apart by a hash. */
function slug(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '');
  // The colon before a tag becomes a dash without a hash: that is the ordinary case, and it should read well.
  if (plain === name.replace(':', '-') && plain.length <= MAX_SLUG_CHARS) return plain;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, SLUG_HASH_CHARS);
  return `${plain.slice(0, MAX_SLUG_CHARS)}-${hash}`;
}
