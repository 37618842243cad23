const SECRET_NAME = /auth|key|token|secret|password|cookie|credential/i;
const SCHEME = /^(Bearer|Basic|Token)$/i;

/**
 * The secrets among headers, without the scheme in front of them. Others, such as a title, are ordinary text, which must not be
 * taken out where it turns up.
 */
export function secretHeaders(headers: Readonly<Record<string, string | null>> | undefined): string[] {
  return Object.entries(headers ?? {})
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([, value]) => value?.split(/\s+/) ?? [])
    .filter((part) => part !== '' && !SCHEME.test(part));
}
