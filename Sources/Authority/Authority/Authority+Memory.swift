public import FlowModel
public import OAuth
import StoreRefusals
import Tokens

extension Authority {
    /// Updates the cached keys and clients if the store has changed, and returns the store's epoch.
    ///
    /// The epoch is incremented by every change to clients, keys or a user's right to sign in. The daemon calls this
    /// method every few seconds, so that requests rarely have to update the cache themselves.
    public func refreshed() async throws -> Int64 {
        try await Self.rows.storing { try await memory.compared().epoch }
    }

    /// Invalidates the cache after a change to the store, so that the next request compares the cache with the store.
    public func forget() {
        memory.forget()
    }

    /// Returns all current clients, both configured and registered.
    public func clients() async throws -> [OAuthClient] {
        try await Self.rows.storing { Array(try await memory.compared().clients.values) }
    }

    /// Whether the user exists and may sign in, according to the cache.
    ///
    /// If the result is `false`, the user's tokens must not be returned to callers. A change made by another daemon
    /// becomes visible within five seconds.
    public func isEnabled(_ user: UserID) async throws -> Bool {
        try await Self.rows.storing { try await memory.isEnabled(user) }
    }

    /// Whether the token was signed with a revoked key, according to the cache.
    ///
    /// If the result is `true`, the token must not be returned to callers.
    public func isRevoked(_ token: Secret) -> Bool {
        guard let revoked = memory.last?.ring.entries.filter({ $0.state == .revoked }), !revoked.isEmpty else {
            return false
        }
        guard let kid = try? UnverifiedJWT(token.reveal()).kid else { return true }
        return revoked.contains { $0.kid == kid }
    }
}
