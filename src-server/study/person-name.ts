/** Scripts in which the family name comes first, independent of the language of the page. */
const FAMILY_FIRST = /^[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}]+$/u;

/** Returns a person's full name in the order of its own script: 佐藤 花子, Dana Whitfield. */
export function personName({ firstName, lastName }: { firstName: string; lastName: string }): string {
  const isFamilyFirst = FAMILY_FIRST.test((firstName + lastName).replaceAll(/\s/g, ''));
  return (isFamilyFirst ? [lastName, firstName] : [firstName, lastName]).filter(Boolean).join(' ');
}
