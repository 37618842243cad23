/** Shortest form that is looked for; shorter ones would match ordinary text. */
export const MIN_FORM = 8;

/**
 * A secret as it may turn up in text: as it is, as a part of a JSON string, percent-encoded, in hex, and in base64
 * wherever it begins. Not covered: what a program makes of it on purpose (reversed, cut in pieces, packed, encrypted).
 */
export function secretForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const percent = encodeURIComponent(secret);
  const hex = bytes.toString('hex');
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    percent.replaceAll('%20', '+'),
    hex,
    hex.toUpperCase(),
    hex.replaceAll(/../g, '%$&'),
    hex.toUpperCase().replaceAll(/../g, '%$&'),
    ...[0, 1, 2].flatMap((offset) => base64At(bytes, offset)),
  ];
  return [...new Set(forms)].filter((form) => form.length >= MIN_FORM);
}

/** Base64 of the secret when `offset` bytes stand before it, without the characters that depend on its neighbours. */
function base64At(bytes: Buffer, offset: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const stable = padded.toString('base64url').slice(offset === 0 ? 0 : offset + 1, Math.floor((padded.length * 8) / 6));
  return [stable, stable.replaceAll('-', '+').replaceAll('_', '/')];
}
