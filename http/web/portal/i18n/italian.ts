const ELIDED = { il: "l’", Il: "L’", del: "dell’", dal: "dall’", al: "all’" } as const;

/**
 * Joins an article, or a preposition with one, and a date: `il 7 nov`, but `l’8 nov` and `dall’11
 * nov`, since these numbers begin with a vowel. The first of a month is an ordinal number.
 */
export function dated(article: keyof typeof ELIDED, date: string): string {
  if (/^(?:8|11)\b/.test(date)) return ELIDED[article] + date;
  return `${article} ${date.replace(/^1(?= )/, "1º")}`;
}
