import FlowModel
public import HTTPServer
import HTTPTypes
public import Hummingbird
import Localization
import Logging
import Metrics
public import Moments
public import OAuth
public import RemoteKeys
import Tokens

/// Authenticates requests by verifying their access tokens with the keys of a trusted authority.
public struct BearerCheck: Sendable {
    /// The tolerated difference between an authority's clock and this server's clock, in seconds.
    public static let leeway: Int64 = 5

    private let authorities: [(trust: Trust, keys: AuthorityKeys)]
    private let issuerScopes: IssuerScopes?
    private let verified = VerifiedTokens()
    private let ended: EndedTokens
    private let keys: AccessKeys
    private let clock: MomentClock
    private let remembered = Counter(label: "tables_tokens", dimensions: [("from", "memory")])
    private let verifications = Counter(label: "tables_tokens", dimensions: [("from", "verification")])

    /// Creates a check that accepts the access keys `keys`, and tokens from `trust` that are not revoked in `ended`.
    public init(
        trust: [Trust],
        keys: AccessKeys = AccessKeys(),
        ended: EndedTokens = EndedTokens(),
        fetcher: KeyFetcher,
        clock: MomentClock
    ) {
        self.keys = keys
        self.ended = ended
        authorities = trust.map { ($0, AuthorityKeys(source: $0.source, fetcher: fetcher, clock: clock)) }
        issuerScopes = trust.first.map { IssuerScopes(source: $0.source, fetcher: fetcher, clock: clock) }
        self.clock = clock
    }

    /// Identifies the request's sender by the token and the access keys in the request.
    ///
    /// - Throws: The errors of ``identity(_:_:)``, even if the request also contains a valid key.
    public func sender(_ request: Request, _ context: HTTPContext) async throws -> RequestIdentity {
        let identity = try await identity(request, context)
        return RequestIdentity(
            identity: identity,
            hasApplicationKey: keys.hasApplicationKey(request.headers),
            hasMasterKey: keys.hasMasterKey(request.headers),
            keys: keys
        )
    }

    /// Returns the user named by the request's token, or `nil` if the request has no token.
    ///
    /// - Throws: `HTTPProblem` 401 for a rejected token, 400 for two different tokens, 503 if the authority's keys are
    ///   unavailable.
    public func identity(_ request: Request, _ context: HTTPContext) async throws -> BearerIdentity? {
        guard let token = try Self.token(in: request) else { return nil }
        return try await identity(of: token, context)
    }

    /// Verifies a token and returns its user, or throws if the token was revoked on this server.
    func identity(of token: Substring, _ context: HTTPContext) async throws -> BearerIdentity {
        let identity = try await proven(token, context)
        guard !ended.has(token, of: identity) else {
            throw Self.refusal(TokenError(.expired, "the token was revoked on this server"))
        }
        return identity
    }

    /// Verifies a token and returns its user, without checking whether the token was revoked on this server.
    private func proven(_ token: Substring, _ context: HTTPContext) async throws -> BearerIdentity {
        let name = VerifiedTokens.name(token)
        let now = clock.now
        if let identity = verified.identity(name, at: now) {
            remembered.increment()
            return identity
        }
        do {
            let (identity, end, key) = try await verify(String(token), now) { context.peerName }
            verified.remember(name, identity, until: end, by: key, at: now)
            verifications.increment()
            return identity
        } catch let error as TokenError {
            throw Self.refusal(error)
        } catch let error as RemoteKeysError {
            throw Self.unavailable(error, Text("tables.authorityOfToken"), context)
        }
    }

    /// Revokes the request's token on this server.
    ///
    /// - Throws: `HTTPProblem` 401 if the token is missing or rejected, 503 if the list of revoked tokens is full.
    func end(_ request: Request, _ context: HTTPContext) async throws {
        guard let token = try Self.token(in: request) else { throw Permission.unauthorized }
        let identity = try await identity(of: token, context)
        let now = clock.now
        let expires = identity.claims["exp"]?.numericDate ?? now.wall / 1000
        let end = Deadline(.milliseconds((expires + Self.leeway) * 1000 - now.wall), after: now)
        try ended.add(token, of: identity, until: end, at: now)
    }

    /// Returns the id of the user that a token names.
    ///
    /// - Throws: `HTTPProblem` 401 for a rejected token, 503 if the authority's keys are unavailable.
    public func user(of token: Secret, _ context: HTTPContext) async throws -> String {
        try await identity(of: token.reveal()[...], context).oid
    }

    private func verify(
        _ token: String,
        _ now: Moment,
        for caller: @escaping @Sendable () -> String
    ) async throws -> (BearerIdentity, end: Int64, PublishedKey) {
        let jwt = try UnverifiedJWT(token)
        guard let kid = jwt.kid else { throw TokenError(.unknownKey, "the token has no kid") }
        guard let issuer = try jwt.unverifiedClaims()["iss"]?.string else {
            throw TokenError(.missingClaim, "iss is missing")
        }
        for (trust, keys) in authorities {
            guard let policy = try await keys.policy(ofIssuer: issuer, for: caller), trust.believes(policy) else {
                continue
            }
            guard let key = try await keys.key(kid: kid, issuer: issuer, for: caller) else {
                throw TokenError(.unknownKey, "the token's key does not belong to the issuer")
            }
            let expected = Expectations(
                type: .accessToken,
                issuer: issuer,
                audiences: trust.audiences,
                now: now,
                leewaySec: Self.leeway
            )
            let proven = try JWTVerifier.verify(jwt, key: key.key, expected: expected)
            guard proven.string("tfp") ?? policy == policy else {
                throw TokenError(.wrongIssuer, "tfp names a different policy than the issuer")
            }
            guard let oid = proven.string("oid"), !oid.isEmpty else {
                throw TokenError(.missingClaim, "oid is missing")
            }
            let identity = BearerIdentity(
                oid: oid,
                owner: "\(trust.realm)#\(oid)",
                scopes: Set(proven.scopes),
                requiresScopes: trust.requiresScopes,
                claims: proven.claims
            )
            keys.accepted(from: caller())
            return (identity, proven.expiresAt, key)
        }
        throw TokenError(.wrongIssuer, "\(Self.shown(issuer)) is not a trusted issuer: \(await trusted)")
    }

