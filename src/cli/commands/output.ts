import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { controllerAlive } from '../../container/ownership.ts';
import { SandboxError } from '../../errors.ts';
import { resultText } from '../../events/refusal.ts';
import { formatBytes, plural } from '../../lib/format.ts';
import { ControlRefusal, requestOutput } from '../../run/control-client.ts';
import { findCall, type KnownCall } from '../../run/find-call.ts';
import { KeptNote, noteFile, OUTPUTS_FOLDER, outputFile } from '../../run/keep-outputs.ts';
import { controlSocket } from '../../run/recover.ts';
import { readJsonFile } from '../../transcript/private-file.ts';
import { environment } from '../environment.ts';
import { cutOf } from '../output-cut.ts';
import { pickRun } from '../pick-run.ts';
import { say } from '../print.ts';
import { printBytes } from '../print-bytes.ts';
import { recoverFirst } from '../recover-first.ts';

/**
 * `pi-sandbox output`: the full output of a tool call, from the live container, else from what the run kept, else as far
 * as the transcript has it.
 */
export async function output(ref: string, callRef: string): Promise<number> {
  await recoverFirst();
  const { id, folder } = pickRun(ref);
  const call = await findCall(folder, callRef);
  const socket = controlSocket(environment.stateRoot, id);
  const running = await controllerAlive(socket);
  const bytes = (running ? await fromContainer(socket, call) : undefined) ?? (await fromKept(folder, call));
  if (bytes !== undefined) await printBytes(bytes);
  else await printBytes(fromTranscript(call, running));
  return 0;
}

/** Undefined when the container holds nothing more of this call. */
async function fromContainer(socket: string, call: KnownCall): Promise<AsyncIterable<Buffer> | undefined> {
  try {
    return await requestOutput(socket, call.id);
  } catch (error) {
    if (error instanceof ControlRefusal || !(await controllerAlive(socket))) return undefined;
    throw error;
  }
}

async function fromKept(folder: string, call: KnownCall): Promise<AsyncIterable<Buffer> | undefined> {
  const file = path.join(folder, OUTPUTS_FOLDER, outputFile(call.id));
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  const note = readJsonFile(path.join(folder, OUTPUTS_FOLDER, noteFile(call.id)), KeptNote);
  const size = note?.bytes ?? (await handle.stat()).size;
  const total = cutOf(call.end)?.totalBytes;
  if (note !== undefined) say(`Redacted when it was kept: ${plural(note.redacted, 'secret')}.`);
  if (total !== undefined && size < total)
    say(`Only the first ${formatBytes(size)} of ${formatBytes(total)} were kept.`);
  return handle.createReadStream();
}

function fromTranscript({ end, id, number, tool }: KnownCall, running: boolean): AsyncIterable<Buffer> {
  if (end === undefined) {
    throw new SandboxError(
      'usage',
      `Call [${number}] ${id} (${tool}) ${running ? 'is still running' : 'has no recorded result'}.`,
    );
  }
  const cut = cutOf(end);
  if (cut !== undefined) {
    const where = cut.spilled && !running ? 'the rest ended with the container' : 'the rest was not kept';
    const how = cut.spilled ? '; --keep-outputs saves it next time' : '';
    say(`This is what the model saw, ${cut.text}: ${where}${how}.`);
  }
  const text = resultText(end.result);
  return toAsync([Buffer.from(text === '' || text.endsWith('\n') ? text : `${text}\n`)]);
}

async function* toAsync(parts: readonly Buffer[]): AsyncGenerator<Buffer, void> {
  yield* parts;
}
