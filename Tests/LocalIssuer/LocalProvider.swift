import Crypto
import Foundation
public import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
public import OAuth
import ServiceLifecycle
import Synchronization
import TestSupport
import Tokens

/// An OpenID provider that tests run on a real socket.
///
/// It signs in one user without a prompt, and lies on request.
public final class LocalProvider: Sendable {
    /// A lie or a fault that a test can select.
    public enum Lie: String, CaseIterable, Sendable {
        /// The metadata states another issuer.
        case metadataIssuer
        /// A request for the metadata is redirected to another address.
        case metadataElsewhere
        /// The ID token has another issuer.
        case wrongIssuer
        /// The ID token's audience is another client.
        case wrongAudience
        /// The ID token's `azp` claim names another client.
        case wrongParty
        /// The ID token has the nonce of another request.
        case wrongNonce
        /// The ID token has no nonce.
        case noNonce
        /// The ID token has expired.
        case expired
        /// The ID token's `at_hash` belongs to another access token.
        case wrongHash
        /// The ID token is not signed.
        case unsigned
        /// The ID token is signed with a key that the provider does not publish.
        case unknownKey
        /// The ID token has no `kid`, though the provider publishes two keys.
        case unnamedOfTwo
        /// The ID token has no `auth_time`, though the request has a `max_age`.
        case noAuthTime
        /// The ID token has an `auth_time` of 0, though the request has a `max_age`.
        case zeroAuthTime
        /// The ID token has an `auth_time` of an hour ago, though the request requires a new sign-in.
        case oldAuthTime
        /// The token response has no ID token.
        case noIDToken
        /// The ID token states that it was issued an hour ago.
        case oldIssue
        /// The token response has no `token_type`.
        case noTokenType
        /// The token endpoint grants a scope with an invalid character.
        case oddScope
        /// The token endpoint grants ten thousand scopes.
        case manyScopes
        /// The ID token has the greatest possible `auth_time`.
        case endlessAuthTime
        /// The userinfo response is about another user.
        case wrongUserinfo
        /// The authorization response states another issuer (RFC 9207).
        case wrongAnswer
        /// The authorization response states no issuer, though the metadata promises one.
        case silentAnswer
        /// The token endpoint rejects the authorization code.
        case refusesCode
        /// The token endpoint responds with HTML.
        case html
        /// The token endpoint responds with 1 MiB.
        case endless
        /// The token endpoint redirects.
        case redirect
        /// The token endpoint never responds.
        case hang
        /// The token endpoint responds with 503.
        case down
        /// The user cancels the sign-in.
        case cancels
        /// The authorization response has the error `server_error`.
        case fails
        /// The authorization response has an unknown error code that contains HTML.
        case oddError

        /// Whether the lie concerns metadata or keys.
        ///
        /// Clients that have cached metadata and keys do not notice the lie.
        public var isInMetadata: Bool {
            switch self {
            case .metadataIssuer, .metadataElsewhere, .unnamedOfTwo: true
            default: false
            }
        }
    }

