/** What a report says of its own worth. The same words stand in README and docs/security.md, which a test looks at. */
export const BOUNDARY =
  'The container is the boundary; policy, guard, questions and a look at the changes only lower the odds.';
