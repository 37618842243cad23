import { Type } from '@sinclair/typebox';
import { SandboxError } from '../../errors.ts';
import { problemText, strictParse } from '../../lib/strict-parse.ts';
import type { ContainerSpec } from '../../plan/container-spec.ts';
import { compare, type Finding } from './finding.ts';

const Fields = Type.Record(Type.String(), Type.Unknown());
const Inspected = Type.Object({ Config: Fields, HostConfig: Fields });

/** Fields of Config that take over entries of the image, so that the plan's are only a part of them. */
const MERGED_WITH_IMAGE = new Set(['Labels', 'Env']);
/** Variables of an image that would change what our own processes in the container do. */
const DANGEROUS_ENV = /^(NODE_OPTIONS|NODE_PATH|LD_[A-Z_]+|BASH_ENV|ENV|TAR_OPTIONS|GIT_[A-Z_]+)=./;

/** What the engine reports without being asked for it, and what it means when it is not empty. */
const ENGINE_DEFAULTS: Readonly<Record<string, readonly unknown[]>> = {
  Runtime: ['runc', 'crun', 'io.containerd.runc.v2'],
  ShmSize: [67_108_864],
  ConsoleSize: [[0, 0]],
  MemorySwappiness: [-1],
  Isolation: ['default'],
};

/**
 * Compares what the engine says the container is with what was asked for. Engines drop options that they do not
 * know without a word, and may add some; both count.
 */
export function checkInspect(spec: ContainerSpec, inspected: unknown): Finding[] {
  const parsed = strictParse(Inspected, inspected);
  if (!parsed.ok) {
    throw new SandboxError(
      'posture',
      `The engine's description of the container is incomplete: ${problemText(parsed.problems)}.`,
    );
  }
  const { Config, HostConfig } = parsed.value;
  const { HostConfig: wanted, Image: _image, NetworkDisabled: _startOnly, ...config } = spec;
  return [
    ...Object.entries(config).flatMap(([field, value]) =>
      MERGED_WITH_IMAGE.has(field) ? [] : compareField(field, value, Config[field]),
    ),
    ...checkLabels(spec.Labels, Config.Labels),
    ...checkEnv(spec.Env, Config.Env),
    ...Object.entries(wanted).flatMap(([field, value]) => checkHostField(field, value, HostConfig[field])),
    ...unasked(wanted, HostConfig),
  ];
}

function checkHostField(field: string, expected: unknown, actual: unknown): Finding[] {
  if (field !== 'SecurityOpt') return compareField(field, expected, actual);
  const given = new Set(Array.isArray(actual) ? actual : []);
  return (expected as string[]).flatMap((option) => {
    if (given.has(option)) return [];
    const name = option.slice(0, option.search(/[:=]/));
    return [{ field: `SecurityOpt.${name}`, seen: 'engine' as const, expected: name, actual: 'absent or different' }];
  });
}

/** Maps are compared key by key, so that a message names the one that differs. */
function compareField(field: string, expected: unknown, actual: unknown): Finding[] {
  if (field === 'Ulimits') return compareUlimits(expected as { Name: string }[], actual);
  if (field === 'Tmpfs') {
    const given = isRecord(actual) ? actual : {};
    const paths = new Set([...Object.keys(expected as object), ...Object.keys(given)]);
    return [...paths].flatMap((path) =>
      compare(`Tmpfs.${path}`, 'engine', (expected as Record<string, unknown>)[path], given[path]),
    );
  }
  if (isEmpty(expected) && isEmpty(actual)) return [];
  return compare(field, 'engine', sorted(expected), sorted(actual));
}

function compareUlimits(expected: { Name: string }[], actual: unknown): Finding[] {
  const given = Array.isArray(actual) ? (actual as { Name?: string }[]) : [];
  return expected.flatMap((limit) =>
    compare(`Ulimits.${limit.Name}`, 'engine', sorted(limit), sorted(given.find((other) => other.Name === limit.Name))),
  );
}

function checkLabels(expected: Record<string, string>, actual: unknown): Finding[] {
  const given = isRecord(actual) ? actual : {};
  return Object.entries(expected).flatMap(([name, value]) => compare(`Labels.${name}`, 'engine', value, given[name]));
}

function checkEnv(expected: readonly string[], actual: unknown): Finding[] {
  const given = Array.isArray(actual) ? actual.map(String) : [];
  return [
    ...expected
      .filter((entry) => !given.includes(entry))
      .flatMap((entry) => compare('Env', 'engine', entry, undefined)),
    ...given
      .filter((entry) => DANGEROUS_ENV.test(entry))
      .flatMap((entry) => compare('Env', 'engine', undefined, entry.slice(0, entry.indexOf('=')))),
  ];
}

/** Anything that the engine or its configuration added to the container. */
function unasked(wanted: object, actual: Record<string, unknown>): Finding[] {
  return Object.entries(actual).flatMap(([field, value]) => {
    if (field in wanted || isEmpty(value)) return [];
    const usual = ENGINE_DEFAULTS[field]?.some((known) => JSON.stringify(known) === JSON.stringify(value));
    return usual ? [] : compare(field, 'engine', undefined, value);
  });
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
