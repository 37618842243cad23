/** `^1.2.3`, `>=1 <2 || 3.x`, `latest`, `*`, nothing: whatever the registry has under the name. */
const FROM_REGISTRY = /^[\w\s.^~<>=|*+,!&@-]*$/;
/** Of the above, what npm takes for a folder or an archive. */
const FROM_DISK = /^\.{1,2}$|^~|\.(?:tgz|tar|tar\.gz)$/i;

/**
 * Where a package comes from according to its version in a manifest: `` for the registry, else the address or the other
 * name without the version. What is no text is spelled out, so that each change of it counts.
 */
export function sourceOf(spec: unknown): string {
  if (typeof spec !== 'string') return JSON.stringify(spec) ?? '';
  const text = spec.trim();
  if (FROM_REGISTRY.test(text) && (!FROM_DISK.test(text) || /^~[\d\s]/.test(text))) return '';
  const protocol = /^(npm|jsr|workspace|catalog):/.exec(text)?.[0];
  if (protocol === undefined) return text.replace(/#.*$/s, '');
  const rest = text.slice(protocol.length);
  if (protocol === 'npm:' && /^[\d^~<>=*]/.test(rest) && FROM_REGISTRY.test(rest)) return '';
  // Packages inside this tree, and versions that are kept in another file of it.
  if (protocol === 'workspace:' || protocol === 'catalog:') return protocol;
  const at = rest.indexOf('@', 1);
  return protocol + (at < 0 ? rest : rest.slice(0, at));
}
