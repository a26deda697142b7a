/** Which sensors a subject wears, where, and how they are set. */
import { useState } from 'react';
import { useWords } from '../../../../shared/i18n/i18n.ts';
import { Button } from '../../../../shared/kit/controls.tsx';
import { Select } from '../../../../shared/kit/forms.tsx';
import { Empty, Notice } from '../../../../shared/kit/state.tsx';
import styles from '../builder.module.css';
import type { DeviceConfig, Locks } from '../draft.ts';
import { Body } from './body.tsx';
import {
  newConfig,
  PAIRED_SIDES,
  PLACES,
  PRESET_IDS,
  type PresetId,
  presetOf,
  withPlace,
  withPreset,
} from './places.ts';
import { SensorDetails } from './sensor-details.tsx';

type PlaceId = (typeof PLACES)[number]['id'];
const placeOf = (location: string) => PLACES.find((place) => place.id === location);
const isPaired = (location: string) => {
  const place = placeOf(location);
  return place !== undefined && 'isPaired' in place;
};

/** Returns a function that names where a sensor is worn; an unknown place keeps its code. */
function useSensorPlaceName(): (config: DeviceConfig) => string {
  const { t } = useWords();
  return ({ physicalConfig: { location } }) =>
    placeOf(location) ? t(`builder.places.${location as PlaceId}`) : location;
}

function SensorForm({
  config,
  configs,
  locks,
  isReadOnly,
  onChange,
  onRemove,
}: {
  config: DeviceConfig;
  /** All sensors of the study, to warn of two at the same place. */
  configs: readonly DeviceConfig[];
  locks: Locks;
  isReadOnly: boolean;
  onChange: (config: DeviceConfig) => void;
  onRemove: () => void;
}) {
  const { t } = useWords();
  const nameOf = useSensorPlaceName();
  const { location, side } = config.physicalConfig;
  const isLocked = locks.ids.has(config.id);
  const choose = (next: string) =>
    onChange(withPlace(config, next, isPaired(next) ? (isPaired(location) ? side : 'ANY') : 'NONE'));
  const isDoubled = configs.some(
    (one) => one !== config && one.physicalConfig.location === location && one.physicalConfig.side === side,
  );
  const preset = presetOf(config);
  return (
    <div className={styles.sensor}>
      <Body location={location} side={side} isDisabled={isReadOnly} onChoose={choose} />
      <div className={styles.form}>
        {isDoubled && <Notice tone="warn">{t('builder.samePlace')}</Notice>}
        <Select
          label={t('builder.place')}
          value={location}
          isDisabled={isReadOnly}
          options={[
            ...PLACES.map(({ id }) => ({ id: id as string, label: t(`builder.places.${id}`) })),
            ...(placeOf(location) ? [] : [{ id: location, label: location }]),
          ]}
          onChange={choose}
        />
        {isPaired(location) && (
          <Select
            label={t('builder.side')}
            value={side}
            isDisabled={isReadOnly}
            help={t('builder.sideHelp')}
            options={PAIRED_SIDES.map((id) => ({ id: id as string, label: t(`builder.sides.${id}`) }))}
            onChange={(next) => onChange({ ...config, physicalConfig: { ...config.physicalConfig, side: next } })}
          />
        )}
        <Select
          label={t('builder.settings')}
          value={preset ?? 'own'}
          isDisabled={isReadOnly}
          help={preset ? t(`builder.presetHelp.${preset}`) : t('builder.customSettingsHelp')}
          options={[
            ...PRESET_IDS.map((id) => ({ id: id as PresetId | 'own', label: t(`builder.presets.${id}`) })),
            ...(preset ? [] : [{ id: 'own' as const, label: t('builder.customSettings') }]),
          ]}
          onChange={(next) => next !== 'own' && onChange(withPreset(config, next))}
        />
        <SensorDetails
          key={config.id}
          config={config}
          isOpen={preset === undefined}
          isDisabled={isReadOnly}
          onChange={onChange}
        />
        {!isReadOnly &&
          (isLocked ? (
            <small>{t('builder.lockedSensor')}</small>
          ) : (
            <div>
              <Button kind="quiet" icon="trash" onPress={onRemove}>
                {t('builder.remove', { name: nameOf(config) })}
              </Button>
            </div>
          ))}
      </div>
    </div>
  );
}

export function SensorsEditor({
  configs,
  locks,
  isReadOnly,
  onChange,
}: {
  configs: readonly DeviceConfig[];
  locks: Locks;
  isReadOnly: boolean;
  onChange: (configs: DeviceConfig[]) => void;
}) {
  const { t } = useWords();
  const [chosen, setChosen] = useState<string>();
  const index = Math.max(
    0,
    configs.findIndex(({ id }) => id === chosen),
  );
  const config = configs[index];
  const nameOf = useSensorPlaceName();
  const add = !isReadOnly && (
    <Button
      icon="plus"
      onPress={() => {
        const fresh = newConfig(configs);
        onChange([...configs, fresh]);
        setChosen(fresh.id);
      }}
    >
      {t('builder.add.sensors')}
    </Button>
  );
  if (!config) {
    return (
      <Empty icon="network" title={t('builder.emptyTitle.sensors')} help={t('builder.emptyHelp.sensors')}>
        {add}
      </Empty>
    );
  }
  return (
    <div className={styles.split}>
      <div className={styles.list}>
        <ul aria-label={t('builder.parts.sensors')}>
          {configs.map((one) => (
            <li key={one.id}>
              <button type="button" aria-pressed={one === config} onClick={() => setChosen(one.id)}>
                {nameOf(one)}
                <small>
                  {one.physicalConfig.side !== 'NONE' &&
                    t(`builder.sides.${one.physicalConfig.side as (typeof PAIRED_SIDES)[number]}`)}
                </small>
              </button>
            </li>
          ))}
        </ul>
        {add}
      </div>
      <SensorForm
        config={config}
        configs={configs}
        locks={locks}
        isReadOnly={isReadOnly}
        onChange={(next) => onChange(configs.with(index, next))}
        onRemove={() => onChange(configs.toSpliced(index, 1))}
      />
    </div>
  );
}
