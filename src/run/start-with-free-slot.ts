import { SlotTaken } from '../container/slot.ts';
import { type StartedSandbox, startSandbox } from '../container/start.ts';
import { UndoStack } from '../lib/undo.ts';
import { containerSpec } from '../plan/container-spec.ts';
import type { RunPlan } from '../protocol/plan.ts';
import type { ExecuteParts, Session } from './execute.ts';

/** Attempts to get a pair of user ids that no other run takes at the same moment. */
const SLOT_ATTEMPTS = 8;

/** Starts the sandbox; when another run took the same user ids at the same moment, plans again with other ones. */
export async function startWithFreeSlot(
  parts: ExecuteParts,
  session: Session,
  undo: UndoStack,
): Promise<{ sandbox: StartedSandbox; plan: RunPlan }> {
  let { plan } = session;
  for (let attempt = 1; ; attempt++) {
    const attemptUndo = new UndoStack();
    try {
      const sandbox = await startSandbox({
        engine: parts.prepared.engine,
        plan,
        spec: containerSpec(plan.container),
        undo: attemptUndo,
        signal: parts.stops.signal,
        onGateway: (stream) => session.gateway.handleStream(stream),
        onEgress: session.egress && ((stream) => session.egress?.handleStream(stream)),
        onRefused: (authority) =>
          void session.files.record({ source: 'observed', type: 'wire_refused', authority: authority.slice(0, 200) }),
        onPosture: (posture) => session.files.posture(posture),
      });
      undo.add('remove the sandbox', async () => {
        const failures = await attemptUndo.run();
        if (failures.length > 0) throw failures[0];
      });
      return { sandbox, plan };
    } catch (error) {
      await attemptUndo.run();
      if (!(error instanceof SlotTaken) || attempt === SLOT_ATTEMPTS) throw error;
      plan = await parts.prepared.plan();
      session.files.plan(plan);
    }
  }
}
