import { SandboxError } from '../../errors.ts';
import { LABEL } from '../../protocol/labels.ts';
import type { ImageFacts } from './facts.ts';

export interface ExpectedImage {
  readonly name: string;
  readonly version: string;
  readonly fingerprint: string;
}

type Check = (facts: ImageFacts, expected: ExpectedImage) => string | undefined;

/** Each says what is wrong with an image, or nothing. */
const CHECKS: readonly Check[] = [
  ({ Config }) => (Config?.Labels?.[LABEL.guest] === undefined ? 'it was not built by pi-sandbox' : undefined),
  ({ Config }, { version }) => {
    const built = Config?.Labels?.[LABEL.version];
    return built === version ? undefined : `it was built by pi-sandbox ${built ?? '(unknown)'}, and this is ${version}`;
  },
  ({ Config }, { fingerprint }) =>
    Config?.Labels?.[LABEL.guest] === fingerprint
      ? undefined
      : 'what it holds differs from what this pi-sandbox puts into an image',
  ({ Config }) => volumes(Config),
  ({ Config }) => onBuild(Config),
  ({ Config }) => {
    const test = Config?.Healthcheck?.Test ?? [];
    return test.length === 0 || test[0] === 'NONE'
      ? undefined
      : 'it has a health check, which would run beside the agent';
  },
];

/** Refuses an image that is not exactly what this product builds, and says how to get one. */
export function checkImage(facts: ImageFacts, expected: ExpectedImage): void {
  for (const check of CHECKS) {
    const problem = check(facts, expected);
    if (problem === undefined) continue;
    const base = facts.Config?.Labels?.[LABEL.base];
    throw new SandboxError('image', `The image ${expected.name} cannot be used: ${problem}.`, {
      hint: `Build it again: pi-sandbox image build${expected.name.includes('-from-') && base !== undefined ? ` --from ${base}` : ''}`,
    });
  }
}

/** Refuses to layer upon an image whose settings cannot be taken back by layering. */
export function checkBase(name: string, facts: ImageFacts): void {
  const problem =
    (facts.Os ?? 'linux') === 'linux' ? (volumes(facts.Config) ?? onBuild(facts.Config)) : `it is made for ${facts.Os}`;
  if (problem === undefined) return;
  throw new SandboxError('image', `The image ${name} cannot be layered upon: ${problem}.`, {
    hint: 'Use an image without it, for example the one that this image was made from.',
  });
}

function volumes(config: ImageFacts['Config']): string | undefined {
  const paths = Object.keys(config?.Volumes ?? {});
  return paths.length === 0
    ? undefined
    : `it declares a volume (${paths.join(', ')}), which would be unlimited writable host disk`;
}

function onBuild(config: ImageFacts['Config']): string | undefined {
  return (config?.OnBuild ?? []).length === 0 ? undefined : 'it has build triggers (ONBUILD)';
}
