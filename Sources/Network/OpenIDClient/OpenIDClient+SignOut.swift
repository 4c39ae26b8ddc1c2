public import OAuth

extension OpenIDClient {
    /// Returns the address at which a browser ends its person's session at a provider, and from which it comes back
    /// (OpenID Connect RP-Initiated Logout §2).
    ///
    /// Who asks is said by `client_id`: no ID token of a sign-in is kept for it, so the provider may ask the person.
    ///
    /// - Parameters:
    ///   - registration: The provider.
    ///   - state: The value that the browser brings back.
    /// - Returns: The address; nil if the provider has no place for that.
    /// - Throws: ``ProviderError`` if its metadata cannot be had.
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
