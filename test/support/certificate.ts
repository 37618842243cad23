import { generateKeyPairSync, sign } from 'node:crypto';

/** A key and a certificate of its own that vouches for itself, PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;

/** For servers of these names. Made anew, so that no key lies among the files. */
export function certificateFor(...names: readonly string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = sequence(set(sequence(oid('550403'), node(0x0c, Buffer.from('pi-sandbox test')))));
  const time = (at: number) =>
    node(0x17, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const extension = (id: string, value: Buffer) => sequence(oid(id), node(0x04, value));
  const body = sequence(
    node(0xa0, integer(2)),
    integer(1),
    algorithm,
    issuer,
    sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    issuer,
    publicKey.export({ type: 'spki', format: 'der' }),
    node(
      0xa3,
      sequence(
        extension('551d13', sequence(node(0x01, Buffer.from([0xff])))),
        extension('551d11', sequence(...names.map((name) => node(0x82, Buffer.from(name))))),
      ),
    ),
  );
  const signature = sign('sha256', body, privateKey);
  const der = sequence(body, algorithm, node(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines(der), '-----END CERTIFICATE-----', ''].join('\n'),
  };
}

function lines(der: Buffer): string[] {
  return der.toString('base64').match(/.{1,64}/g) ?? [];
}

/** One value of DER: tag, length, content. */
function node(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => node(0x30, Buffer.concat(parts));
const set = (...parts: readonly Buffer[]): Buffer => node(0x31, Buffer.concat(parts));
const oid = (hex: string): Buffer => node(0x06, Buffer.from(hex, 'hex'));
const integer = (value: number): Buffer => node(0x02, Buffer.from([value]));
