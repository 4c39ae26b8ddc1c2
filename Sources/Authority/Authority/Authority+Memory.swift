public import FlowModel
public import OAuth
import StoreRefusals
import Tokens

extension Authority {
    /// Updates the cache if keys, clients or users' rights to sign in have changed, and returns the store's epoch.
    ///
    /// Every such change increments the epoch.
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

    /// Whether the user exists and may sign in, according to a cache that is at most five seconds old.
    ///
    /// If `false`, the user's tokens must not be returned to callers.
    public func isEnabled(_ user: UserID) async throws -> Bool {
        try await Self.rows.storing { try await memory.isEnabled(user) }
    }

    /// Whether the token was signed with a revoked key and must therefore not be returned to callers.
    public func isRevoked(_ token: Secret) -> Bool {
        guard let revoked = memory.last?.ring.entries.filter({ $0.state == .revoked }), !revoked.isEmpty else {
            return false
        }
        guard let kid = try? UnverifiedJWT(token.reveal()).kid else { return true }
        return revoked.contains { $0.kid == kid }
    }
}
