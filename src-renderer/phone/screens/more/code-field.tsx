/** A code of digits, hidden while it is typed. */
import { useId } from 'react';
import styles from './more.module.css';

export const CODE_LENGTHS = { least: 4, most: 8 } as const;

export function CodeField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className={styles.code}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="password"
        inputMode="numeric"
        autoComplete="off"
        maxLength={CODE_LENGTHS.most}
        value={value}
        onChange={(event) => onChange(event.target.value.normalize('NFKC').replace(/\D/g, ''))}
      />
    </div>
  );
}
