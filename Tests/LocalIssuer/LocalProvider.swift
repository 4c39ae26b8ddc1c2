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

/// An OpenID provider on a real socket, for tests: it signs one person in without a question, and lies on command.
public final class LocalProvider: Sendable {
    /// The lies and faults that it can be told.
    public enum Lie: String, CaseIterable, Sendable {
        /// The metadata name another issuer.
        case metadataIssuer
        /// The metadata are said to be elsewhere, where they are.
        case metadataElsewhere
        /// The ID token names another issuer.
        case wrongIssuer
        /// The ID token is for another client.
        case wrongAudience
        /// The ID token was issued to another party.
        case wrongParty
        /// The ID token has another request's nonce.
        case wrongNonce
        /// The ID token has no nonce.
        case noNonce
        /// The ID token has expired.
        case expired
        /// The ID token's `at_hash` is another access token's.
        case wrongHash
        /// The ID token is not signed.
        case unsigned
        /// The ID token is signed by a key that is not published.
        case unknownKey
        /// The ID token names no key, though there are two.
        case unnamedOfTwo
        /// The ID token does not say when the person signed in, though an age was asked for.
        case noAuthTime
        /// The ID token says 0 for the time of the sign-in, though an age was asked for.
        case zeroAuthTime
        /// The ID token says that the person signed in an hour ago, though they were to be asked again.
        case oldAuthTime
        /// There is no ID token.
        case noIDToken
        /// The ID token says that it was issued an hour ago.
        case oldIssue
        /// The answer with the tokens does not say of what type they are.
        case noTokenType
        /// A scope of the tokens has a character that no scope has.
        case oddScope
        /// The token endpoint grants ten thousand scopes.
        case manyScopes
        /// The ID token says that the person signs in at the end of all time.
        case endlessAuthTime
        /// The userinfo are another person's.
        case wrongUserinfo
        /// The answer to the browser names another issuer (RFC 9207).
        case wrongAnswer
        /// The answer to the browser names no issuer, though it is promised.
        case silentAnswer
        /// The code is refused.
        case refusesCode
        /// The token endpoint answers HTML.
        case html
        /// The token endpoint answers 1 MiB.
        case endless
        /// The token endpoint sends elsewhere.
        case redirect
        /// The token endpoint never answers.
        case hang
        /// The token endpoint answers 503.
        case down
        /// The person cancels there.
        case cancels
        /// The answer to the browser says that it has failed.
        case fails
        /// The answer to the browser is an error that no specification has.
        case oddError

        /// True for a lie that whoever has the metadata and keys already does not hear.
        public var isInMetadata: Bool {
            switch self {
            case .metadataIssuer, .metadataElsewhere, .unnamedOfTwo: true
            default: false
            }
        }
    }

    struct State {
        var lie: Lie?
        var key: SigningKey
        /// True if its tokens name their key.
        var namesKey = true
        var subject = "person-1"
        var claims: [String: JSONValue] = [:]
        /// The whole answer of the userinfo endpoint; nil for the subject alone.
        var userinfo: JSONValue?
        var codes: [String: Form] = [:]
        var redeemed = 0
        /// The authorization requests whose codes were redeemed, the last one last.
        var redeemedRequests: [Form] = []
        /// The life of access tokens, in seconds; nil if it says none.
        var life: Int64? = 300
        /// The scopes that it says it has granted; nil if it says none.
        var scope: String?
        var refreshToken: String?
        var spent: Set<String> = []
        var renewals = 0
        /// The claims of the ID tokens that renewals give, beside those of every one; nil if they give none.
        var renewed: [String: JSONValue]?
        /// The forms of revocations.
        var revocations: [Form] = []
        /// The ID tokens of sessions that ended.
        var ended: [String] = []
        /// The refusal of renewals, with its `Retry-After`; nil to answer.
        var pause: (status: HTTPResponse.Status, field: String)?
        /// The audience of its access tokens, which are JWTs then; nil for tokens that nobody but it can read.
        var audience: JSONValue?
        /// The seconds until the end that these say themselves.
        var statedLife: Int64 = 300
        /// The scopes that the person has declined.
        var declined: Set<String> = []
        /// The forms of renewals, the last one last.
        var renewalForms: [Form] = []
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
        /// False if codes give an ID token alone.
        var givesAccessTokens = true
        /// False if codes give no refresh token.
        var givesRefreshTokens = true
        /// The ids of calls that it was told, by the path.
        var requestIDs: [String: [String]] = [:]
        /// The answers to questions for the tokens of a device, of which the last one stays; none without device codes.
        var deviceAnswers: [DeviceAnswer] = []
        /// The life of device codes, in seconds.
        var deviceLife: Int64 = 600
        /// The moments of these questions.
        var deviceQuestions: [ContinuousClock.Instant] = []
        /// The forms of requests by services, the last one last.
        var serviceForms: [Form] = []
        /// The key that its client has in the place of the secret, and the `aud` of its statements.
        var clientKey: (key: VerificationKey, audience: String)?
        /// The client that `access-1` was issued to; nil if it is not valid any more.
        var party: String?
        /// The faults of endpoints, by the path.
        var faults: [String: Fault] = [:]
        /// The number of requests that met one.
        var faulted = 0
        /// The number of requests, by the path.
        var requests: [String: Int] = [:]
        /// The word by which the token endpoint refuses whatever it is asked; nil to answer.
        var refusal: String?
        /// True for an address that its client has registered.
        var sendsBack: @Sendable (_ redirectURI: String) -> Bool = { _ in true }
        /// False if it has no endpoint that revokes.
        var revokes = true
        /// False if it has no place at which a session ends.
        var endsSessions = true
        /// The ways in which it differs from the specifications.
        var ways = Ways()
        /// The requests by which codes were redeemed, the last one last.
        var redemptions: [Redemption] = []
    }

