import { SandboxError } from '../errors.ts';
import { Wildcard } from '../lib/wildcard.ts';
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
  if (names.some((name) => models.allow.some((glob) => new Wildcard(glob, { text: true }).matches(name)))) return;
  const list = models.allow.length === 0 ? 'no model at all' : models.allow.join(', ');
  throw new SandboxError('policy', `The policy does not allow the model "${shown}": models.allow names ${list}.`, {
    hint: `It is set in ${origins['/models/allow']}; choose one that it allows, or change it there.`,
  });
}
