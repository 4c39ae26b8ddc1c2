import OAuth

/// The things that a provider's metadata say of it.
public struct ProviderAbilities: Hashable, Sendable {
    /// True if it issues ID tokens.
    public let identifies: Bool
    /// True if it says that it gives refresh tokens, by a scope or a grant, or says nothing of either.
    public let keepsSignedIn: Bool
    /// True if it revokes refresh tokens (RFC 7009).
    public let revokes: Bool
    /// True if it has a place to end its own session.
    public let endsSessions: Bool
    /// The scopes that it says it has.
    public let scopes: [String]

    init(_ metadata: ProviderMetadata) {
        identifies = metadata.keys != nil
        keepsSignedIn =
            metadata.scopes.contains(Scope.offlineAccess.name) || metadata.grantTypes.contains("refresh_token")
            || (metadata.keys != nil && metadata.scopes.isEmpty && metadata.grantTypes.isEmpty)
        revokes = metadata.revocation != nil
        endsSessions = metadata.endSession != nil
        scopes = metadata.scopes
    }
}

extension OpenIDClient {
    /// Reads what a provider says of itself now.
    ///
    /// - Parameter registration: The provider.
    /// - Returns: The things that it can do.
    /// - Throws: ``ProviderError``.
    public func abilities(of registration: ProviderRegistration) async throws(ProviderError) -> ProviderAbilities {
        try await calling(registration) { () async throws(ProviderError) in
            await self.forget(registration)
            return ProviderAbilities(try await self.metadata(of: registration))
        }
    }
}
