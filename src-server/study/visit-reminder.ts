/** The message that reminds a subject of a visit, in the language of their phone. Pure. */

interface RemindedVisit {
  displayName: string;
  /** Local date. */
  date: string;
  /** hh:mm; absent: no time was agreed. */
  time?: string | undefined;
}

const dayIn = (date: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    Date.parse(`${date}T00:00:00Z`),
  );

/** @param language of the phone as it asks for texts, such as `ja-JP`; English for every other */
export function visitReminder({ displayName, date, time }: RemindedVisit, language?: string): string {
  if (language?.toLowerCase().startsWith('ja')) {
    return `来院のお知らせ：「${displayName}」は${dayIn(date, 'ja')}${time === undefined ? '' : ` ${time}`}です。ご都合が悪い場合は、このメッセージにご返信ください。`;
  }
  const at = time === undefined ? '' : ` at ${time}`;
  return `Reminder: your visit "${displayName}" is on ${dayIn(date, 'en-GB')}${at}. If you can't come, please answer this message.`;
}
