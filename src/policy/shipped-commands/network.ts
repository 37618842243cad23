import type { CommandRule } from '../../protocol/policy.ts';

const noNetwork = 'The sandbox has no network, so it would fail here; ask for what is needed instead.';
const backDoor = 'It gives somebody else a shell here. The sandbox has no network, so it would fail; no task needs it.';

/** Ways out to other machines. */
export const NETWORK_RULES: readonly CommandRule[] = [
  {
    id: 'remote-shell',
    verdict: 'ask',
    reason: noNetwork,
    programs: [
      'ssh',
      'scp',
      'sftp',
      'slogin',
      'rsh',
      'rlogin',
      'mosh',
      'sshfs',
      'sshpass',
      'autossh',
      'ssh-copy-id',
      'telnet',
    ],
    without: ['-V'],
  },
  {
    id: 'remote-copy',
    verdict: 'ask',
    reason: noNetwork,
    programs: ['rsync', 'rclone'],
    operands: ['*:**', 'rsync://**'],
    except: ['./**', '/**'],
  },
  {
    id: 'back-door',
    verdict: 'deny',
    reason: backDoor,
    programs: ['nc', 'ncat', 'netcat'],
    options: ['-e|-c|--exec|--sh-exec|--lua-exec'],
  },
  {
    id: 'back-door-relay',
    verdict: 'deny',
    reason: backDoor,
    programs: ['socat'],
    operands: ['exec', 'Exec', 'EXEC', 'system', 'System', 'SYSTEM', 'shell', 'SHELL'].map((name) => `**${name}:**`),
  },
  {
    id: 'back-door-device',
    verdict: 'deny',
    reason: backDoor,
    paths: ['/dev/tcp/**', '/dev/udp/**'],
    except: ['/dev/tcp/localhost/*', '/dev/tcp/127.0.0.1/*', '/dev/tcp/::1/*'],
  },
  {
    id: 'back-door-script',
    verdict: 'deny',
    reason: backDoor,
    programs: ['python*', 'perl', 'ruby', 'php', 'node', 'lua*', 'awk', 'gawk'],
    text: '(?s)(socket|/inet/tcp).*(dup2|/bin/(ba|da)?sh|pty\\.spawn|exec\\()',
  },
  {
    id: 'raw-connection',
    verdict: 'ask',
    reason: noNetwork,
    programs: ['nc', 'ncat', 'netcat', 'socat'],
    without: ['-z|-h|--help|-V|--version'],
  },
  {
    id: 'send-environment',
    verdict: 'deny',
    reason: 'It would send the environment of this process away.',
    programs: ['curl', 'wget', 'nc', 'ncat', 'netcat', 'socat', 'http'],
    fedBy: ['env', 'printenv', 'set', 'export', 'declare'],
  },
  {
    id: 'tunnel',
    verdict: 'ask',
    reason: noNetwork,
    programs: ['ngrok', 'cloudflared', 'localtunnel', 'lt', 'tailscale', 'wg', 'openvpn', 'chisel', 'frpc'],
  },
];
