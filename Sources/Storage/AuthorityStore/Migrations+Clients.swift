import DurableSQLite

extension Migrations {
    /// The addresses for sign-outs of registered clients, and the algorithms of their tokens.
    static let clientTerms = Migration(
        "sign-out addresses and algorithms of clients",
        sql: """
            ALTER TABLE clients ADD COLUMN post_logout_uris TEXT NOT NULL DEFAULT '[]';
            ALTER TABLE clients ADD COLUMN backchannel_logout_uri TEXT;
            ALTER TABLE clients ADD COLUMN id_token_alg TEXT NOT NULL DEFAULT 'ES256';
            ALTER TABLE clients ADD COLUMN access_token_alg TEXT NOT NULL DEFAULT 'ES256';
            """
    )
}
