/** A new passphrase, typed twice, with its strength in words and one to take over. */
import { useState } from 'react';
import { useWords } from '../../../../shared/i18n/i18n.ts';
import { Button, PasswordField } from '../../../../shared/kit/controls.tsx';
import { Notice } from '../../../../shared/kit/state.tsx';
import styles from './encryption.module.css';
import { type Strength, strengthOf, suggestPassphrase } from './strength.ts';

const TONES = { short: 'bad', weak: 'bad', fair: 'warn', strong: 'good' } as const satisfies Record<Strength, string>;

export interface NewPassphraseInput {
  passphrase: string;
  again: string;
}

export const isUsable = ({ passphrase, again }: NewPassphraseInput) =>
  strengthOf(passphrase) !== 'short' && passphrase === again;

export function NewPassphrase({
  label,
  value,
  onChange,
  wasTried,
}: {
  label: string;
  value: NewPassphraseInput;
  onChange: (value: NewPassphraseInput) => void;
  wasTried: boolean;
}) {
  const { t } = useWords();
  const [suggested, setSuggested] = useState<string>();
  const { passphrase, again } = value;
  const strength = strengthOf(passphrase);
  const shown = { showLabel: t('encryption.show'), hideLabel: t('encryption.hide') };
  const suggest = () => {
    const next = suggestPassphrase();
    setSuggested(next);
    onChange({ passphrase: next, again: next });
  };
  return (
    <>
      <PasswordField
        {...shown}
        label={label}
        autoComplete="new-password"
        isRequired
        value={passphrase}
        onChange={(text) => onChange({ ...value, passphrase: text })}
        help={t('encryption.passphraseHelp')}
        error={wasTried && strength === 'short' ? t('encryption.tooShort') : undefined}
      />
      <div className={styles.strength} role="status" data-tone={passphrase === '' ? undefined : TONES[strength]}>
        {passphrase === '' ? t('encryption.strength.none') : t(`encryption.strength.${strength}`)}
      </div>
      <PasswordField
        {...shown}
        label={t('encryption.again')}
        autoComplete="new-password"
        isRequired
        value={again}
        onChange={(text) => onChange({ ...value, again: text })}
        error={wasTried && again !== passphrase ? t('encryption.differs') : undefined}
      />
      <div className={styles.suggest}>
        <Button small onPress={suggest}>
          {t('encryption.suggest')}
        </Button>
        {suggested !== undefined && suggested === passphrase && (
          <output className={styles.suggested} aria-label={t('encryption.suggested')}>
            {suggested}
          </output>
        )}
      </div>
      <Notice tone="warn">{t('encryption.writeDown')}</Notice>
    </>
  );
}
