/** Time zone field: lists the zones that the site offers first, and accepts any name of the IANA database. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import {
  Button as AriaButton,
  Collection,
  ComboBox,
  FieldError,
  Header,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Popover,
  Text,
} from 'react-aria-components';
import { fold } from '../../../src-server/vocabulary/search.ts';
import { timeZonesQuery } from '../api/study-queries.ts';
import { useWords } from '../i18n/i18n.ts';
import styles from './controls.module.css';
import { Icon } from './icon.tsx';

export function isZoneName(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

/** `us/east` and `us east` find `US/Eastern`. */
const zoneKey = (name: string) => fold(name).replace(/[\s_]+/g, '/');

/** Cities and countries of zones, which load with the first form that has a zone. */
const placesQuery = queryOptions({
  queryKey: ['zone-places'],
  queryFn: () => import('../../../src-server/study/zone-places.ts'),
  staleTime: Number.POSITIVE_INFINITY,
});

export function ZoneField({
  label,
  help,
  error,
  value,
  onChange,
}: {
  label: string;
  help?: string;
  error?: string;
  value: string;
  onChange: (zone: string) => void;
}) {
  const { t, format } = useWords();
  const offered = useQuery(timeZonesQuery()).data?.items;
  const places = useQuery(placesQuery).data;
  const sections = useMemo(() => {
    const first = offered ?? [];
    const known = new Set(first);
    const others = ['UTC', ...Intl.supportedValuesOf('timeZone')].filter((name) => !known.has(name));
    return [
      { id: 'offered', title: t('zones.common'), zones: first.map((id) => ({ id })) },
      { id: 'others', title: t('zones.others'), zones: others.map((id) => ({ id })) },
    ].filter((section) => section.zones.length > 0);
  }, [offered, t]);
  return (
    <ComboBox
      className={styles.field}
      allowsCustomValue
      isInvalid={error !== undefined}
      inputValue={value}
      onInputChange={onChange}
      onSelectionChange={(key) => key !== null && onChange(String(key))}
      defaultItems={sections}
      defaultFilter={(zone, typed) => zoneKey(zone).includes(zoneKey(typed)) || places?.isZoneOf(zone, typed) === true}
    >
      <Label className={styles.label}>{label}</Label>
      <div className={styles.inputRow}>
        <Input className={styles.input} spellCheck={false} />
        <AriaButton className={`${styles.button} ${styles.quiet} ${styles.icon}`}>
          <Icon name="down" />
        </AriaButton>
      </div>
      <Text slot="description" className={styles.help}>
        {isZoneName(value) ? t('zones.now', { time: format.dateTime(Date.now(), value) }) : help}
      </Text>
      {error !== undefined && <FieldError className={styles.fieldError}>{error}</FieldError>}
      <Popover className={`${styles.popover} ${styles.zoneList}`} maxHeight={320}>
        <ListBox className={styles.menu} dependencies={[places]}>
          {(section: (typeof sections)[number]) => (
            <ListBoxSection id={section.id} className={styles.menuSection}>
              <Header className={styles.menuHeader}>{section.title}</Header>
              <Collection items={section.zones} dependencies={[places]}>
                {(zone) => (
                  <ListBoxItem id={zone.id} textValue={zone.id} className={styles.menuItem}>
                    <Text slot="label">{zone.id}</Text>
                    {places && (
                      <Text slot="description" className={styles.zonePlaces}>
                        {places.placesOfZone(zone.id)}
                      </Text>
                    )}
                  </ListBoxItem>
                )}
              </Collection>
            </ListBoxSection>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
