/** Every setting of a sensor, for configurations that no preset covers. */
import { useWords } from '../../../../shared/i18n/i18n.ts';
import { Checkbox, Select } from '../../../../shared/kit/forms.tsx';
import styles from '../builder.module.css';
import type { DeviceConfig } from '../draft.ts';
import { NumberField } from '../number-field.tsx';
import {
  ACCEL_RANGES_G,
  GYRO_RANGES_DPS,
  LIMITS,
  MODES,
  SIGNALS,
  withAfe,
  withElectrodes,
  withGyro,
  withMotion,
} from './sensor-settings.ts';

/** Offers the usual values, and the current one where it is not among them. */
function RangeSelect({
  label,
  value,
  values,
  unit,
  isDisabled,
  onChange,
}: {
  label: string;
  value: number | undefined;
  values: readonly number[];
  unit: 'builder.g' | 'builder.degreesPerSecond';
  isDisabled: boolean;
  onChange: (value: number) => void;
}) {
  const { t, format } = useWords();
  const all = value === undefined || values.includes(value) ? values : [...values, value];
  return (
    <Select
      label={label}
      value={String(value ?? '')}
      isDisabled={isDisabled}
      options={all.map((one) => ({ id: String(one), label: t(unit, { value: format.number(one) }) }))}
      onChange={(next) => onChange(Number(next))}
    />
  );
}

interface SettingsProps {
  config: DeviceConfig;
  isDisabled: boolean;
  onChange: (config: DeviceConfig) => void;
}

/** What the electrodes measure, how often and with which gain. */
function ElectrodeSettings({
  config,
  afe,
  isDisabled,
  onChange,
}: SettingsProps & { afe: NonNullable<DeviceConfig['sensorConfig']['afe']> }) {
  const { t } = useWords();
  const signal = config.physicalConfig.signal ?? 'ECG';
  return (
    <>
      <Select
        label={t('builder.signal')}
        value={signal}
        isDisabled={isDisabled}
        options={[...new Set<string>([...SIGNALS, signal])].map((id) => ({ id, label: id }))}
        onChange={(next) => onChange(withElectrodes(config, next))}
      />
      <div className={styles.pair}>
        <NumberField
          label={t('builder.rateHz')}
          value={afe.rate}
          limits={LIMITS.rateHz}
          isDisabled={isDisabled}
          onChange={(rate) => onChange(withAfe(config, { rate }))}
        />
        <NumberField
          label={t('builder.gain')}
          value={afe.gain}
          limits={LIMITS.gain}
          isDisabled={isDisabled}
          onChange={(gain) => onChange(withAfe(config, { gain }))}
        />
      </div>
    </>
  );
}

/** The motion sensor: acceleration alone or with rotation, how often, in which range. */
function MotionSettings({
  config,
  gyro,
  isDisabled,
  onChange,
}: SettingsProps & { gyro: NonNullable<DeviceConfig['sensorConfig']['gyro']> }) {
  const { t, format } = useWords();
  const mode = gyro.mode ?? 'ACCEL';
  return (
    <>
      <Select
        label={t('builder.mode')}
        value={mode}
        isDisabled={isDisabled}
        options={[...new Set<string>([...MODES, mode])].map((id) => ({
          id,
          label: id === 'ACCEL' || id === 'ACCEL_GYRO' ? t(`builder.modes.${id}`) : id,
        }))}
        onChange={(next) => onChange(withGyro(config, { mode: next }))}
      />
      <div className={styles.pair}>
        <NumberField
          label={t('builder.periodMs')}
          value={gyro.periodMs}
          limits={LIMITS.periodMs}
          isDisabled={isDisabled}
          help={
            gyro.periodMs === undefined
              ? undefined
              : t('builder.periodHelp', { value: format.number(1000 / gyro.periodMs, 2) })
          }
          onChange={(periodMs) => onChange(withGyro(config, { periodMs }))}
        />
        <RangeSelect
          label={t('builder.accelRange')}
          value={gyro.accelRange}
          values={ACCEL_RANGES_G}
          unit="builder.g"
          isDisabled={isDisabled}
          onChange={(accelRange) => onChange(withGyro(config, { accelRange }))}
        />
      </div>
      {mode === 'ACCEL_GYRO' && (
        <RangeSelect
          label={t('builder.gyroRange')}
          value={Number(gyro.gyroRange) || undefined}
          values={GYRO_RANGES_DPS}
          unit="builder.degreesPerSecond"
          isDisabled={isDisabled}
          onChange={(gyroRange) => onChange(withGyro(config, { gyroRange }))}
        />
      )}
      <Checkbox
        label={t('builder.lowPower')}
        help={t('builder.lowPowerHelp')}
        isSelected={gyro.accelLowPower === true}
        isDisabled={isDisabled}
        onChange={(accelLowPower) => onChange(withGyro(config, { accelLowPower }))}
      />
    </>
  );
}

export function SensorDetails({ config, isOpen, isDisabled, onChange }: SettingsProps & { isOpen: boolean }) {
  const { t } = useWords();
  const { afe, gyro } = config.sensorConfig;
  return (
    <details className={styles.details} open={isOpen}>
      <summary>{t('builder.details')}</summary>
      <div>
        <Checkbox
          label={t('builder.electrodes')}
          isSelected={afe !== undefined}
          isDisabled={isDisabled || gyro === undefined}
          onChange={(isOn) => onChange(withElectrodes(config, isOn ? 'ECG' : undefined))}
        />
        {afe && <ElectrodeSettings config={config} afe={afe} isDisabled={isDisabled} onChange={onChange} />}
        <Checkbox
          label={t('builder.motion')}
          isSelected={gyro !== undefined}
          isDisabled={isDisabled || afe === undefined}
          onChange={(isOn) => onChange(withMotion(config, isOn))}
        />
        {gyro && <MotionSettings config={config} gyro={gyro} isDisabled={isDisabled} onChange={onChange} />}
      </div>
    </details>
  );
}
