import DurableSQLite

extension AuthoritySchema {
    /// The tables of flows, sessions, and the sign-out notifications that a trigger adds whenever a session ends.
    ///
    /// At most 1000 notifications can wait per client and tenant, and 10,000 in total.
    static let sessions = """
        CREATE TABLE flows (
            id TEXT PRIMARY KEY NOT NULL,
            owner TEXT NOT NULL,
            account TEXT,
            user_id TEXT,
            client TEXT NOT NULL,
            policy TEXT NOT NULL,
            state BLOB NOT NULL,
            rev INTEGER NOT NULL,
            is_open INTEGER NOT NULL,
            closed_as TEXT,
            request_id TEXT,
            join_key TEXT,
            created_at INTEGER NOT NULL,
            \(Migration.deadline("repeat")),
            \(Migration.deadline("expires")),
            \(Migration.deadline("kept")),
            sign_outs INTEGER NOT NULL,
            \(origin)
        ) STRICT;
        CREATE INDEX flows_owner ON flows (owner, is_open);
        CREATE INDEX flows_request ON flows (owner, request_id);
        CREATE INDEX flows_open ON flows (is_open, expires_wall);
        CREATE INDEX flows_user ON flows (user_id);
        CREATE INDEX flows_kept ON flows (kept_wall);
        CREATE INDEX flows_widest ON flows (widest, is_open, expires_wall);

        CREATE TABLE sign_out_count (
            id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
            value INTEGER NOT NULL
        ) STRICT;
        INSERT INTO sign_out_count (id, value) VALUES (1, 0);

        CREATE TABLE sign_outs (
            owner TEXT NOT NULL,
            user_id TEXT NOT NULL,
            number INTEGER NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (owner, user_id)
        ) STRICT;
        CREATE INDEX sign_outs_at ON sign_outs (at);

        CREATE TABLE requests (
            id TEXT PRIMARY KEY NOT NULL,
            owner TEXT NOT NULL,
            client TEXT NOT NULL,
            policy TEXT NOT NULL,
            body BLOB NOT NULL,
            consumed INTEGER NOT NULL,
            \(Migration.deadline("expires")),
            authentication BLOB,
            met_wall INTEGER,
            met_boot INTEGER,
            met_boot_id TEXT,
            user_id TEXT,
            tenant TEXT
        ) STRICT;
        CREATE INDEX requests_expires ON requests (expires_wall);
        CREATE INDEX requests_owner ON requests (owner, user_id);
        CREATE INDEX requests_user ON requests (user_id) WHERE user_id IS NOT NULL;

        CREATE TABLE tickets (
            hash TEXT PRIMARY KEY NOT NULL,
            owner TEXT NOT NULL,
            browser TEXT,
            body BLOB NOT NULL,
            \(Migration.deadline("expires")),
            tenant TEXT
        ) STRICT;
        CREATE INDEX tickets_expires ON tickets (expires_wall);

        CREATE TABLE departures (
            hash TEXT PRIMARY KEY NOT NULL,
            browser TEXT NOT NULL,
            body BLOB NOT NULL,
            \(Migration.deadline("expires"))
        ) STRICT;
        CREATE INDEX departures_expires ON departures (expires_wall);

        CREATE TABLE sessions (
            id TEXT PRIMARY KEY NOT NULL,
            owner TEXT NOT NULL,
            user_id TEXT NOT NULL,
            proofs BLOB NOT NULL,
            policy TEXT NOT NULL,
            client TEXT NOT NULL,
            scope TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            \(Migration.deadline("ends")),
            \(Migration.deadline("absolute")),
            tenant TEXT
        ) STRICT;
        CREATE INDEX sessions_owner ON sessions (owner, user_id);
        CREATE INDEX sessions_user ON sessions (user_id);
        CREATE INDEX sessions_ends ON sessions (ends_wall);
        CREATE TRIGGER sessions_ended AFTER DELETE ON sessions BEGIN
            INSERT INTO logouts (id, session_id, client, policy, user_id, tenant, tries, next_wall, next_boot,
                next_boot_id)
            SELECT lower(hex(randomblob(16))), session_id, client, policy, user_id, old.tenant, 0, 0, 0, ''
            FROM session_clients
            WHERE session_id = old.id
                AND (
                    SELECT count(*) FROM logouts
                    WHERE logouts.client = session_clients.client AND logouts.tenant IS old.tenant
                ) < 1000
                AND (SELECT value FROM counts WHERE id = 'logouts') < 10000;
            DELETE FROM session_clients WHERE session_id = old.id;
        END;

        CREATE TABLE remembered_proofs (
            id TEXT PRIMARY KEY NOT NULL,
            owner TEXT NOT NULL,
            user_id TEXT NOT NULL,
            check_name TEXT NOT NULL,
            proof BLOB NOT NULL,
            policy TEXT NOT NULL,
            client TEXT NOT NULL,
            scope TEXT NOT NULL,
            reach TEXT NOT NULL,
            \(Migration.deadline("ends")),
            tenant TEXT,
            UNIQUE (owner, user_id, check_name, reach)
        ) STRICT;
        CREATE INDEX remembered_proofs_user ON remembered_proofs (user_id);
        CREATE INDEX remembered_proofs_ends ON remembered_proofs (ends_wall);

        CREATE TABLE session_clients (
            session_id TEXT NOT NULL,
            client TEXT NOT NULL,
            policy TEXT NOT NULL,
            user_id TEXT NOT NULL,
            PRIMARY KEY (session_id, client, policy)
        ) STRICT;

        CREATE TABLE logouts (
            id TEXT PRIMARY KEY NOT NULL,
            session_id TEXT NOT NULL,
            client TEXT NOT NULL,
            policy TEXT NOT NULL,
            user_id TEXT NOT NULL,
            tries INTEGER NOT NULL,
            \(Migration.deadline("next")),
            tenant TEXT
        ) STRICT;
        CREATE INDEX logouts_client ON logouts (client);
        CREATE TRIGGER logouts_added AFTER INSERT ON logouts BEGIN
            UPDATE counts SET value = value + 1 WHERE id = 'logouts';
        END;
        CREATE TRIGGER logouts_removed AFTER DELETE ON logouts BEGIN
            UPDATE counts SET value = value - 1 WHERE id = 'logouts';
        END;
        """
}
