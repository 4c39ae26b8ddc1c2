import FlowModel
public import HTTPServer
import HTTPTypes
public import Hummingbird
import Localization
public import Logging
import Metrics
public import Moments
public import OAuth
public import RemoteKeys
import Tokens

/// Authenticates requests: takes the access token and verifies it with the keys of a trusted authority.
public struct BearerCheck: Sendable {
    /// The tolerated difference between an authority's clock and ours, in seconds.
    public static let leeway: Int64 = 5

    private let authorities: [(trust: Trust, keys: AuthorityKeys)]
    /// The scopes of the first authority's issuers.
    private let issuerScopes: IssuerScopes?
    private let verified = VerifiedTokens()
    private let ended: EndedTokens
    private let keys: AccessKeys
    private let clock: MomentClock
    private let logger: Logger
    private let remembered = Counter(label: "tables_tokens", dimensions: [("from", "memory")])
    private let verifications = Counter(label: "tables_tokens", dimensions: [("from", "verification")])

    /// Makes a check that accepts tokens of the authorities of `trust` but for those that `ended` knows, and the access keys
    /// `keys`.
    public init(
        trust: [Trust],
        keys: AccessKeys = AccessKeys(),
        ended: EndedTokens = EndedTokens(),
        fetcher: KeyFetcher,
        clock: MomentClock,
        logger: Logger
    ) {
        self.keys = keys
        self.ended = ended
        authorities = trust.map { ($0, AuthorityKeys(source: $0.source, fetcher: fetcher, clock: clock)) }
        issuerScopes = trust.first.map { IssuerScopes(source: $0.source, fetcher: fetcher, clock: clock) }
        self.clock = clock
        self.logger = logger
    }

    /// Identifies the sender of the request and the access keys that it carries.
    ///
    /// - Throws: As ``identity(_:_:)``: a key does not make up for a token that is not accepted.
    public func sender(_ request: Request, _ context: HTTPContext) async throws -> RequestIdentity {
        let identity = try await identity(request, context)
        return RequestIdentity(
            identity: identity,
            hasApplicationKey: keys.hasApplicationKey(request.headers),
            hasMasterKey: keys.hasMasterKey(request.headers),
            keys: keys
        )
    }

    /// Identifies the person whose token the request carries; nil if it carries no token.
    ///
    /// - Throws: `HTTPProblem` 401 for a token that is not accepted, 400 for two tokens, 503 if the authority's keys
    ///   are unavailable now.
    public func identity(_ request: Request, _ context: HTTPContext) async throws -> BearerIdentity? {
        guard let token = try Self.token(in: request) else { return nil }
        return try await identity(of: token, context)
    }

    /// Identifies the person of a token.
    ///
    /// - Throws: As ``identity(_:_:)``.
    func identity(of token: Substring, _ context: HTTPContext) async throws -> BearerIdentity {
        let identity = try await proven(token, context)
        guard !ended.has(token, of: identity) else {
            throw Self.refusal(TokenError(.expired, "the token was ended here"))
        }
        return identity
    }

