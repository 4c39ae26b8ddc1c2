public import FlowModel
public import OAuth
import StoreRefusals
import Tokens

extension Authority {
    /// Compares the copies of keys and clients with the store; called every few seconds so that requests need not do
    /// it.
    ///
    /// - Returns: The store's epoch, raised by every change of clients, keys and users' right to sign in.
    public func refreshed() async throws -> Int64 {
        try await Self.rows.storing { try await memory.compared().epoch }
    }

    /// Makes the next request compare the copies with the store, because something was changed there.
    public func forget() {
        memory.forget()
    }

    /// Reads all clients, configured ones included, as they are now.
    public func clients() async throws -> [OAuthClient] {
        try await Self.rows.storing { Array(try await memory.compared().clients.values) }
    }

    /// True for a person who exists and may sign in, as last seen; tokens of anybody else are not handed out.
    ///
    /// A change by another daemon is seen with the next comparison of the store's epoch, after 5 s at the latest.
    public func isEnabled(_ user: UserID) async throws -> Bool {
        try await Self.rows.storing { try await memory.isEnabled(user) }
    }

    /// True for a token signed by a key that was revoked, as last seen; it is no longer handed out.
    public func isRevoked(_ token: Secret) -> Bool {
        guard let revoked = memory.last?.ring.entries.filter({ $0.state == .revoked }), !revoked.isEmpty else {
            return false
        }
        guard let kid = try? UnverifiedJWT(token.reveal()).kid else { return true }
        return revoked.contains { $0.kid == kid }
    }
}
