import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { messageOf, SandboxError } from '../../errors.ts';

const VARIABLES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];

/**
 * Certificates that the user's environment adds to those of Node, PEM; undefined when there are none. Node itself reads the first
 * variable when a process starts, the second only with a switch.
 *
 * @throws SandboxError `model` when a file cannot be read
 */
export async function extraCertificates(env: (name: string) => string | undefined): Promise<string[] | undefined> {
  const extra: string[] = [];
  for (const name of VARIABLES) {
    const path = env(name);
    if (path === undefined || path === '') continue;
    try {
      extra.push(await readFile(path, 'utf8'));
    } catch (error) {
      throw new SandboxError('model', `The certificates that ${name} names cannot be read: ${messageOf(error)}.`, {
        cause: error,
        hint: `Correct ${name}, or unset it.`,
      });
    }
  }
  return extra.length === 0 ? undefined : [...getCACertificates('default'), ...extra];
}
