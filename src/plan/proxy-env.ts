import type { NetworkPlan } from '../protocol/network.ts';
import { EGRESS_PORT } from '../protocol/wire.ts';

const PROXY = `http://127.0.0.1:${EGRESS_PORT}`;

/** What programs inside reach without the proxy: themselves. */
const OWN_HOSTS = ['localhost', '127.0.0.1', '::1'] as const;

/**
 * Environment by which programs find the way out. For commands alone: pi would send its model calls there too. Beside
 * the names that most programs know stand those that come before a project's own settings, which name the proxy of
 * another network.
 */
export function proxyEnv({ allow }: NetworkPlan): Record<string, string> {
  const direct = OWN_HOSTS.filter((host) => !allow.some((authority) => hostOf(authority) === host)).join(',');
  return {
    HTTP_PROXY: PROXY,
    HTTPS_PROXY: PROXY,
    NO_PROXY: direct,
    // curl and others take the first one in lower case only.
    http_proxy: PROXY,
    https_proxy: PROXY,
    no_proxy: direct,
    // Node's fetch and http look at none of these otherwise.
    NODE_USE_ENV_PROXY: '1',
    npm_config_proxy: PROXY,
    npm_config_https_proxy: PROXY,
    npm_config_noproxy: direct,
    PIP_PROXY: PROXY,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.proxy',
    GIT_CONFIG_VALUE_0: PROXY,
  };
}

function hostOf(authority: string): string {
  return authority.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}
