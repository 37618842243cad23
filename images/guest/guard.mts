/**
 * The guard: an extension that pi loads from the image. It does only what must be done inside: it names the gateway as
 * pi's provider, asks the host about each tool call and does as it is told, keeps full bash output from filling pi's temp
 * folder, gives bash calls a timeout, and refuses files that would hang pi. Once bash is allowed the guard is advice:
 * whatever runs as pi's user can rewrite pi. The container is the boundary.
 */
import { tmpdir } from 'node:os';
import { GUEST } from '../../src/protocol/guest.ts';
import { GATEWAY_PORT } from '../../src/protocol/wire.ts';
import { askInTurn } from './ask-in-turn.ts';
import { cappedBash } from './capped-bash.ts';
import { commandEnv } from './command-env.ts';
import { freezeDeep } from './freeze.ts';
import { carryOut, questionAbout } from './gate-call.ts';
import { GUARD_ENTRY, type GuardEntry } from './guard-entry.ts';
import { guardSettings } from './guard-settings.ts';
import type { ExtensionApi, PiModule, Tool } from './pi-api.ts';
import { GUARD_PREFIX } from './prefix.ts';
import { pathsOfCall } from './resolve-paths.ts';
import { refuseSpecialFile } from './special-file.ts';
import { freeBytesOf, SpillBudget } from './spill-budget.ts';
import { noteDefaultTimeout } from './timeout-note.ts';

// An absolute import keeps pi's loader on the native path, which is much faster than its own transform.
const piModule = (await import(GUEST.piIndex)) as PiModule;

/** Everything that must succeed happens here: pi does not start when this throws. */
export default function guard(pi: ExtensionApi): void {
  const { model, limits, mcpServers, ownEnv } = guardSettings(process.env);
  const cwd = process.cwd();
  const note = (entry: GuardEntry): void => pi.appendEntry(GUARD_ENTRY, entry);

  pi.registerProvider('host', {
    name: 'host',
    baseUrl: `http://127.0.0.1:${GATEWAY_PORT}`,
    apiKey: 'placeholder',
    api: 'pi-messages',
    models: [model],
  });
  // They come from here alone: there is no file in which pi would find any.
  for (const [name, config] of Object.entries(mcpServers)) pi.registerMcpServer(name, config);

  const spillFolder = tmpdir();
  const budget = new SpillBudget(limits, () => freeBytesOf(spillFolder));
  const local = piModule.createLocalBashOperations();
  const bashFor = (call: string): Tool =>
    piModule.createBashTool(cwd, {
      operations: cappedBash(local, {
        budget,
        defaultTimeoutSeconds: limits.bashTimeoutSeconds,
        onCapped: (capped) => note({ v: 1, kind: 'capped', call, ...capped }),
      }),
      spawnHook: (context) => ({ ...context, env: commandEnv(context.env, ownEnv) }),
    });
  const bash = bashFor('');
  pi.registerTool({
    ...bash,
    parameters: withDefaultTimeout(bash.parameters, limits.bashTimeoutSeconds),
    execute: (call, params, signal, onUpdate, context) =>
      bashFor(call).execute(call, params, signal, onUpdate, context),
  });

  pi.on('tool_call', async (event, context) => {
    const { toolCallId: call, toolName: tool, input } = event;
    const found = pathsOfCall(tool, input, context.cwd ?? cwd);
    const refused =
      'refused' in found ? GUARD_PREFIX + found.refused : refuseSpecialFile(tool, input, context.cwd ?? cwd);
    const paths = 'paths' in found ? found.paths : [];
    if (refused !== undefined) note({ v: 1, kind: 'refused', call, tool, reason: refused });
    try {
      const question = questionAbout(event, { paths, tools: () => pi.getAllTools(), refused });
      const answer = await askInTurn(question, { timeoutMs: limits.gateTimeoutMs, signal: context.signal });
      // Whatever the host says: it would hang pi.
      const blocked = refused === undefined ? carryOut(answer, event) : { block: true as const, reason: refused };
      // Extensions of a trusted project come after the guard. One that would run something else than was judged fails,
      // which pi takes for a veto.
      freezeDeep(input);
      return blocked;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { block: true, reason: refused ?? `${GUARD_PREFIX}this call was not run: the host was asked, and ${why}` };
    }
  });

  pi.on('tool_result', (event) => {
    const content = noteDefaultTimeout(event, limits.bashTimeoutSeconds);
    if (content === undefined) return undefined;
    note({ v: 1, kind: 'default-timeout', call: event.toolCallId, seconds: limits.bashTimeoutSeconds });
    return { content };
  });
}

/** pi's own description says that there is no default timeout, which is not so here. */
function withDefaultTimeout(parameters: Tool['parameters'], seconds: number): Tool['parameters'] {
  const timeout = {
    ...parameters.properties.timeout,
    description: `Timeout in seconds (optional, default ${seconds})`,
  };
  return { ...parameters, properties: { ...parameters.properties, timeout } };
}
