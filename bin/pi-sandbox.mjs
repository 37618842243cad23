#!/usr/bin/env node
// Starts on every Node since 12.20, so that an old one is told what to do instead of shown a syntax error.
// Keep the syntax that old: no optional chaining, no top-level await, no static import of our own code.
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const MINIMUM = [22, 19];
const USAGE = 2;

const version = process.versions.node.split('.').map(Number);
const isOld = version[0] < MINIMUM[0] || (version[0] === MINIMUM[0] && version[1] < MINIMUM[1]);
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const setup = fileURLToPath(new URL('../scripts/setup', import.meta.url));

function refuse(text) {
  process.stderr.write(`${text}\n`);
  process.exitCode = USAGE;
}

function findPart(specifier, context, next) {
  if (!specifier.startsWith('./chunk-')) return next(specifier, context);
  return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
}

if (isOld) {
  const found = `this is Node ${process.versions.node} (${process.execPath})`;
  const clone = existsSync(setup)
    ? `Run ${setup} once (it brings in a Node of its own) and then ./pi-sandbox in that folder, or use`
    : 'Use';
  refuse(
    `pi-sandbox needs Node ${MINIMUM.join('.')} or newer, and ${found}. Nothing was started. ${clone} a newer Node.`,
  );
} else if (!existsSync(main)) {
  const remedy = existsSync(setup) ? `Run ${setup}.` : 'Install the package again.';
  refuse(`pi-sandbox is not built: ${main} is missing. Nothing was started. ${remedy}`);
} else {
  // Compiled code is kept beside the built code: a third less time to start. Where this user may not write, nothing is.
  const cache = fileURLToPath(new URL('../dist/compile-cache', import.meta.url));
  const module = process.getBuiltinModule('node:module');
  module.enableCompileCache(cache);
  // Parts of our own code are where the import says; without the usual search for them, a twentieth of the time.
  if (module.registerHooks) module.registerHooks({ resolve: findPart });
  const load = import(pathToFileURL(main).href);
  load.catch((error) => {
    process.stderr.write(`pi-sandbox could not load its own code: ${String((error && error.stack) || error)}\n`);
    process.exitCode = 5;
  });
}
