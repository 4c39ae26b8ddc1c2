public import FlowModel
public import OAuth
import StoreRefusals
import Tokens

extension Authority {
    /// Updates the cached keys and clients if the store has changed.
    ///
    /// The daemon calls this every few seconds, so that requests rarely have to do it themselves.
    ///
    /// - Returns: The store's epoch. Every change to clients, keys or a user's right to sign in increments it.
    public func refreshed() async throws -> Int64 {
        try await Self.rows.storing { try await memory.compared().epoch }
    }

    /// Makes the next request compare the cache with the store.
    ///
    /// Call this after changing the store.
    public func forget() {
        memory.forget()
    }

    /// Returns all clients, configured and registered, as they are now.
    public func clients() async throws -> [OAuthClient] {
        try await Self.rows.storing { Array(try await memory.compared().clients.values) }
    }

    /// Whether the user exists and may sign in, according to the cache.
    ///
    /// Tokens for a user who may not sign in are not returned to callers.
    ///
    /// A change by another daemon becomes visible when the store's epoch is next compared, after 5 s at the latest.
    public func isEnabled(_ user: UserID) async throws -> Bool {
        try await Self.rows.storing { try await memory.isEnabled(user) }
    }

    /// Whether the token was signed by a revoked key, according to the cache.
    ///
    /// Such a token is not returned to callers.
    public func isRevoked(_ token: Secret) -> Bool {
        guard let revoked = memory.last?.ring.entries.filter({ $0.state == .revoked }), !revoked.isEmpty else {
            return false
        }
        guard let kid = try? UnverifiedJWT(token.reveal()).kid else { return true }
        return revoked.contains { $0.kid == kid }
    }
}
