/** Header lines of the tables in which subjects and equipment are described, as the desk offers them as templates. */

/** Everything that a study knows of a subject. */
export const subjectTableHeader = (fields: readonly { displayName: string }[]): string[] => [
  // A field of the study may be called so.
  fields.some(({ displayName }) => displayName.trim().toLowerCase() === 'name') ? 'subject' : 'name',
  'time zone',
  'age',
  'gender',
  'height (cm)',
  'weight (kg)',
  'dominant hand',
  ...fields.map(({ displayName }) => displayName),
];

export const EQUIPMENT_TABLE_HEADER: readonly string[] = ['serial number', 'type', 'name', 'address'];