    struct State {
        var lie: Lie?
        /// How far the clock of the provider is ahead, in seconds.
        var ahead = 0
        var key: SigningKey
        /// Whether ID tokens have a `kid`.
        var namesKey = true
        var subject = "person-1"
        var claims: [String: JSONValue] = [:]
        /// The whole response of the userinfo endpoint, or `nil` if it contains only the subject.
        var userinfo: JSONValue?
        var codes: [String: Form] = [:]
        var redeemed = 0
        /// The authorization requests whose codes were redeemed, oldest first.
        var redeemedRequests: [Form] = []
        /// The lifetime of access tokens in seconds, or `nil` if only the responses to renewals state a lifetime.
        var life: Int64? = 300
        /// The granted scopes, or `nil` if responses do not state them.
        var scope: String?
        var refreshToken: String?
        var spent: Set<String> = []
        var renewals = 0
        /// The additional claims of ID tokens that renewals return, or `nil` if renewals return no ID token.
        var renewed: [String: JSONValue]?
        /// The form parameters of revocation requests, oldest first.
        var revocations: [Form] = []
        /// The ID tokens with which clients ended sessions.
        var ended: [String] = []
        /// The status and the `Retry-After` field with which renewals fail, or `nil` if renewals succeed.
        var pause: (status: HTTPResponse.Status, field: String)?
        /// The audience of access tokens in JWT format, or `nil` if access tokens are opaque.
        var audience: JSONValue?
        /// The lifetime of access tokens in JWT format, in seconds.
        var statedLife: Int64 = 300
        /// The scopes that the user has declined.
        var declined: Set<String> = []
        /// The form parameters of renewals, oldest first.
        var renewalForms: [Form] = []
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
        /// Whether clients get an access token for a code, and not only an ID token.
        var givesAccessTokens = true
        /// Whether clients get a refresh token for a code.
        var givesRefreshTokens = true
        /// The values of the received `client-request-id` fields, by path.
        var requestIDs: [String: [String]] = [:]
        /// The responses to polling devices, of which the last one repeats.
        ///
        /// The list is empty if the provider issues no device codes.
        var deviceAnswers: [DeviceAnswer] = []
        /// The lifetime of device codes, in seconds.
        var deviceLife: Int64 = 600
        /// The times of the token requests by devices.
        var deviceQuestions: [ContinuousClock.Instant] = []
        /// The form parameters of token requests by services, oldest first.
        var serviceForms: [Form] = []
        /// The key with which services sign their assertions, and the `aud` claim of these assertions.
        ///
        /// It is `nil` if services authenticate with the client's secret.
        var clientKey: (key: VerificationKey, audience: String)?
        /// The client to which the access token `access-1` was issued, or `nil` if the token is invalid.
        var party: String?
        /// The faults of endpoints, by path.
        var faults: [String: Fault] = [:]
        /// The number of requests to endpoints that had a fault at that time.
        var faulted = 0
        /// The number of requests, by path.
        var requests: [String: Int] = [:]
        /// The error code with which the token endpoint rejects every grant, or `nil` if it responds normally.
        var refusal: String?
        /// Returns whether the client has registered a redirect URI.
        var sendsBack: @Sendable (_ redirectURI: String) -> Bool = { _ in true }
        /// Whether the metadata has a revocation endpoint.
        var revokes = true
        /// Whether the metadata has an end session endpoint.
        var endsSessions = true
        /// The ways in which the provider differs from the specifications.
        var ways = Ways()
        /// The token requests with authorization codes, oldest first.
        var redemptions: [Redemption] = []
    }

    /// The issuer identifier, with which the addresses of all endpoints begin.
    public let issuer: String
    /// The id of the only client.
    public let clientID: String
    /// The client's secret.
    public let secret: String
    let state: Mutex<State>

    /// Creates a provider that has one client and is reached at the address `issuer`.
    public init(issuer: String, clientID: String = "ours", secret: String = "s3cret+with/signs") throws {
        self.issuer = issuer
        self.clientID = clientID
        self.secret = secret
        var state = State(key: try SigningKey.generate(.es256))
        state.party = clientID
        self.state = Mutex(state)
    }

    /// Sets the lie that the provider tells in further responses.
    ///
    /// If `lie` is `nil`, the provider tells the truth.
    public func tell(_ lie: Lie?) { state.withLock { $0.lie = lie } }

    /// Moves the clock of the provider, which the `Date` field of its metadata shows, ahead by a number of seconds.
    public func run(ahead seconds: Int) { state.withLock { $0.ahead = seconds } }

    /// Sets the user who signs in from now on, and the claims about that user in ID tokens.
    public func person(_ subject: String, _ claims: [String: JSONValue] = [:]) {
        state.withLock {
            $0.subject = subject
            $0.claims = claims
        }
    }

    /// Sets the response of the userinfo endpoint.
    ///
    /// If `json` is `nil`, the response contains only the subject.
    public func answerUserinfo(_ json: JSONValue?) { state.withLock { $0.userinfo = json } }

    /// Returns an ID token without a nonce, like one that an app obtains directly from the provider.
    ///
    /// Its `at_hash` claim matches the access token `access-1`.
    public func idToken() throws -> String { try idToken(nil, state.withLock { $0 }) }