    /// The issuer: the base of all addresses.
    public let issuer: String
    /// The client that it knows.
    public let clientID: String
    /// That client's secret.
    public let secret: String
    let state: Mutex<State>

    /// A provider with one client, at this address.
    public init(issuer: String, clientID: String = "ours", secret: String = "s3cret+with/signs") throws {
        self.issuer = issuer
        self.clientID = clientID
        self.secret = secret
        var state = State(key: try SigningKey.generate(.es256))
        state.party = clientID
        self.state = Mutex(state)
    }

    /// From now on it tells this lie; nil for the truth.
    public func tell(_ lie: Lie?) { state.withLock { $0.lie = lie } }

    /// From now on another person signs in, with these claims in ID tokens.
    public func person(_ subject: String, _ claims: [String: JSONValue] = [:]) {
        state.withLock {
            $0.subject = subject
            $0.claims = claims
        }
    }

    /// From now on its userinfo endpoint answers this; nil for the subject alone.
    public func answerUserinfo(_ json: JSONValue?) { state.withLock { $0.userinfo = json } }

    /// Returns the ID token that an app of the person's gets, which has no nonce of ours; `access-1` is its access token.
    public func idToken() throws -> String { try idToken(nil, state.withLock { $0 }) }

    /// From now on it says that `access-1` was issued to this client; nil if to none.
    public func issued(to client: String?) { state.withLock { $0.party = client } }

    /// From now on its tokens do not name the key, of which there is one.
    public func nameNoKey() { state.withLock { $0.namesKey = false } }

    /// Replaces its key by a new one.
    public func rotate() throws {
        let key = try SigningKey.generate(.es256)
        state.withLock { $0.key = key }
    }

    /// Returns the parameters that it sends a person back with, who comes by this address.
    public func answer(to address: String) throws -> Form { try Self.query(of: try wayBack(from: address)) }

    /// Returns the address to which it sends a person back who comes by this one.
    public func wayBack(from address: String) throws -> String {
        try authorize(Self.query(of: address), state.withLock { $0 }).headers[.location] ?? ""
    }

    private static func query(of address: String) throws -> Form {
        try Form(String(address.drop { $0 != "?" }.dropFirst()))
    }

    /// The number of codes that were asked for at the token endpoint.
    public var redemptions: Int { state.withLock { $0.redeemed } }

    /// The number of renewals that were asked for.
    public var renewals: Int { state.withLock { $0.renewals } }

    /// The tokens that were revoked.
    public var revoked: [String] { revocations.compactMap { $0["token"] } }

    /// The forms of revocations, the last one last.
    public var revocations: [Form] { state.withLock { $0.revocations } }

    /// The ids of calls that it was told at a path.
    public func requestIDs(at path: String) -> [String] { state.withLock { $0.requestIDs[path] ?? [] } }

    /// The ID tokens of the sessions that ended.
    public var ended: [String] { state.withLock { $0.ended } }

    /// From now on codes give an ID token alone.
    public func giveNoAccessTokens() { state.withLock { $0.givesAccessTokens = false } }

