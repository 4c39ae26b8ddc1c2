import DurableSQLite

extension Migrations {
    /// The clients that signed a person in by a session, and the sign-outs that they are yet to be told of.
    ///
    /// A trigger notes them, so that no way in which a session ends can leave one out. A client has 1000 waiting at most, and
    /// all clients 10,000.
    static let logouts = Migration(
        "clients that are told of sign-outs",
        sql: """
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
                next_wall INTEGER NOT NULL,
                next_boot INTEGER NOT NULL,
                next_boot_id TEXT NOT NULL
            ) STRICT;
            CREATE INDEX logouts_client ON logouts (client);
            INSERT INTO counts (id, value) VALUES ('logouts', 0);
            CREATE TRIGGER logouts_added AFTER INSERT ON logouts BEGIN
                UPDATE counts SET value = value + 1 WHERE id = 'logouts';
            END;
            CREATE TRIGGER logouts_removed AFTER DELETE ON logouts BEGIN
                UPDATE counts SET value = value - 1 WHERE id = 'logouts';
            END;
            CREATE TRIGGER sessions_ended AFTER DELETE ON sessions BEGIN
                INSERT INTO logouts (id, session_id, client, policy, user_id, tries, next_wall, next_boot, next_boot_id)
                SELECT lower(hex(randomblob(16))), session_id, client, policy, user_id, 0, 0, 0, ''
                FROM session_clients
                WHERE session_id = old.id
                    AND (SELECT count(*) FROM logouts WHERE logouts.client = session_clients.client) < 1000
                    AND (SELECT value FROM counts WHERE id = 'logouts') < 10000;
                DELETE FROM session_clients WHERE session_id = old.id;
            END;
            """
    )

    /// The tenant whose session has ended: its issuer signs the logout token.
    ///
    /// A client has 1000 waiting at most at each tenant.
    ///
    /// NULL in rows from before, which every tenant takes.
    static let logoutTenants = Migration(
        "tenants of sign-outs",
        sql: """
            ALTER TABLE logouts ADD COLUMN tenant TEXT;
            DROP TRIGGER sessions_ended;
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
            """
    )
}
