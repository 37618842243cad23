const SEPARATOR = '-';

/** Turns a headline into a slug: lower case, no accents, words joined by a hyphen. */
export function slugify(headline, { maxLength = 80 } = {}) {
  const words = headline
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  return shorten(words.join(SEPARATOR), maxLength);
}

function shorten(slug, maxLength) {
  if (slug.length <= maxLength) return slug;
  const cut = slug.lastIndexOf(SEPARATOR, maxLength);
  return slug.slice(0, cut > 0 ? cut : maxLength);
}
