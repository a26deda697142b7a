import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import styles from '../site/site.module.css';

export interface PersonName {
  firstName: string;
  lastName: string;
}

/** The languages of mails to users. */
export const MAIL_LANGUAGES = [
  { id: 'en_US', label: 'English' },
  { id: 'ja_JP', label: '日本語' },
] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number]['id'];

const ORDER = { en: ['firstName', 'lastName'], ja: ['lastName', 'firstName'] } as const;

/** First and last name of a user, in the order that the interface language uses. */
export function NameFields({
  name,
  errorOf,
  onChange,
}: {
  name: PersonName;
  errorOf: (field: keyof PersonName) => string | undefined;
  onChange: (name: PersonName) => void;
}) {
  const { t, language } = useWords();
  return (
    <div className={styles.pair}>
      {ORDER[language].map((field) => (
        <Field
          key={field}
          label={t(`users.${field}`)}
          value={name[field]}
          onChange={(text) => onChange({ ...name, [field]: text })}
          error={errorOf(field)}
        />
      ))}
    </div>
  );
}
