import DurableSQLite

extension Migrations {
    /// Proofs by which people are remembered.
    static let remembered = Migration(
        "remembered proofs",
        sql: """
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
                ends_wall INTEGER NOT NULL,
                ends_boot INTEGER NOT NULL,
                ends_boot_id TEXT NOT NULL,
                UNIQUE (owner, user_id, check_name, reach)
            ) STRICT;
            CREATE INDEX remembered_proofs_user ON remembered_proofs (user_id);
            CREATE INDEX remembered_proofs_ends ON remembered_proofs (ends_wall);
            """
    )
}
