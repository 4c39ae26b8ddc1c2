public import OAuth

extension OpenIDClient {
    /// Returns the URL at which a browser ends its session at a provider, or `nil` if the provider has no such URL.
    ///
    /// The provider can ask for confirmation before it redirects back (OpenID Connect RP-Initiated Logout §2).
    ///
    /// - Throws: ``ProviderError`` if the provider's metadata is not available.
    public func signOutAddress(
        at registration: ProviderRegistration,
        state: Secret
    ) async throws(ProviderError) -> String? {
        let metadata = try await calling(registration) { () async throws(ProviderError) in
            try await self.documents.metadata(of: registration)
        }
        guard let place = metadata.endSession else { return nil }
        let pairs = [
            (name: "client_id", value: registration.clientID),
            ("post_logout_redirect_uri", registration.redirectURI), ("state", state.reveal()),
        ]
        return place + (place.contains("?") ? "&" : "?") + Form.encoded(pairs)
    }
}