    /// Returns the issuers that can issue tokens for this API, in the order of the trusted authorities.
    ///
    /// An authority whose policies are all trusted is represented by the issuer of its default policy.
    func issuers(_ context: HTTPContext) async throws -> [String] {
        do {
            var issuers: [String] = []
            for (trust, keys) in authorities { issuers += try await keys.issuers(of: trust.policies) }
            return issuers
        } catch let error as RemoteKeysError {
            throw Self.unavailable(error, Text("tables.authority"), context)
        }
    }

    /// Returns those of `scopes` that the first of ``issuers(_:)`` can grant (RFC 6749 §3.3).
    ///
    /// Returns all of `scopes` if the issuer does not publish a list of its scopes.
    ///
    /// - Throws: `HTTPProblem` 503 if the authority does not respond.
    func granted(_ scopes: [String], _ context: HTTPContext) async throws -> [String] {
        guard let first = authorities.first, let issuerScopes else { return scopes }
        do {
            guard let issuer = try await first.keys.issuers(of: first.trust.policies).first,
                let named = try await issuerScopes.scopes(of: issuer)
            else { return scopes }
            // An authority for several APIs puts the API's name before each scope, for example `tasks/tasks.read`.
            let granted = Set(named.compactMap { $0.split(separator: "/").last.map(String.init) })
            return scopes.filter(granted.contains)
        } catch let error as RemoteKeysError {
            throw Self.unavailable(error, Text("tables.authority"), context)
        }
    }

    private static func unavailable(_ error: RemoteKeysError, _ text: Text, _ context: HTTPContext) -> HTTPProblem {
        // Clients can reach the limit on key lookups without a valid token, so this error must not flood the log.
        let level: Logger.Level = error.code == .limited ? .debug : .warning
        context.logger.log(level: level, "an authority's keys are not available", metadata: ["error": "\(error)"])
        return HTTPProblem(
            .serviceUnavailable,
            code: OAuthError.Code.temporarilyUnavailable.rawValue,
            text,
            headers: [.retryAfter: "\(max(1, (error.retryAfter.milliseconds + 999) / 1000))"]
        )
    }

    private var trusted: String {
        get async {
            var names: [String] = []
            for (trust, keys) in authorities {
                let policies = trust.policies.map { "{" + $0.sorted().joined(separator: ",") + "}" } ?? "*"
                names.append("\(await keys.name ?? trust.realm)/\(policies)/v2.0")
            }
            return names.joined(separator: ", ")
        }
    }

    /// Returns a string from an unverified token in a form that is safe to log.
    private static func shown(_ text: String) -> String {
        String(text.unicodeScalars.prefix(longestShown).map { $0.isASCII && $0.value > 0x20 ? Character($0) : "?" })
    }

    private static let longestShown = 200

    private static let zumoName = HTTPField.Name("X-ZUMO-AUTH")

    /// Returns the token in `Authorization: Bearer` (RFC 6750 §2.1) or `X-ZUMO-AUTH`, but never one in the URL's query.
    private static func token(in request: Request) throws -> Substring? {
        let zumo = zumoName.flatMap { value(of: $0, in: request.headers) }
        guard let field = value(of: .authorization, in: request.headers) else { return zumo.map { $0[...] } }
        let text = field.utf8
        guard let space = text.firstIndex(of: UInt8(ascii: " ")), field[..<space].lowercased() == "bearer" else {
            throw refusal(TokenError(.malformed, "the Authorization field has no bearer token"))
        }
        let token = field[text.index(after: space)...]
        guard !token.isEmpty else {
            throw refusal(TokenError(.malformed, "the Authorization field has no bearer token"))
        }
        guard zumo == nil || zumo.map({ $0[...] }) == token else {
            throw HTTPProblem(.badRequest, code: OAuthError.Code.invalidRequest.rawValue, Text("tables.twoTokens"))
        }
        return token
    }

    private static func value(of name: HTTPField.Name, in headers: HTTPFields) -> String? {
        var only: String?
        for field in headers[fields: name] {
            guard only == nil else { return headers[name] }
            only = field.value
        }
        return only
    }

    private static func refusal(_ error: TokenError) -> HTTPProblem {
        let text = Text(error.code == .expired ? "tables.tokenExpired" : "tables.tokenInvalid")
        let challenge = WWWAuthenticate(error: .invalidToken, errorDescription: text.english)
        return HTTPProblem(
            .unauthorized,
            code: OAuthError.Code.invalidToken.rawValue,
            text,
            headers: [.wwwAuthenticate: challenge.description],
            detail: "\(error)"
        )
    }
}