    /// Sets the client to which the access token `access-1` was issued.
    ///
    /// If `client` is `nil`, the token is invalid.
    public func issued(to client: String?) { state.withLock { $0.party = client } }

    /// Makes the provider issue ID tokens without a `kid`.
    ///
    /// Clients can still verify them, because the provider publishes only one key.
    public func nameNoKey() { state.withLock { $0.namesKey = false } }

    /// Replaces the signing key with a new one.
    public func rotate() throws {
        let key = try SigningKey.generate(.es256)
        state.withLock { $0.key = key }
    }

    /// Returns the parameters of the authorization response to the request in `address`.
    public func answer(to address: String) throws -> Form { try Self.query(of: try wayBack(from: address)) }

    /// Returns the address to which the provider redirects the authorization request in `address`.
    public func wayBack(from address: String) throws -> String {
        try authorize(Self.query(of: address), state.withLock { $0 }).headers[.location] ?? ""
    }

    private static func query(of address: String) throws -> Form {
        try Form(String(address.drop { $0 != "?" }.dropFirst()))
    }

    /// The number of codes that clients tried to redeem.
    public var redemptions: Int { state.withLock { $0.redeemed } }

    /// The number of renewals that clients requested.
    public var renewals: Int { state.withLock { $0.renewals } }

    /// The tokens that clients have revoked, oldest first.
    public var revoked: [String] { revocations.compactMap { $0["token"] } }

    /// The form parameters of revocation requests, oldest first.
    public var revocations: [Form] { state.withLock { $0.revocations } }

    /// Returns the values of the `client-request-id` fields that were received at a path.
    public func requestIDs(at path: String) -> [String] { state.withLock { $0.requestIDs[path] ?? [] } }

    /// The ID tokens with which clients ended sessions.
    public var ended: [String] { state.withLock { $0.ended } }

    /// Makes the token endpoint issue only an ID token, and no access token, for a code.
    public func giveNoAccessTokens() { state.withLock { $0.givesAccessTokens = false } }

    /// Makes the token endpoint issue no refresh token for a code.
    public func giveNoRefreshTokens() { state.withLock { $0.givesRefreshTokens = false } }

    /// Removes the revocation endpoint from the metadata.
    public func revokeNothing() { state.withLock { $0.revokes = false } }

    /// Removes the end session endpoint from the metadata.
    public func endNoSessions() { state.withLock { $0.endsSessions = false } }

    /// Restricts redirects to the addresses for which `isRegistered` returns true.
    public func sendBack(to isRegistered: @escaping @Sendable (_ redirectURI: String) -> Bool) {
        state.withLock { $0.sendsBack = isRegistered }
    }

    /// Sets the lifetime of access tokens in seconds.
    ///
    /// If `seconds` is `nil`, only the responses to renewals state a lifetime.
    public func live(_ seconds: Int64?) { state.withLock { $0.life = seconds } }

    /// Sets the scopes that token responses state as granted.
    public func grant(_ scope: String) { state.withLock { $0.scope = scope } }

    /// Makes renewals return ID tokens with these additional claims.
    ///
    /// If `claims` is `nil`, renewals return no ID token.
    public func renewIDTokens(with claims: [String: JSONValue]?) { state.withLock { $0.renewed = claims } }

    /// Returns a new refresh token without a sign-in.
    ///
    /// The previous refresh token becomes invalid.
    public func giveRefreshToken() -> String { rotated() }

    /// Invalidates the current refresh token.
    public func forget() { state.withLock { $0.refreshToken = nil } }

    /// Makes renewals and token requests by services fail with 429 and a `Retry-After` of this many seconds.
    ///
    /// If `seconds` is `nil`, they succeed again.
    public func pause(_ seconds: Int?) {
        state.withLock { $0.pause = seconds.map { (status: .tooManyRequests, field: "\($0)") } }
    }

