/** What a package manager does with the keys of its manifest. A key that is in neither list may run code. */
export interface ManifestKeys {
  /** Keys that say something about the package, or where its parts are, and start nothing. */
  readonly harmless: ReadonlySet<string>;
  /** Keys, or keys below them, with packages by name and where each comes from. */
  readonly dependencies: readonly (readonly string[])[];
  /** Keys whose members run something only while they are there: to remove one is no risk. */
  readonly removable: ReadonlySet<string>;
  /** Names among the dependencies that stand for the platform. */
  readonly platform: RegExp;
}

export const PACKAGE_KEYS: ManifestKeys = {
  harmless: new Set([
    'name',
    'version',
    'private',
    'description',
    'keywords',
    'license',
    'licenses',
    'author',
    'authors',
    'contributors',
    'maintainers',
    'homepage',
    'repository',
    'bugs',
    'funding',
    'readme',
    'icon',
    'displayName',
    'publisher',
    'categories',
    'type',
    'main',
    'module',
    'browser',
    'types',
    'typings',
    'typesVersions',
    'exports',
    'imports',
    'unpkg',
    'jsdelivr',
    'files',
    'man',
    'sideEffects',
    'engines',
    'engineStrict',
    'os',
    'cpu',
    'libc',
    'browserslist',
    'peerDependenciesMeta',
    'bundleDependencies',
    'bundledDependencies',
    '$schema',
  ]),
  dependencies: [
    ['dependencies'],
    ['devDependencies'],
    ['optionalDependencies'],
    ['peerDependencies'],
    ['overrides'],
    ['resolutions'],
    ['pnpm', 'overrides'],
    ['catalog'],
    ['workspaces', 'catalog'],
  ],
  removable: new Set(['scripts', 'bin']),
  platform: /^$/,
};

export const COMPOSER_KEYS: ManifestKeys = {
  harmless: new Set([
    'name',
    'version',
    'description',
    'type',
    'keywords',
    'homepage',
    'readme',
    'time',
    'license',
    'authors',
    'support',
    'funding',
    'autoload',
    'autoload-dev',
    'minimum-stability',
    'prefer-stable',
    'suggest',
    'conflict',
    'archive',
    'abandoned',
    'scripts-descriptions',
    '$schema',
  ]),
  dependencies: [['require'], ['require-dev']],
  removable: new Set(['scripts', 'bin']),
  platform: /^(php(-\w+)?|(ext|lib)-[^/]*|composer(-[a-z-]+)?)$/,
};
