import type { Migration } from './types.ts';

/** Webhooks with their deliveries and attempts; when and how often an e-mail is tried. */
export const outreach: Migration = {
  version: 30,
  name: 'outreach',
  sql: `
CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account (id),
  displayName TEXT NOT NULL,
  url TEXT NOT NULL,
  actions TEXT NOT NULL CHECK (json_valid(actions)),
  studyIds TEXT NOT NULL CHECK (json_valid(studyIds)),
  trustedCertificate TEXT,
  sealedSecret TEXT NOT NULL,
  previousSealedSecret TEXT,
  previousSecretUntilTs INTEGER,
  isEnabled INTEGER NOT NULL DEFAULT 1 CHECK (isEnabled IN (0, 1)),
  disabledReason TEXT,
  failingSinceTs INTEGER,
  eventSequence INTEGER NOT NULL,
  createdTs INTEGER NOT NULL,
  modifiedTs INTEGER NOT NULL,
  CHECK ((previousSealedSecret IS NULL) = (previousSecretUntilTs IS NULL))
) STRICT;
CREATE INDEX webhookByAccount ON webhook (accountId, createdTs);

CREATE TABLE webhookDelivery (
  id TEXT PRIMARY KEY,
  webhookId TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  eventSequence INTEGER REFERENCES event (sequence),
  body TEXT NOT NULL CHECK (json_valid(body)),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  nextAttemptTs INTEGER,
  giveUpTs INTEGER NOT NULL,
  createdTs INTEGER NOT NULL,
  endedTs INTEGER,
  CHECK ((state = 'waiting') = (nextAttemptTs IS NOT NULL)),
  CHECK ((state = 'waiting') = (endedTs IS NULL))
) STRICT;
CREATE UNIQUE INDEX webhookDeliveryOnce ON webhookDelivery (webhookId, eventSequence) WHERE eventSequence IS NOT NULL;
CREATE INDEX webhookDeliveryWaiting ON webhookDelivery (webhookId, eventSequence) WHERE state = 'waiting';
CREATE INDEX webhookDeliveryByWebhook ON webhookDelivery (webhookId, createdTs);
CREATE INDEX webhookDeliveryByEvent ON webhookDelivery (eventSequence);
CREATE INDEX webhookDeliveryEnded ON webhookDelivery (endedTs) WHERE endedTs IS NOT NULL;

CREATE TABLE webhookAttempt (
  sequence INTEGER PRIMARY KEY,
  deliveryId TEXT NOT NULL REFERENCES webhookDelivery (id) ON DELETE CASCADE,
  startedTs INTEGER NOT NULL,
  durationMs INTEGER NOT NULL,
  status INTEGER,
  error TEXT,
  answer TEXT
) STRICT;
CREATE INDEX webhookAttemptByDelivery ON webhookAttempt (deliveryId, sequence);

ALTER TABLE outbox ADD COLUMN queuedTs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN nextAttemptTs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN expirationTs INTEGER;
ALTER TABLE outbox ADD COLUMN holdsSecret INTEGER NOT NULL DEFAULT 0 CHECK (holdsSecret IN (0, 1));
ALTER TABLE outbox ADD COLUMN readTs INTEGER;
UPDATE outbox SET queuedTs = createdTs;
UPDATE outbox SET holdsSecret = 1, expirationTs = createdTs + 259200000
  WHERE subject LIKE '%: set your password' OR subject LIKE '%：パスワードの設定';
`,
};
