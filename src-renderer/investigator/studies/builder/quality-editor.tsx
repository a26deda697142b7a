/** The targets of the data-quality report, each with the publication that its default is from. */
import { useState } from 'react';
import {
  DEFAULT_QUALITY_TARGETS,
  isDefaultTargets,
  QUALITY_LIMITS,
  type QualityTargets,
} from '../../../../src-server/vocabulary/quality.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button } from '../../../shared/kit/controls.tsx';
import { Checkbox } from '../../../shared/kit/forms.tsx';
import styles from './builder.module.css';
import { NumberField } from './number-field.tsx';

/** Targets that a study may do without. */
const OPTIONAL = ['validDays', 'readablePercent', 'taskPercent'] as const;

const limitsOf = (name: keyof QualityTargets) => ({ min: QUALITY_LIMITS[name].least, max: QUALITY_LIMITS[name].most });

export function QualityEditor({
  targets = DEFAULT_QUALITY_TARGETS,
  isReadOnly,
  errorOf,
  onChange,
}: {
  targets: QualityTargets | undefined;
  isReadOnly: boolean;
  errorOf: (path: string) => string | undefined;
  onChange: (targets: QualityTargets) => void;
}) {
  const { t } = useWords();
  /** Raised by the button, so that fields forget what was typed. */
  const [resets, setResets] = useState(0);
  const fieldOf = (name: keyof QualityTargets, value: number) => (
    <NumberField
      key={`${name} ${resets}`}
      label={t(`builder.quality.${name}`)}
      value={value}
      limits={limitsOf(name)}
      isDisabled={isReadOnly}
      help={t(`builder.quality.help.${name}`)}
      error={errorOf(`qualityTargets.${name}`)}
      onChange={(next) => onChange({ ...targets, [name]: next })}
    />
  );
  return (
    <div className={styles.form}>
      <p>{t('builder.quality.intro')}</p>
      <fieldset className={styles.question} disabled={isReadOnly}>
        <legend>{t('builder.quality.title')}</legend>
        {fieldOf('wearHours', targets.wearHours)}
        {OPTIONAL.map((name) => {
          const value = targets[name];
          return (
            <div key={name} className={styles.form}>
              <Checkbox
                label={t(`builder.quality.use.${name}`)}
                isSelected={value !== null}
                isDisabled={isReadOnly}
                onChange={(isUsed) => onChange({ ...targets, [name]: isUsed ? DEFAULT_QUALITY_TARGETS[name] : null })}
              />
              {value !== null && fieldOf(name, value)}
            </div>
          );
        })}
      </fieldset>
      {!isReadOnly && (
        <div className={styles.row}>
          <Button
            isDisabled={isDefaultTargets(targets)}
            onPress={() => {
              setResets(resets + 1);
              onChange(DEFAULT_QUALITY_TARGETS);
            }}
          >
            {t('builder.quality.useDefaults')}
          </Button>
        </div>
      )}
    </div>
  );
}