    /// Delays renewals until this method is called with false.
    public func hold(_ isHeld: Bool) {
        let waiting = state.withLock { state in
            state.isHeld = isHeld
            defer { state.held = [] }
            return state.held
        }
        for renewal in waiting { renewal.resume() }
    }

    /// Serves requests on a listening socket while `body` runs.
    ///
    /// The provider uses TLS if `tls` is not `nil`.
    public func serve<Result: Sendable>(
        _ socket: ListeningSocket,
        tls: TLSFiles? = nil,
        while body: () async throws -> Result
    ) async throws -> Result {
        let logger = Logger(label: "provider") { _ in SwiftLogNoOpLogHandler() }
        let router = Router(context: HTTPContext.self)
        router.middlewares.add(RequestIDs(provider: self))
        router.middlewares.add(EndpointFaults(provider: self))
        router.get("**") { request, _ in try await self.answer(request) }
        router.post("token") { request, _ in try await self.token(request) }
        router.post("**") { request, _ in
            guard self.own(request.uri.path) == "/token" else { return Response(status: .notFound) }
            return try await self.token(request)
        }
        router.post("device") { request, _ in
            self.deviceCode(try Form(String(buffer: try await request.body.collect(upTo: 65_536))), request.headers)
        }
        router.post("revoke") { request, _ in
            let form = try Form(String(buffer: try await request.body.collect(upTo: 65_536)))
            self.state.withLock { $0.revocations.append(form) }
            return Response(status: .ok)
        }
        router.post("logout") { request, _ in
            let form = try Form(String(buffer: try await request.body.collect(upTo: 65_536)))
            guard self.state.withLock({ $0.lie }) != .down else { return Response(status: .serviceUnavailable) }
            guard form["client_id"] == self.clientID else { return Response(status: .badRequest) }
            self.state.withLock { $0.ended += form["id_token_hint"].map { [$0] } ?? [] }
            return Response(status: .seeOther, headers: [.location: self.issuer + "/goodbye"])
        }
        router.post("introspect") { request, _ in
            let form = try Form(String(buffer: try await request.body.collect(upTo: 65_536)))
            return self.introspect(form["token"], isOurs: self.proves(form, request.headers))
        }
        router.post("applications/{client}/token") { request, _ in
            let body = try await request.body.collect(upTo: 65_536)
            let token = try StrictJSON.parse(Array(body.readableBytesView))["access_token"]?.string
            return self.application(token, isOurs: self.proves(try Form(""), request.headers))
        }
        let pipeline = HTTPPipeline(router: router, hosts: .any, errors: .oauth, logger: logger)
        let service = HTTPService(
            sockets: [socket],
            pipeline: { pipeline },
            tls: tls,
            limits: .ofTests,
            group: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        return try await serving([service]) { _ in try await body() }
    }

    private func answer(_ request: Request) async throws -> Response {
        let now = state.withLock { $0 }
        switch own(request.uri.path) {
        case "/.well-known/openid-configuration" where now.lie == .metadataElsewhere:
            return Response(status: .found, headers: [.location: issuer + "/elsewhere"])
        case "/.well-known/openid-configuration", "/elsewhere":
            var metadata = ServerMetadata(issuer: now.lie == .metadataIssuer ? "https://other.example" : issuer)
            metadata.authorizationEndpoint = issuer + "/authorize"
            metadata.tokenEndpoint = issuer + "/token"
            metadata.userinfoEndpoint = issuer + "/userinfo"
            if now.revokes { metadata.revocationEndpoint = issuer + "/revoke" }
            if now.endsSessions { metadata.endSessionEndpoint = issuer + "/logout" }
            metadata.introspectionEndpoint = issuer + "/introspect"
            metadata.jwksURI = issuer + "/keys"
            metadata.answersWithIssuer = true
            metadata.tokenEndpointAuthMethods = now.ways.authMethods
            if !now.deviceAnswers.isEmpty { metadata.deviceAuthorizationEndpoint = issuer + "/device" }
            var response = Self.json(metadata.json)
            response.headers[.date] = Self.httpDate(Date(timeIntervalSinceNow: Double(now.ahead)))
            return response
        case "/keys":
            let other = now.lie == .unnamedOfTwo ? [try SigningKey.generate(.es256).publicKey] : []
            return Self.json(JWKSet(keys: [now.key.publicKey] + other).json)
        case "/authorize": return try authorize(try Form(request.uri.query ?? ""), now)
        case "/userinfo":
            guard request.headers[.authorization] == "Bearer access-1" else { return Response(status: .unauthorized) }
            let subject = now.lie == .wrongUserinfo ? "somebody-else" : now.subject
            return Self.json(Self.asked(now.userinfo ?? ["sub": .string(subject)], request.uri.query))
        case "/tokeninfo": return tokenInfo(try Form(request.uri.query ?? ""), now)
        case "/debug_token": return debugToken(try Form(request.uri.query ?? ""), now)
        default: return Response(status: .notFound)
        }
    }

    /// Introspects a token (RFC 7662) if the client has authenticated.
    private func introspect(_ token: String?, isOurs: Bool) -> Response {
        guard isOurs else { return Self.json(["error": "invalid_client"], status: .unauthorized) }
        let now = state.withLock { $0 }
        guard token == "access-1", let party = now.party else { return Self.json(["active": false]) }
        return Self.json(["active": true, "client_id": .string(party), "sub": .string(now.subject)])
    }

    /// Responds with the client and the user for which an access token was issued, as Google does.
    private func tokenInfo(_ form: Form, _ now: State) -> Response {
        guard form["access_token"] == "access-1", let party = now.party else {
            return Self.json(["error": "invalid_token"], status: .badRequest)
        }
        return Self.json(["aud": .string(party), "sub": .string(now.subject)])
    }

    /// Responds with the client and the user for which an access token was issued, as Facebook does.
    private func debugToken(_ form: Form, _ now: State) -> Response {
        guard form["access_token"] == "\(clientID)|\(secret)" else { return Response(status: .badRequest) }
        let isValid = form["input_token"] == "access-1" && now.party != nil
        return Self.json([
            "data": [
                "is_valid": .bool(isValid), "app_id": .string(now.party ?? clientID), "user_id": .string(now.subject),
            ]
        ])
    }

    /// Responds with the client to which an access token was issued, as GitHub does.
    private func application(_ token: String?, isOurs: Bool) -> Response {
        let now = state.withLock { $0 }
        guard isOurs, token == "access-1", let party = now.party else { return Response(status: .notFound) }
        return Self.json(["app": ["client_id": .string(party)]])
    }

    /// Whether a request contains the id and the secret of the client.
    func proves(_ form: Form, _ headers: HTTPFields) -> Bool {
        let pair = [clientID, secret].map { String(Form.encoded([("", $0)]).dropFirst()) }.joined(separator: ":")
        return headers[.authorization] == "Basic " + Data(pair.utf8).base64EncodedString()
            || (form["client_id"] == clientID && form["client_secret"] == secret)
    }

    private func authorize(_ form: Form, _ now: State) throws -> Response {
        guard form["client_id"] == clientID, form["response_type"] == "code", form["code_challenge_method"] == "S256",
            let redirect = form["redirect_uri"], let given = form["state"], now.sendsBack(redirect)
        else { return Response(status: .badRequest) }
        let code = CorrelationID.random().description
        state.withLock { $0.codes[code] = form }
        var answer: [(name: String, value: String)] = [("state", given)]
        switch now.lie {
        case .cancels: answer.append(("error", "access_denied"))
        case .fails: answer.append(("error", "server_error"))
        case .oddError: answer.append(("error", "<b>planted</b>"))
        default: answer.append(("code", code))
        }
        switch now.lie {
        case .silentAnswer: break
        case _ where !now.ways.isOpenID: break
        case .wrongAnswer: answer.append(("iss", "https://other.example"))
        default: answer.append(("iss", issuer))
        }
        return Response(status: .seeOther, headers: [.location: "\(redirect)?\(Form.encoded(answer))"])
    }

    private func token(_ request: Request) async throws -> Response {
        let form = try Form(String(buffer: try await request.body.collect(upTo: 65_536)))
        if let word = state.withLock({ $0.refusal }) {
            return Self.json(["error": .string(word)], status: .badRequest)
        }
        if let code = form["device_code"] { return try deviceTokens(code, form, request.headers) }
        if let refreshToken = form["refresh_token"] { return try await renew(refreshToken, form) }
        let isService = form["grant_type"] == "client_credentials" || form["subject_token"] != nil
        if isService {
            if let fault = await fault(state.withLock { $0.lie }) { return fault }
            return try await serve(form, request.headers)
        }
        let (before, asked) = state.withLock { state in
            state.redeemed += 1
            let asked = form["code"].flatMap { state.codes.removeValue(forKey: $0) }
            state.redeemedRequests += asked.map { [$0] } ?? []
            state.redemptions.append(Redemption(form: form, authorization: request.headers[.authorization]))
            return (state, asked)
        }
        var now = before
        if let fault = await fault(now.lie) { return fault }
        guard proves(form, request.headers) else {
            return Self.json(["error": "invalid_client"], status: .unauthorized)
        }
        guard now.lie != .refusesCode, let asked, let verifier = form["code_verifier"],
            form["redirect_uri"] == asked["redirect_uri"],
            asked["code_challenge"] == Base64URL.encode(Data(SHA256.hash(data: Data(verifier.utf8))))
        else { return Self.json(["error": "invalid_grant", "error_description": "planted"], status: .badRequest) }
        var answer: [String: JSONValue] = [
            "access_token": "access-1", "token_type": "Bearer",
        ]
        answer["expires_in"] = now.life.map { .int($0) }
        answer["scope"] = now.scope.map { .string($0) }
        if !now.givesAccessTokens { answer["access_token"] = nil }
        if let token = try accessToken(&now) { answer["access_token"] = .string(token) }
        if now.lie == .noTokenType { answer["token_type"] = nil }
        if now.lie == .oddScope { answer["scope"] = "openid a\"b" }
        if now.lie == .manyScopes { answer["scope"] = .string((0..<10_000).map { "s\($0)" }.joined(separator: " ")) }
        if now.givesRefreshTokens, asked["scope"]?.contains("offline_access") == true {
            answer["refresh_token"] = .string(rotated())
        }
        if now.lie != .noIDToken, now.ways.isOpenID {
            answer["id_token"] = .string(try idToken(asked["nonce"], now, for: asked))
        }
        if now.ways.answersInForms, request.headers[.accept] != "application/json" { return Self.form(answer) }
        return Self.json(.object(answer))
    }

    /// Returns the faulty response that `lie` makes the token endpoint send, or `nil` if it handles the request.
    private func fault(_ lie: Lie?) async -> Response? {
        switch lie {
        case .html: return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "<html>hello</html>")))
        case .endless: return Self.json(.string(String(repeating: "x", count: 1 << 20)))
        case .redirect: return Response(status: .found, headers: [.location: "http://127.0.0.1:1/"])
        case .down: return Response(status: .serviceUnavailable)
        case .hang:
            try? await gracefulShutdown()
            return Response(status: .serviceUnavailable)
        default: return nil
        }
    }

    /// Waits as long as ``hold(_:)`` delays renewals.
    func waitWhileHeld() async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                if state.isHeld { state.held.append(continuation) }
                return state.isHeld
            }
            if !waits { continuation.resume() }
        }
    }

    /// Returns a new refresh token, and invalidates the previous one.
    func rotated() -> String {
        let next = "refresh-\(CorrelationID.random())"
        state.withLock { state in
            if let before = state.refreshToken { state.spent.insert(before) }
            state.refreshToken = next
        }
        return next
    }

    /// Responds to a renewal.
    ///
    /// If a spent refresh token is used again, the current refresh token is revoked as well (RFC 9700 §4.14.2).
    private func renew(_ refreshToken: String, _ form: Form) async throws -> Response {
        let (pause, number) = state.withLock { state in
            state.renewals += 1
            state.renewalForms.append(form)
            return (state.pause, state.renewals)
        }
        if let pause {
            let retryAfter = HTTPField.Name("Retry-After")
            return Response(status: pause.status, headers: retryAfter.map { [$0: pause.field] } ?? [:])
        }
        guard !hasDeclined(form) else { return Self.json(["error": "invalid_scope"], status: .badRequest) }
        await waitWhileHeld()
        let isGood = state.withLock { state in
            if state.spent.contains(refreshToken) { state.refreshToken = nil }
            return state.refreshToken == refreshToken
        }
        guard isGood else { return Self.json(["error": "invalid_grant"], status: .badRequest) }
        let next = rotated()
        var now = state.withLock { $0 }
        let token = try accessToken(&now) ?? "access-renewed-\(number)"
        var answer: [String: JSONValue] = [
            "access_token": .string(token), "token_type": "Bearer", "expires_in": .int(now.life ?? 300),
            "refresh_token": .string(next),
        ]
        if let renewed = now.renewed {
            now.claims["at_hash"] = .string(SigningAlgorithm.es256.halfHash(of: Secret(token)))
            now.claims.merge(renewed) { $1 }
            answer["id_token"] = .string(try idToken(nil, now))
        }
        return Self.json(.object(answer))
    }

    /// Returns an ID token, which has an `auth_time` if the authorization request `asked` requires one.
    func idToken(_ nonce: String?, _ now: State, for asked: Form? = nil) throws -> String {
        let time = Int64(Date().timeIntervalSince1970)
        var claims: [String: JSONValue] = [
            "iss": .string(now.lie == .wrongIssuer ? "https://other.example" : issuer),
            "aud": .string(now.lie == .wrongAudience ? "theirs" : clientID), "sub": .string(now.subject),
            "iat": .int(now.lie == .oldIssue ? time - 3600 : time),
            "exp": .int(now.lie == .expired ? time - 600 : time + 300),
            "at_hash": .string(
                SigningAlgorithm.es256.halfHash(of: Secret(now.lie == .wrongHash ? "another" : "access-1"))
            ),
        ]
        claims["nonce"] = now.lie == .wrongNonce ? "another" : nonce.map { .string($0) }
        if asked?["max_age"] != nil || asked?["prompt"] == "login" {
            claims["auth_time"] = .int(now.lie == .oldAuthTime ? time - 3600 : time)
        }
        if now.lie == .noAuthTime { claims["auth_time"] = nil }
        if now.lie == .zeroAuthTime { claims["auth_time"] = 0 }
        if !now.givesAccessTokens { claims["at_hash"] = nil }
        if now.lie == .noNonce { claims["nonce"] = nil }
        if now.lie == .wrongParty { claims["azp"] = "theirs" }
        if now.lie == .endlessAuthTime { claims["auth_time"] = .int(.max) }
        claims.merge(now.claims) { $1 }
        switch now.lie {
        case .unsigned:
            let header: JSONValue = ["alg": "none", "kid": .string(now.key.kid), "typ": "JWT"]
            return "\(Base64URL.encode(header.bytes)).\(Base64URL.encode(JSONValue.object(claims).bytes))."
        case .unknownKey:
            return try TokenMinter.mint(typ: .jwt, claims: claims, with: try SigningKey.generate(.es256)).reveal()
        case .unnamedOfTwo: return try Self.unnamed(claims, now.key)
        default:
            guard now.namesKey else { return try Self.unnamed(claims, now.key) }
            return try TokenMinter.mint(typ: .jwt, claims: claims, with: now.key).reveal()
        }
    }

    /// Returns a token whose header has no `kid`.
    private static func unnamed(_ claims: [String: JSONValue], _ key: SigningKey) throws -> String {
        let header: JSONValue = ["alg": .string(SigningAlgorithm.es256.rawValue), "typ": "JWT"]
        let signed = "\(Base64URL.encode(header.bytes)).\(Base64URL.encode(JSONValue.object(claims).bytes))"
        return "\(signed).\(Base64URL.encode(try key.sign(Array(signed.utf8))))"
    }

    /// The value of a `Date` field (RFC 9110 §5.6.7).
    private static func httpDate(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }

    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: value.bytes))
        )
    }
}
