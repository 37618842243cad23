import { findEndpoint } from '../../container/endpoint.ts';
import type { Engine } from '../../container/engine.ts';
import { describeEndpoint } from '../../container/engine-errors.ts';
import { controllerAlive, ourContainers } from '../../container/ownership.ts';
import { SandboxError } from '../../errors.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { plural } from '../../lib/format.ts';
import { LABEL } from '../../protocol/labels.ts';
import { knownInstallation } from '../../run/installation.ts';
import { controlSocket, recover } from '../../run/recover.ts';
import { connectEngine } from '../connect.ts';
import { environment } from '../environment.ts';
import { installation } from '../installation.ts';
import { type Check, fail, ok, warn } from './check.ts';
import { engineChecks } from './engine-checks.ts';
import { evidenceCheck, gitCheck, nodeCheck, stateCheck } from './host-checks.ts';
import { imageChecks } from './image-checks.ts';

/** Longest wait for an engine, milliseconds. */
const CONNECT_MS = 10_000;

/** All checks, in the order in which a person would fix them. */
export async function examine(): Promise<Check[]> {
  const host = [nodeCheck(), await stateCheck(() => environment.stateRoot), await gitCheck(environment.forNpm())];
  let engine: Engine;
  let endpoint: Check;
  try {
    const found = await findEndpoint(environment.endpoint);
    endpoint = ok('engine', `${describeEndpoint(found)}, found through ${found.source}`);
    engine = await withDeadline('the engine answering', CONNECT_MS, connectEngine());
  } catch (error) {
    const { message, hint } = error instanceof SandboxError ? error : { message: String(error), hint: undefined };
    return [...host, fail('engine', message, 'Nothing can be started without an engine.', hint)];
  }
  const rest = await Promise.all([evidenceCheck(engine.facts), imageChecks(engine), leftoverCheck(engine)]);
  return [...host, endpoint, ...engineChecks(engine.facts), ...rest.flat()];
}

/** What killed controllers left in the engine. Looking removes it, as every command does. */
async function leftoverCheck(engine: Engine): Promise<Check[]> {
  try {
    const { reaped } = await recover(installation, engine);
    const mine = knownInstallation(installation);
    const containers = await ourContainers(engine);
    const { stateRoot } = environment;
    const alive = await Promise.all(
      containers
        .filter(({ labels }) => mine !== undefined && labels[LABEL.installation] === mine)
        .map(({ labels }) => controllerAlive(controlSocket(stateRoot, labels[LABEL.run] ?? ''))),
    );
    const others = containers.length - alive.length;
    const running = `${plural(alive.filter(Boolean).length, 'run')} going on`;
    const removed = reaped.length === 0 ? 'none' : `of ${plural(reaped.length, 'run')}, removed now`;
    const foreign = others === 0 ? '' : `, ${plural(others, 'container')} of other users or state folders`;
    return [ok('leftovers', `${removed}; ${running}${foreign}`)];
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return [warn('leftovers', error.message, 'Dead containers of earlier runs may take up user ids.', error.hint)];
  }
}
