import type { Migration } from './types.ts';

/** Hubs and phones of the local network: their credentials, pairings under way, and readings of their clocks. */
export const devices: Migration = {
  version: 40,
  name: 'devices',
  sql: `
CREATE TABLE deviceCredential (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account (id),
  kind TEXT NOT NULL CHECK (kind IN ('HUB', 'PHONE')),
  serial TEXT NOT NULL,
  equipmentId TEXT REFERENCES equipment (id),
  studyId TEXT REFERENCES study (id),
  subjectId TEXT REFERENCES subject (id),
  tokenHash TEXT NOT NULL UNIQUE,
  createdTs INTEGER NOT NULL,
  firstUsedTs INTEGER,
  revokedTs INTEGER,
  revokedReason TEXT,
  lastAddress TEXT,
  CHECK ((studyId IS NULL) = (subjectId IS NULL))
) STRICT;
CREATE INDEX deviceCredentialByAccount ON deviceCredential (accountId, createdTs);
CREATE INDEX deviceCredentialByEquipment ON deviceCredential (equipmentId);
CREATE INDEX deviceCredentialByStudy ON deviceCredential (studyId);
CREATE INDEX deviceCredentialBySubject ON deviceCredential (subjectId);

CREATE TABLE pairing (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account (id),
  userId TEXT NOT NULL REFERENCES user (id),
  state TEXT NOT NULL CHECK (state IN ('OFFERED', 'CALLED', 'COMPARING', 'CONFIRMED', 'COMPLETE', 'REFUSED', 'CANCELLED', 'EXPIRED', 'LOCKED')),
  studyId TEXT REFERENCES study (id),
  subjectId TEXT REFERENCES subject (id),
  secretKey TEXT,
  codeKey TEXT,
  usedKey TEXT CHECK (usedKey IN ('secret', 'code')),
  wrongTries INTEGER NOT NULL DEFAULT 0,
  problem TEXT,
  device TEXT CHECK (device IS NULL OR json_valid(device)),
  address TEXT,
  clockDifferenceMs INTEGER,
  commitment TEXT,
  serverNonce TEXT,
  deviceNonce TEXT,
  checkCode TEXT,
  credentialId TEXT REFERENCES deviceCredential (id),
  pendingToken TEXT,
  createdTs INTEGER NOT NULL,
  expirationTs INTEGER NOT NULL,
  endedTs INTEGER,
  CHECK ((studyId IS NULL) = (subjectId IS NULL))
) STRICT;
CREATE INDEX pairingByAccount ON pairing (accountId, createdTs);
CREATE INDEX pairingOpen ON pairing (expirationTs) WHERE endedTs IS NULL;
CREATE INDEX pairingByUser ON pairing (userId);
CREATE INDEX pairingByStudy ON pairing (studyId);
CREATE INDEX pairingBySubject ON pairing (subjectId);
CREATE INDEX pairingByCredential ON pairing (credentialId);

CREATE TABLE clockReading (
  id TEXT PRIMARY KEY,
  credentialId TEXT NOT NULL REFERENCES deviceCredential (id),
  clock TEXT NOT NULL CHECK (clock IN ('DEVICE', 'SENSOR')),
  udid TEXT NOT NULL,
  clockUs INTEGER NOT NULL,
  hostUs INTEGER NOT NULL,
  roundTripUs INTEGER NOT NULL CHECK (roundTripUs >= 0),
  receivedTs INTEGER NOT NULL,
  UNIQUE (credentialId, clock, udid, clockUs, hostUs),
  CHECK ((clock = 'DEVICE') = (udid = ''))
) STRICT;
CREATE INDEX clockReadingByUdid ON clockReading (udid, hostUs);
`,
};
