import FlowModel
import OAuth

extension TablesClient {
    /// A function that opens the page `start` in a browser view, and returns the complete URL that begins with `end`.
    ///
    /// The function throws an error if the user closes the view first.
    public typealias Browse = @Sendable (_ start: String, _ end: String) async throws -> String

    /// The signed-in user, whose token is sent with all requests, or `nil` if no user is signed in.
    public var currentUser: TablesUser? { signIn.user }

    /// Signs a user in with an identity provider, in a browser view that the program opens.
    ///
    /// `provider` is the API's case-insensitive name for the provider. Later requests contain the user's token.
    ///
    /// - Throws: ``TablesError``, with code `unauthorized` if the sign-in failed, or an error that `browse` throws.
    @discardableResult
    public func login(provider: String, browse: Browse) async throws -> TablesUser {
        let start = address.url([".auth", "login", provider.lowercased()], query: "session_mode=token")
        let end = address.url([".auth", "login", "done"])
        return try await signedIn {
            let reached = try await browse(start, end)
            // Any other URL is rejected, because another site could have redirected the browser to that URL.
            guard reached == end || reached.hasPrefix(end + "#") else {
                throw failure("The sign-in ended at a different address.")
            }
            let outcome = try? Form(String(reached.dropFirst(end.count + 1)))
            if let message = outcome?["error"] { throw failure(message) }
            let json = outcome?["token"].flatMap { try? StrictJSON.parse(Array($0.utf8)) }
            guard let user = TablesUser(json: json) else { throw failure("The sign-in ended without a token.") }
            return user
        }
    }

    /// Signs a user in with a token from the identity provider that has the case-insensitive name `provider`.
    @discardableResult
    public func login(provider: String, token: ProviderToken) async throws -> TablesUser {
        try await signedIn {
            let request = TablesRequest(
                .post,
                address.url([".auth", "login", provider.lowercased()]),
                headers: ["Content-Type": "application/json"],
                body: token.body.bytes,
                correlationID: correlationID ?? .random()
            )
            let response = try await exchange.answer(to: request, token: nil)
            let exchanged = Exchanged(request: request, response: response)
            guard response.status == 200 else { throw TablesError(exchanged) }
            guard let user = TablesUser(json: try? StrictJSON.parse(response.body)) else {
                throw failure("The API's response has no token.")
            }
            return user
        }
    }

    /// Revokes the token at the API, and signs the user out of this client even if the revocation fails.
    ///
    /// - Throws: ``TablesError`` if the API could not revoke the token.
    public func logout() async throws {
        guard let user = currentUser else { return }
        signIn.forget()
        let request = TablesRequest(
            .post,
            address.url([".auth", "logout"]),
            correlationID: correlationID ?? .random()
        )
        let response = try await exchange.answer(to: request, token: user.token)
        let exchanged = Exchanged(request: request, response: response)
        // A 401 means that the token is no longer valid, which is the intended result.
        guard response.status != 401 else { return }
        guard (200..<300).contains(response.status) else { throw TablesError(exchanged) }
        try exchanged.requireDone()
    }

    private func signedIn(_ run: () async throws -> TablesUser) async throws -> TablesUser {
        guard let user = try await signIn.run(run) else {
            throw failure("Another sign-in is in progress. Wait for it to end.", .conflict)
        }
        return user
    }

    private func failure(_ message: String, _ code: TablesError.Code = .unauthorized) -> TablesError {
        TablesError(code, EnglishText(exactly: message), correlationID: correlationID ?? .random())
    }
}