    /// From now on codes give no refresh token.
    public func giveNoRefreshTokens() { state.withLock { $0.givesRefreshTokens = false } }

    /// From now on it has no endpoint that revokes.
    public func revokeNothing() { state.withLock { $0.revokes = false } }

    /// From now on it has no place at which a session ends.
    public func endNoSessions() { state.withLock { $0.endsSessions = false } }

    /// From now on it sends people back to the addresses only that its client has registered.
    public func sendBack(to isRegistered: @escaping @Sendable (_ redirectURI: String) -> Bool) {
        state.withLock { $0.sendsBack = isRegistered }
    }

    /// From now on access tokens live so many seconds; nil if it says none.
    public func live(_ seconds: Int64?) { state.withLock { $0.life = seconds } }

    /// From now on it says that it grants these scopes.
    public func grant(_ scope: String) { state.withLock { $0.scope = scope } }

    /// From now on renewals give ID tokens with these claims, too; nil if they give none.
    public func renewIDTokens(with claims: [String: JSONValue]?) { state.withLock { $0.renewed = claims } }

    /// Gives a program of the person's a refresh token; the one before is spent.
    public func giveRefreshToken() -> String { rotated() }

    /// Forgets the refresh token that it gave.
    public func forget() { state.withLock { $0.refreshToken = nil } }

    /// From now on it answers 429 to renewals, with this pause in seconds; nil to renew.
    public func pause(_ seconds: Int?) {
        state.withLock { $0.pause = seconds.map { (status: .tooManyRequests, field: "\($0)") } }
    }

    /// From now on renewals wait until this is called with false.
    public func hold(_ isHeld: Bool) {
        let waiting = state.withLock { state in
            state.isHeld = isHeld
            defer { state.held = [] }
            return state.held
        }
        for renewal in waiting { renewal.resume() }
    }

    /// Serves on a socket that listens already while `body` runs, by TLS if there are files for it.
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
            return Self.json(metadata.json)
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

    /// Introspects a token (RFC 7662) for the client itself.
    private func introspect(_ token: String?, isOurs: Bool) -> Response {
        guard isOurs else { return Self.json(["error": "invalid_client"], status: .unauthorized) }
        let now = state.withLock { $0 }
        guard token == "access-1", let party = now.party else { return Self.json(["active": false]) }
        return Self.json(["active": true, "client_id": .string(party), "sub": .string(now.subject)])
    }

    /// Says as Google does whose an access token is.
    private func tokenInfo(_ form: Form, _ now: State) -> Response {
        guard form["access_token"] == "access-1", let party = now.party else {
            return Self.json(["error": "invalid_token"], status: .badRequest)
        }
        return Self.json(["aud": .string(party), "sub": .string(now.subject)])
    }

    /// Says as Facebook does whose an access token is.
    private func debugToken(_ form: Form, _ now: State) -> Response {
        guard form["access_token"] == "\(clientID)|\(secret)" else { return Response(status: .badRequest) }
        let isValid = form["input_token"] == "access-1" && now.party != nil
        return Self.json([
            "data": [
                "is_valid": .bool(isValid), "app_id": .string(now.party ?? clientID), "user_id": .string(now.subject),
            ]
        ])
    }

    /// Says as GitHub does whose an access token is.
    private func application(_ token: String?, isOurs: Bool) -> Response {
        let now = state.withLock { $0 }
        guard isOurs, token == "access-1", let party = now.party else { return Response(status: .notFound) }
        return Self.json(["app": ["client_id": .string(party)]])
    }

    /// True if a request proves the client that it knows.
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

    /// The answer of the token endpoint where it gives no token at all.
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

    /// Waits for ``hold(_:)`` with false, if it was called with true.
    func waitWhileHeld() async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                if state.isHeld { state.held.append(continuation) }
                return state.isHeld
            }
            if !waits { continuation.resume() }
        }
    }

    /// Gives a new refresh token; the one before is spent.
    func rotated() -> String {
        let next = "refresh-\(CorrelationID.random())"
        state.withLock { state in
            if let before = state.refreshToken { state.spent.insert(before) }
            state.refreshToken = next
        }
        return next
    }

    /// Renews, and revokes everything if a spent refresh token is used again (RFC 9700 §4.14.2).
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

    /// Returns an ID token, which says when the person signed in if the request wants it to.
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

    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: value.bytes))
        )
    }
}
