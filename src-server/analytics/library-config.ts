import { v5 as uuidv5 } from 'uuid';

/** UUID namespace of version ids (RFC 9562, version 5). */
const VERSIONS = 'fdd051b8-d753-11e6-ab51-34363bc84032';

/** The `libraryConfigId` of a version in the API: a name-based UUID, the same on every site. */
export const libraryConfigId = (version: string): string => uuidv5(version, VERSIONS);
