import FlowModel
import OAuth

extension TablesClient {
    /// Shows a person a page and follows it, as a browser does, until an address that begins with the given one.
    ///
    /// It returns that address with its fragment; it throws if the person leaves before.
    public typealias Browse = @Sendable (_ start: String, _ end: String) async throws -> String

    /// The person who has signed in by ``login(provider:browse:)`` or ``login(provider:token:)``; requests carry their token.
    public var currentUser: TablesUser? { signIn.user }

    /// Signs a person in with a provider, in a browser that the program shows.
    ///
    /// - Parameters:
    ///   - provider: The provider's name at the API; it has no case.
    ///   - browse: Shows the pages.
    /// - Returns: The person, whose token requests carry from now on.
    /// - Throws: ``TablesError``, `unauthorized` if nobody was signed in; what `browse` throws.
    @discardableResult
    public func login(provider: String, browse: Browse) async throws -> TablesUser {
        let start = address.url([".auth", "login", provider.lowercased()], query: "session_mode=token")
        let end = address.url([".auth", "login", "done"])
        return try await signedIn {
            let reached = try await browse(start, end)
            // Nothing else is read: a page of somebody else's could end anywhere.
            guard reached == end || reached.hasPrefix(end + "#") else { throw failure("the sign-in ended elsewhere") }
            let outcome = try? Form(String(reached.dropFirst(end.count + 1)))
            if let message = outcome?["error"] { throw failure(message) }
            let json = outcome?["token"].flatMap { try? StrictJSON.parse(Array($0.utf8)) }
            guard let user = TablesUser(json: json) else { throw failure("the sign-in ended without a token") }
            return user
        }
    }

    /// Signs a person in by the provider's own token, which the program has got there by itself.
    ///
    /// - Parameters:
    ///   - provider: The provider's name at the API; it has no case.
    ///   - token: The provider's token.
    /// - Returns: The person, whose token requests carry from now on.
    /// - Throws: ``TablesError``.
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
                throw failure("the API answered without a token")
            }
            return user
        }
    }

    /// Forgets the person who has signed in, after the API was told that the token has ended.
    ///
    /// - Throws: ``TablesError`` if the API could not be told; the person is forgotten all the same.
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
        // A token that has ended already is what was asked for.
        guard response.status != 401 else { return }
        guard (200..<300).contains(response.status) else { throw TablesError(exchanged) }
        try exchanged.requireDone()
    }

    private func signedIn(_ run: () async throws -> TablesUser) async throws -> TablesUser {
        guard let user = try await signIn.run(run) else {
            throw failure("another sign-in is under way", .conflict)
        }
        return user
    }

    private func failure(_ message: String, _ code: TablesError.Code = .unauthorized) -> TablesError {
        TablesError(code, EnglishText(exactly: message), correlationID: correlationID ?? .random())
    }
}