    /// The person that a token names, ended or not.
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
            throw unavailable(error, Text("tables.authorityOfToken"))
        }
    }

    /// Ends the token that a request carries: it opens nothing here any more.
    ///
    /// - Throws: `HTTPProblem` 401 without a token, or with one that is not accepted; 503 if too many have been ended.
    func end(_ request: Request, _ context: HTTPContext) async throws {
        guard let token = try Self.token(in: request) else { throw Permission.unauthorized }
        let identity = try await identity(of: token, context)
        let now = clock.now
        let expires = identity.claims["exp"]?.numericDate ?? now.wall / 1000
        let end = Deadline(.milliseconds((expires + Self.leeway) * 1000 - now.wall), after: now)
        try ended.add(token, of: identity, until: end, at: now)
    }

    /// The id of the person of a token.
    ///
    /// - Throws: `HTTPProblem` 401 for a token that is not accepted, 503 if the authority's keys are unavailable now.
    public func user(of token: Secret, _ context: HTTPContext) async throws -> String {
        try await identity(of: token.reveal()[...], context).oid
    }

    private func verify(
        _ token: String,
        _ now: Moment,
        for caller: @escaping @Sendable () -> String
    ) async throws -> (BearerIdentity, end: Int64, PublishedKey) {
        let jwt = try UnverifiedJWT(token)
        guard let kid = jwt.kid else { throw TokenError(.unknownKey, "the token names no key") }
        guard let issuer = try jwt.unverifiedClaims()["iss"]?.string else {
            throw TokenError(.missingClaim, "iss is missing")
        }
        for (trust, keys) in authorities {
            guard let policy = try await keys.policy(ofIssuer: issuer, for: caller), trust.believes(policy) else {
                continue
            }
            guard let key = try await keys.key(kid: kid, issuer: issuer, for: caller) else {
                throw TokenError(.unknownKey, "the token's key is not the issuer's")
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
                throw TokenError(.wrongIssuer, "tfp is another policy than the issuer's")
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
        throw TokenError(.wrongIssuer, "\(Self.shown(issuer)) is none of the trusted issuers: \(await trusted)")
    }

    /// The issuers at which a token can be had, in the order of trust; for an authority whose every policy is trusted, that of
    /// its default policy.
    ///
    /// - Throws: `HTTPProblem` 503 if an authority of this machine cannot be asked for its name now.
    func issuers() async throws -> [String] {
        do {
            var issuers: [String] = []
            for (trust, keys) in authorities { issuers += try await keys.issuers(of: trust.policies) }
            return issuers
        } catch let error as RemoteKeysError {
            throw unavailable(error, Text("tables.authority"))
        }
    }

    /// Those of the API's scopes that a client can be granted at the first of ``issuers()``: a request for one more would be
    /// refused whole (RFC 6749 §3.3).
    ///
    /// - Throws: `HTTPProblem` 503 if the authority cannot be asked now.
    func granted(_ scopes: [String]) async throws -> [String] {
        guard let first = authorities.first, let issuerScopes else { return scopes }
        do {
            guard let issuer = try await first.keys.issuers(of: first.trust.policies).first,
                let named = try await issuerScopes.scopes(of: issuer)
            else { return scopes }
            // An authority of many APIs spells a scope with its API: `tasks/tasks.read`.
            let granted = Set(named.compactMap { $0.split(separator: "/").last.map(String.init) })
            return scopes.filter(granted.contains)
        } catch let error as RemoteKeysError {
            throw unavailable(error, Text("tables.authority"))
        }
    }

    private func unavailable(_ error: RemoteKeysError, _ text: Text) -> HTTPProblem {
        // A token without a valid signature can cause this as often as it is sent.
        let level: Logger.Level = error.code == .limited ? .debug : .warning
        logger.log(level: level, "an authority's keys cannot be had", metadata: ["error": "\(error)"])
        return HTTPProblem(
            .serviceUnavailable,
            code: OAuthError.Code.temporarilyUnavailable.rawValue,
            text,
            headers: [.retryAfter: "\(max(1, (error.retryAfter.milliseconds + 999) / 1000))"]
        )
    }

    /// The trusted authorities by name, for the log.
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

    /// Makes text of an unverified token safe for the log.
    private static func shown(_ text: String) -> String {
        String(text.unicodeScalars.prefix(longestShown).map { $0.isASCII && $0.value > 0x20 ? Character($0) : "?" })
    }

    private static let longestShown = 200

    private static let zumoName = HTTPField.Name("X-ZUMO-AUTH")

    /// The token of `Authorization: Bearer` (RFC 6750 §2.1) or `X-ZUMO-AUTH`; one in the query is ignored.
    private static func token(in request: Request) throws -> Substring? {
        let zumo = zumoName.flatMap { value(of: $0, in: request.headers) }
        guard let field = value(of: .authorization, in: request.headers) else { return zumo.map { $0[...] } }
        let text = field.utf8
        guard let space = text.firstIndex(of: UInt8(ascii: " ")), field[..<space].lowercased() == "bearer" else {
            throw refusal(TokenError(.malformed, "the authorization is not a bearer token"))
        }
        let token = field[text.index(after: space)...]
        guard !token.isEmpty else {
            throw refusal(TokenError(.malformed, "the authorization is not a bearer token"))
        }
        guard zumo == nil || zumo.map({ $0[...] }) == token else {
            throw HTTPProblem(.badRequest, code: OAuthError.Code.invalidRequest.rawValue, Text("tables.twoTokens"))
        }
        return token
    }

    /// The value of a field, uncopied if the field occurs once.
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
