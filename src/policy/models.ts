import { SandboxError } from '../errors.ts';
import type { PlannedModel } from '../protocol/model.ts';
import type { Policy } from '../protocol/policy.ts';

/**
 * A look at what the user wrote, before anything is asked or built: a thinking level behind a colon may be part of it.
 *
 * @throws SandboxError `policy` when no model of this name can be allowed
 */
export function checkModelName(policy: Policy, spec: string): void {
  check(policy, spec, [spec, spec.replace(/:[^:/]*$/, '')]);
}

/** @throws SandboxError `policy` unless `models.allow` names the model that was found */
export function checkModel(policy: Policy, { spec, provider, id }: PlannedModel): void {
  const name = spec.startsWith('scripted:') ? spec : `${provider}/${id}`;
  check(policy, name, [name]);
}

function check({ models, origins }: Policy, shown: string, names: readonly string[]): void {
  if (names.some((name) => models.allow.some((glob) => matches(glob, name)))) return;
  const list = models.allow.length === 0 ? 'no model at all' : models.allow.join(', ');
  throw new SandboxError('policy', `The policy does not allow the model "${shown}": models.allow names ${list}.`, {
    hint: `It is set in ${origins['/models/allow']}; choose one that it allows, or change it there.`,
  });
}

/** `*` stands for any characters, `?` for one, `\` takes the next as it is. Time is at most the product of both lengths. */
function matches(glob: string, text: string): boolean {
  const parts = glob.match(/\\.|./gsu) ?? [];
  let [at, from] = [0, 0];
  let retry: { at: number; from: number } | undefined;
  const chars = [...text];
  while (from < chars.length) {
    const part = parts[at];
    if (part === '*') retry = { at: ++at, from };
    else if (part === '?' || (part !== undefined && part.replace(/^\\(?=.)/su, '') === chars[from])) {
      at++;
      from++;
    } else if (retry !== undefined) {
      retry = { at: retry.at, from: retry.from + 1 };
      ({ at, from } = retry);
    } else return false;
  }
  return parts.slice(at).every((part) => part === '*');
}
