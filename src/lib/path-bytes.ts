const SLASH = Buffer.from('/');

/** Joins byte-exact path parts with `/`; an empty part adds nothing. */
export function joinPath(folder: Buffer, name: Buffer): Buffer {
  if (folder.length === 0) return name;
  return name.length === 0 ? folder : Buffer.concat([folder, SLASH, name]);
}

/**
 * A path for people and for JSON: control and format characters, the backslash and bytes that are not UTF-8 are
 * escaped as `\xNN`, byte by byte, so that the text is safe on a terminal and names exactly one path.
 */
export function showPath(path: Buffer): string {
  const shown = path.toString('utf8');
  if (!Buffer.from(shown, 'utf8').equals(path)) return escapeBytes(path);
  return shown.replace(/[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu, (char) => escapeBytes(Buffer.from(char), true));
}

/** The bytes that `showPath` shows. */
export function parsePath(shown: string): Buffer {
  const parts = shown.split(/\\x([0-9a-f]{2})/);
  // Split puts the captured digits at odd places.
  return Buffer.concat(parts.map((part, index) => Buffer.from(part, index % 2 === 0 ? 'utf8' : 'hex')));
}

function escapeBytes(bytes: Buffer, all = false): string {
  let text = '';
  for (const byte of bytes) {
    const plain = !all && byte >= 0x20 && byte < 0x7f && byte !== 0x5c;
    text += plain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return text;
}
