/** Cities and countries by which people look for a time zone: few know that Osaka keeps the time of `Asia/Tokyo`. Pure. */
import { rawTimeZones } from '@vvo/tzdb';

interface Places {
  country: string;
  /** Largest first. */
  cities: readonly string[];
}

/** Spelling in which names of places are compared: without case, accents, spaces and underscores. */
const placeKey = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s_'’.-]+/g, '');

const placesByZone = new Map<string, Places>();
/** Zones by city; null where cities of one name keep different times. */
const zoneByCity = new Map<string, string | null>();
for (const { name, group, countryName, mainCities } of rawTimeZones) {
  const places: Places = { country: countryName, cities: mainCities };
  for (const zone of [name, ...group]) placesByZone.set(zone, places);
  for (const city of new Set([...mainCities, ...group.map((zone) => zone.split('/').at(-1) ?? zone)].map(placeKey))) {
    const known = zoneByCity.get(city);
    zoneByCity.set(city, known === undefined || known === name ? name : null);
  }
}

/** The cities and the country of a zone, for reading and for searching; undefined for a zone of no place, such as UTC. */
export function placesOfZone(zone: string): string | undefined {
  const places = placesByZone.get(zone);
  return places && `${places.cities.join(', ')} (${places.country})`;
}

/** The zone of a city; undefined for an unknown city, and for a name that cities in several zones have. */
export const zoneOfCity = (city: string): string | undefined => zoneByCity.get(placeKey(city)) ?? undefined;

/** Tells whether a typed text names the zone, one of its cities or its country, in whole or in part. */
export function isZoneOf(zone: string, typed: string): boolean {
  const key = placeKey(typed).replaceAll('/', '');
  return placeKey(`${zone} ${placesOfZone(zone) ?? ''}`)
    .replaceAll('/', '')
    .includes(key);
}
