import { SandboxError } from '../../errors.ts';
import { formatCount } from '../../lib/format.ts';
import { nearest } from '../../lib/nearest.ts';
import type { CredentialSource, ListedModel, ListedProvider, ModelsReport } from '../../protocol/models-report.ts';
import { environment } from '../environment.ts';
import { printJson, printLine, printTable, say } from '../print.ts';

const HEAD = ['PROVIDER', 'CREDENTIAL', 'MODELS'];
const MODELS_HEAD = ['MODEL', 'CONTEXT', 'OUTPUT', 'THINKS', 'IMAGES', 'IN $/M', 'OUT $/M'];
/** Models that are named beside their provider. */
const MODELS_SHOWN = 3;

/** `pi-sandbox models`: what would work, and where each credential comes from. Contacts nobody. */
export async function models(wanted: string | undefined, options: { readonly json?: boolean }): Promise<number> {
  const { env, piFolder } = environment;
  const { listProviders } = await import('../../gateway/credentials/list-providers.ts');
  const all = await listProviders({ env, piFolder });
  const providers = wanted === undefined ? all : [only(all, wanted)];
  if (options.json === true) printJson({ v: 1, piFolder, providers } satisfies ModelsReport);
  else if (wanted === undefined) printAll(providers);
  else for (const provider of providers) printOne(provider);
  return 0;
}

function only(all: readonly ListedProvider[], wanted: string): ListedProvider {
  const found = all.find(({ id }) => id === wanted);
  if (found !== undefined) return found;
  const ids = all.map(({ id }) => id);
  const guess = nearest(wanted, ids);
  throw new SandboxError('model', `There is no provider "${wanted}".`, {
    hint: guess === undefined ? `Known providers: ${ids.join(', ')}.` : `Did you mean "${guess}"?`,
  });
}

function printAll(providers: readonly ListedProvider[]): void {
  const usable = providers.filter(({ credential }) => credential !== undefined);
  const other = providers.filter(({ credential }) => credential === undefined);
  if (usable.length === 0) {
    say(
      'No provider has a credential. Set a variable such as ANTHROPIC_API_KEY, log in with pi (start it and enter /login), or',
    );
    say('describe a server of your own in models.json.');
  } else printTable([HEAD, ...usable.map((one) => [one.id, sourceText(one.credential), modelsText(one)])]);
  for (const { id, problem } of providers) if (problem !== undefined) say(`${id}: ${problem}`);
  if (other.length === 0) return;
  say(`Without a credential: ${other.map(({ id }) => id).join(', ')}. How to get one: pi-sandbox models PROVIDER.`);
}

function modelsText({ id, models: all, custom }: ListedProvider): string {
  if (!custom || all.length > MODELS_SHOWN) return `${all.length}: pi-sandbox models ${id}`;
  return all.map((model) => `${id}/${model.id}`).join(', ');
}

function printOne({ id, name, credential, hint, problem, models: all }: ListedProvider): void {
  say(`${name}: ${credential === undefined ? 'no credential' : sourceText(credential)}.`);
  if (hint !== undefined) say(hint);
  if (problem !== undefined) say(problem);
  if (all.length > 0) printTable([MODELS_HEAD, ...all.map((model) => rowOf(id, model))]);
  else printLine('It has no models.');
}

function rowOf(provider: string, model: ListedModel): string[] {
  const { id, contextWindow, maxTokens, reasoning, images, price } = model;
  const yes = (value: boolean): string => (value ? 'yes' : 'no');
  const prices = price === undefined ? ['?', '?'] : [String(price.input), String(price.output)];
  return [
    `${provider}/${id}`,
    formatCount(contextWindow),
    formatCount(maxTokens),
    yes(reasoning),
    yes(images),
    ...prices,
  ];
}

/** Where a credential comes from, as a person reads it. */
function sourceText(source: CredentialSource | undefined): string {
  switch (source?.kind) {
    case 'environment':
      return `variable ${source.name}`;
    case 'login':
      return `login in ${short(source.file)}${source.expired ? ', to be renewed' : ''}`;
    case 'key':
      if (source.form === 'command') return `command in ${short(source.file)}`;
      return source.name === undefined
        ? `key in ${short(source.file)}`
        : `variable ${source.name}, by ${short(source.file)}`;
    case 'none-needed':
      return 'none needed: a server of this machine';
    case 'other':
      return source.name;
    case undefined:
      return 'none';
  }
}

function short(file: string): string {
  const { homeDir } = environment;
  return file.startsWith(`${homeDir}/`) ? `~${file.slice(homeDir.length)}` : file;
}
