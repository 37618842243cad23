/** A fault of a container runtime that matters to a sandbox, with the first releases that do not have it. */
export interface Advisory {
  readonly ids: readonly string[];
  /** One release per maintained line, oldest first. Every later line has the fix. */
  readonly fixedIn: readonly string[];
  /** What an attacker needs, and why runs of this product do not offer it. */
  readonly needs: string;
}

export const RUNC_ADVISORIES: readonly Advisory[] = [
  {
    ids: ['CVE-2019-5736', 'CVE-2021-30465', 'CVE-2022-29162', 'CVE-2023-25809', 'CVE-2023-27561', 'CVE-2023-28642'],
    fixedIn: ['1.1.5'],
    needs: 'a hostile image, or a process that joins a container whose files are hostile',
  },
  {
    ids: ['CVE-2024-21626'],
    fixedIn: ['1.1.12'],
    needs: 'a working folder that the attacker chose; ours are fixed',
  },
  {
    ids: ['CVE-2024-45310'],
    fixedIn: ['1.1.14'],
    needs: 'a hostile image or volumes shared between containers; runs have neither',
  },
  {
    ids: ['CVE-2025-31133', 'CVE-2025-52565', 'CVE-2025-52881'],
    fixedIn: ['1.2.8', '1.3.3'],
    needs:
      'a hostile image, a terminal or a race of mounts; runs use a trusted image, no terminal and no shared volume',
  },
  {
    ids: ['CVE-2026-41579'],
    fixedIn: ['1.3.6', '1.4.3'],
    needs: 'a hostile image or a race of mounts; runs use a trusted image and no shared volume',
  },
];

/** `1.1.5+ds1-1` or `v1.1.12-0-g51d5e94` to numbers; undefined for a bare commit. */
export function parseVersion(text: string): readonly [number, number, number] | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}

/** Advisories whose fix a release of that number does not have. Packages of distributions may have it all the same. */
export function openAdvisories(version: string, advisories: readonly Advisory[]): Advisory[] {
  const have = parseVersion(version);
  if (have === undefined) return [];
  return advisories.filter(({ fixedIn }) => !isFixed(have, fixedIn));
}

function isFixed(have: readonly [number, number, number], fixedIn: readonly string[]): boolean {
  const fixes = fixedIn.flatMap((text) => parseVersion(text) ?? []);
  const lines = Array.from({ length: fixes.length / 3 }, (_, at) => fixes.slice(3 * at, 3 * at + 3));
  const same = lines.find(([major, minor]) => major === have[0] && minor === have[1]);
  if (same !== undefined) return have[2] >= (same[2] ?? 0);
  const [major = 0, minor = 0] = lines.at(-1) ?? [];
  return have[0] > major || (have[0] === major && have[1] > minor);
}
