/**
 * Bundles the command line into dist/cli, so that it starts in a third of the time: hundreds of small files become a
 * few, loaded only by the commands that need them. The library in dist/src stays unbundled.
 */
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Parts of dockerode that load large libraries and that the command line never reaches: BuildKit (gRPC, protobuf) and
 * engines behind ssh://, which the endpoint search refuses by name.
 */
const unreachable = {
  name: 'unreachable-parts',
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\/(session|ssh|buildkit)$/ }, ({ path, importer }) =>
      /node_modules\/(dockerode|docker-modem)\//.test(importer) ? { path, namespace: 'unreachable' } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'unreachable' }, ({ path }) => ({
      contents: `module.exports = () => { throw new Error('${path} is not part of this build'); };`,
    }));
  },
};

/**
 * An import of node:http as an ES module reads all of its exports, and some of them make Node load its whole fetch
 * implementation, which costs a tenth of the start. As CommonJS it is loaded when it is used.
 */
const plainHttp = {
  name: 'plain-http',
  setup(bundler) {
    bundler.onResolve({ filter: /^(node:)?http$/ }, () => ({ path: 'node:http', namespace: 'plain-http' }));
    bundler.onLoad({ filter: /.*/, namespace: 'plain-http' }, () => ({
      contents: `module.exports = process.getBuiltinModule('node:http');`,
    }));
  },
};

/**
 * Parts of Node that the Docker client asks for at once and uses for engines behind TLS and for packed archives only. Node
 * compiles them when they are loaded, so that waits for their first use.
 */
const lazyParts = {
  name: 'lazy-parts',
  setup(bundler) {
    bundler.onResolve({ filter: /^(https|zlib)$/ }, ({ path, importer }) =>
      /node_modules\/(dockerode|docker-modem)\//.test(importer) ? { path, namespace: 'lazy-parts' } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'lazy-parts' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => process.getBuiltinModule('node:${path}')[name] });`,
    }));
  },
};

/** Bundles src/cli/main.ts below the product's root into a folder. */
export async function bundleCli(root, outdir) {
  await build({
    entryPoints: [join(root, 'src/cli/main.ts')],
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    plugins: [unreachable, plainHttp, lazyParts],
    // CommonJS packages inside an ES module bundle still ask for this.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    legalComments: 'linked',
    logLevel: 'warning',
  });
}
