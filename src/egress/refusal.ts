import { STATUS_CODES } from 'node:http';

/** Why an attempt is refused or fails. Stable: they stand in the ledger and in records. */
export type EgressCode =
  | 'not_allowed' // no rule names this host and port
  | 'address' // every address of the name is special, private or this machine's
  | 'no_address' // the name does not resolve
  | 'host' // no host and port that could be understood
  | 'form' // not a request to a proxy
  | 'scheme' // an absolute address that is not http
  | 'upgrade' // a change of protocol outside of a tunnel
  | 'framing' // a body of unknown length
  | 'protocol' // not HTTP/1.1
  | 'header_size'
  | 'header_timeout'
  | 'busy' // too many connections at once
  | 'bytes' // the run has moved as much as it may
  | 'unreachable' // allowed, and nobody answered
  | 'revoked'; // the run has ended

const STATUS: Readonly<Record<EgressCode, number>> = {
  not_allowed: 403,
  address: 403,
  no_address: 502,
  host: 400,
  form: 400,
  scheme: 400,
  upgrade: 426,
  framing: 400,
  protocol: 400,
  header_size: 431,
  header_timeout: 408,
  busy: 503,
  bytes: 403,
  unreachable: 502,
  revoked: 403,
};

/** An attempt that is answered with a refusal. The message is ours; a host in it has been checked. */
export class EgressRefusal extends Error {
  override readonly name = 'EgressRefusal';
  readonly code: EgressCode;
  /** What refused it, for the ledger. */
  readonly rule: string;

  constructor(code: EgressCode, message: string, rule: string = code) {
    super(message);
    this.code = code;
    this.rule = rule;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

/**
 * The whole answer to a refused attempt. Most clients show nothing of the body of a failed CONNECT, some show its status
 * line: the reason stands in both.
 */
export function refusalAnswer(refusal: EgressRefusal): string {
  const { status, code, message } = refusal;
  const body = `pi-sandbox: ${message}\n`;
  const reason = `${STATUS_CODES[status]} (pi-sandbox: ${message.replaceAll(/[^\x20-\x7e]/g, '?')})`;
  const upgrade = status === 426 ? 'Upgrade: TLS/1.2\r\n' : '';
  return (
    `HTTP/1.1 ${status} ${reason}\r\nX-Pi-Sandbox: ${code}\r\n${upgrade}Connection: close\r\n` +
    `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
