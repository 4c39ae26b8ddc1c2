import DurableSQLite

enum CacheSchema {
    /// The migrations that create the current schema, which must not be changed after their release.
    static let steps = [Migration("0.1.0", sql: tables)]

    private static let tables = """
        CREATE TABLE accounts (
            id TEXT PRIMARY KEY NOT NULL,
            uid INTEGER NOT NULL,
            authority TEXT NOT NULL,
            person TEXT NOT NULL,
            body BLOB NOT NULL,
            last_used INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            is_default INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX accounts_uid ON accounts (uid, last_used);
        CREATE INDEX accounts_person ON accounts (person);
        CREATE UNIQUE INDEX accounts_default ON accounts (uid) WHERE is_default = 1;
        CREATE TRIGGER accounts_store_keys AFTER DELETE ON accounts BEGIN
            DELETE FROM store_keys WHERE account = OLD.id;
        END;

        CREATE TABLE tokens (
            id TEXT PRIMARY KEY NOT NULL,
            uid INTEGER NOT NULL,
            account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            client TEXT NOT NULL,
            authority TEXT NOT NULL,
            policy TEXT NOT NULL,
            resource TEXT NOT NULL,
            scopes TEXT NOT NULL,
            body BLOB NOT NULL,
            \(Migration.deadline("expires"))
        ) STRICT;
        CREATE INDEX tokens_account ON tokens (account, client, expires_wall);
        CREATE INDEX tokens_uid ON tokens (uid, client, expires_wall);
        CREATE INDEX tokens_expires ON tokens (expires_wall);

        CREATE TABLE refresh_tokens (
            id TEXT PRIMARY KEY NOT NULL,
            uid INTEGER NOT NULL,
            account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            client TEXT NOT NULL,
            policy TEXT NOT NULL,
            token BLOB NOT NULL,
            \(Migration.deadline("expires"))
        ) STRICT;
        CREATE INDEX refresh_tokens_account ON refresh_tokens (account);
        CREATE INDEX refresh_tokens_expires ON refresh_tokens (expires_wall);
        CREATE INDEX refresh_tokens_uid ON refresh_tokens (uid);

        CREATE TABLE rotated_tokens (
            id TEXT PRIMARY KEY NOT NULL,
            uid INTEGER NOT NULL,
            token BLOB NOT NULL,
            expires_wall INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX rotated_tokens_uid ON rotated_tokens (uid, expires_wall);
        CREATE INDEX rotated_tokens_expires ON rotated_tokens (expires_wall);

        CREATE TABLE store_keys (
            id TEXT PRIMARY KEY NOT NULL,
            uid INTEGER NOT NULL,
            account TEXT NOT NULL,
            secret BLOB NOT NULL
        ) STRICT;
        CREATE INDEX store_keys_uid ON store_keys (uid);
        CREATE INDEX store_keys_account ON store_keys (account);

        CREATE TABLE own_authorities (
            id TEXT PRIMARY KEY NOT NULL,
            uid INTEGER NOT NULL,
            body BLOB NOT NULL
        ) STRICT;
        CREATE INDEX own_authorities_uid ON own_authorities (uid);

        CREATE TABLE vaults (
            id TEXT PRIMARY KEY NOT NULL,
            uid INTEGER NOT NULL UNIQUE,
            body BLOB NOT NULL
        ) STRICT;

        CREATE TABLE sign_outs (
            uid INTEGER NOT NULL,
            account TEXT NOT NULL,
            generation INTEGER NOT NULL,
            PRIMARY KEY (uid, account)
        ) STRICT;
        CREATE INDEX sign_outs_generation ON sign_outs (uid, generation);

        CREATE TABLE counts (
            id TEXT PRIMARY KEY NOT NULL,
            value INTEGER NOT NULL
        ) STRICT;
        INSERT INTO counts (id, value) VALUES ('pending_sign_outs', 0);

        CREATE TABLE pending_sign_outs (
            id TEXT PRIMARY KEY NOT NULL,
            uid INTEGER NOT NULL,
            is_all INTEGER NOT NULL,
            targets BLOB NOT NULL,
            at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX pending_sign_outs_uid ON pending_sign_outs (uid);
        CREATE INDEX pending_sign_outs_at ON pending_sign_outs (at);
        CREATE TRIGGER pending_sign_outs_added AFTER INSERT ON pending_sign_outs BEGIN
            UPDATE counts SET value = value + 1 WHERE id = 'pending_sign_outs';
        END;
        CREATE TRIGGER pending_sign_outs_removed AFTER DELETE ON pending_sign_outs BEGIN
            UPDATE counts SET value = value - 1 WHERE id = 'pending_sign_outs';
        END;
        """
}
