import { expect, it } from 'vitest';
import { isZoneOf, placesOfZone, zoneOfCity } from './zone-places.ts';
import { isTimeZone, OFFERED_ZONES } from './zones.ts';

it.each([
  ['Osaka', 'Asia/Tokyo'],
  ['OSAKA ', 'Asia/Tokyo'],
  ['São Paulo', 'America/Sao_Paulo'],
  ['sao paulo', 'America/Sao_Paulo'],
  ['New York City', 'America/New_York'],
  ['new york', 'America/New_York'],
  ['Nowhere', undefined],
  ['', undefined],
])('knows the zone of %s', (city, zone) => {
  expect(zoneOfCity(city)).toBe(zone);
});

it('only knows zones that the site accepts', () => {
  for (const city of ['Tokyo', 'Berlin', 'Nairobi', 'Kathmandu', 'Auckland', 'Lima'])
    expect(isTimeZone(zoneOfCity(city) ?? '')).toBe(true);
});

it.each([
  ['Asia/Tokyo', 'japan', true],
  ['Asia/Tokyo', 'yokohama', true],
  ['Asia/Tokyo', 'asia tok', true],
  ['US/Eastern', 'us east', true],
  ['US/Eastern', 'toronto', false],
  ['UTC', 'utc', true],
  ['Etc/GMT+8', 'tokyo', false],
])('finds %s by %s: %s', (zone, typed, expected) => {
  expect(isZoneOf(zone, typed)).toBe(expected);
});

it('names the places of zones that have any', () => {
  expect(placesOfZone('Asia/Tokyo')).toBe('Tokyo, Yokohama, Osaka, Nagoya (Japan)');
  expect(placesOfZone('UTC')).toBeUndefined();
  expect(OFFERED_ZONES.filter((zone) => !zone.startsWith('Etc/') && placesOfZone(zone) === undefined)).toEqual([]);
});
