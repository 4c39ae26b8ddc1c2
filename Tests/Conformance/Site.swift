import Authority
import AuthorityFixture
import AuthorityStore
import AuthorityWebFixture
import Crypto
import FlowModel
import Foundation
import HTTPTypes
import Moments
import OAuth
import Policies
import TestSupport
import Tokens

/// An authority with an HTTP pipeline, a real store and a signed-in user.
final class Site: Sendable {
    static let base = "https://login.example"
    static let policy = "b2c_1_sign_in"
    /// A policy that signs users in with an external identity provider.
    static let federated = "b2c_1_partner"
    /// A policy that requires an `id_token_hint` at sign-out.
    static let hinted = "b2c_1_hinted"
    static let issuer = "\(base)/local/\(policy)/v2.0"
    static let user = UserID(oid: "0a1b2c3d-0000-4000-8000-000000000001")
    /// The value of the session cookie in the browser of the user Ada.
    static let cookie = "Y29va2llIG9mIEFkYQAAAA"
    static let owner = Owner.browser(session: Base64URL.encode(Data(SHA256.hash(data: Data(cookie.utf8)))))
    static let redirectURI = "https://app.example/cb"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let secret = "c2VjcmV0IG9mIHRoZSBjbGllbnQgd2Vi"

    private let place: AuthorityFixture.Place
    let daemons: [Daemon]
    /// The private key with which the client `signed` authenticates.
    let key: SigningKey

    /// One of the authority's daemons, with its own memory and database connection.
    struct Daemon: Sendable {
        let fixture: AuthorityFixture
        let web: AuthorityWebFixture

        var store: AuthorityStore { fixture.store }
        var authority: Authority { fixture.authority }
    }

    /// Creates an authority with additional clients.
    ///
    /// `defaultScopes` are those of the API `tasks`.
    /// Creates the authority, whose second daemon has the additional clients `reloaded` if it is not `nil`.
    init(
        tokens: TokenLifetimes = TokenLifetimes(),
        clients: [OAuthClient] = [],
        reloaded: [OAuthClient]? = nil,
        refreshGrace: Duration = .seconds(10),
        defaultScopes: [String] = []
    ) async throws {
        let place = try AuthorityFixture.Place()
        self.place = place
        key = try SigningKey.generate(.es256)
        let keys = JWKSet(keys: [key.publicKey])
        let tenants = ["local", "local", Self.otherTenant]
        daemons = try tenants.enumerated().map { number, tenant -> Daemon in
            let settings = Self.settings(
                keys: keys,
                tenant: tenant,
                more: number == 1 ? reloaded ?? clients : clients,
                refreshGrace: refreshGrace,
                defaultScopes: defaultScopes
            )
            return try Self.daemon(at: place, settings, Self.catalogue(tokens))
        }
        try await daemons[0].authority.start()
    }

    /// The tenant of the third daemon, which uses the same database and keys as the other daemons.
    static let otherTenant = "elsewhere"

    static func tenant(_ daemon: Int) -> String { daemon == 2 ? otherTenant : "local" }

    private static func daemon(
        at place: AuthorityFixture.Place,
        _ settings: AuthoritySettings,
        _ catalogue: PolicyCatalogue
    ) throws -> Daemon {
        let fixture = try AuthorityFixture(
            at: place,
            tenant: settings.tenant,
            settings: { settings },
            catalogue: { catalogue }
        )
        return Daemon(fixture: fixture, web: AuthorityWebFixture(fixture, flows: fixture.flows()))
    }

    var time: TestClock { place.time }
    var authority: Authority { daemons[0].authority }
    var store: AuthorityStore { daemons[0].store }

    // MARK: Requests

    struct Answer: Sendable {
        let status: Int
        let headers: HTTPFields
        let json: JSONValue?
        let text: String
        let length: Int

        /// The URL to which the response redirects, or an empty string.
        var location: String { headers[.location] ?? "" }
        /// The parameters in the query of ``location``.
        var reply: Form {
            (try? Form(location.split(separator: "?", maxSplits: 1).dropFirst().first ?? "")) ?? Form([:])
        }
        var error: String? { json?["error"]?.string }
        var description: String { json?["error_description"]?.string ?? "" }

        subscript(member: String) -> JSONValue? { json?[member] }
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [:],
        body: String = "",
        daemon: Int = 0
    ) async throws -> Answer {
        let answer = try await daemons[daemon].web.answer(method, path, headers: headers, body: body)
        return Answer(
            status: answer.status,
            headers: answer.headers,
            json: try? StrictJSON.parse(answer.body),
            text: answer.text,
            length: answer.body.count
        )
    }

    /// Posts a form to an endpoint of a policy.
    func post(
        _ endpoint: AuthorityEndpoint,
        _ parameters: [String: String],
        basic: (String, String)? = nil,
        policy: String = Site.policy,
        daemon: Int = 0
    ) async throws -> Answer {
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        if let (id, secret) = basic {
            headers[.authorization] = "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
        }
        let body = Form.encoded(parameters.map { (name: $0.key, value: $0.value) })
        let path = "/\(Self.tenant(daemon))/\(policy)\(endpoint.path)"
        return try await send(.post, path, headers: headers, body: body, daemon: daemon)
    }

    /// Redeems a code as the client `app`.
    ///
    /// `changes` replaces parameters of the request.
    func redeem(
        _ code: String,
        _ changes: [String: String] = [:],
        policy: String = Site.policy,
        daemon: Int = 0
    ) async throws -> Answer {
        let parameters = [
            "grant_type": "authorization_code", "client_id": "app", "code": code, "redirect_uri": Self.redirectURI,
            "code_verifier": Self.verifier,
        ]
        return try await post(.token, parameters.merging(changes) { $1 }, policy: policy, daemon: daemon)
    }

    func refresh(
        _ token: String,
        _ changes: [String: String] = [:],
        policy: String = Site.policy,
        daemon: Int = 0
    ) async throws -> Answer {
        let parameters = ["grant_type": "refresh_token", "client_id": "app", "refresh_token": token]
        return try await post(.token, parameters.merging(changes) { $1 }, policy: policy, daemon: daemon)
    }

    func clientCredentials(_ changes: [String: String] = [:], daemon: Int = 0) async throws -> Answer {
        let parameters = ["grant_type": "client_credentials", "scope": "tasks.read"].merging(changes) { $1 }
        return try await post(.token, parameters, basic: ("web", Self.secret), daemon: daemon)
    }

    /// Sends an authorization request as the client `app`.
    ///
    /// `changes` replaces parameters of the request, or removes a parameter if its value is `nil`.
    func authorize(
        _ changes: [String: String?] = [:],
        isSignedIn: Bool = false,
        cookie: String? = nil,
        posts: Bool = false,
        policy: String = Site.policy,
        daemon: Int = 0
    ) async throws -> Answer {
        var all = [
            "client_id": "app", "response_type": "code", "redirect_uri": Self.redirectURI,
            "scope": "openid tasks.read", "state": "st 1", "nonce": "n1",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        ]
        for (name, value) in changes { all[name] = value }
        var headers: HTTPFields = [:]
        if isSignedIn { _ = try await session(daemon: daemon) }
        headers[.cookie] = (cookie ?? (isSignedIn ? Self.cookie : nil)).map { "__Host-session=\($0)" }
        let query = Form.encoded(all.map { (name: $0.key, value: $0.value) })
        let path = "/\(Self.tenant(daemon))/\(policy)\(AuthorityEndpoint.authorize.path)"
        guard posts else { return try await send(.get, "\(path)?\(query)", headers: headers, daemon: daemon) }
        headers[.contentType] = "application/x-www-form-urlencoded"
        return try await send(.post, path, headers: headers, body: query, daemon: daemon)
    }

    // MARK: Users

    /// Returns an authorization code for the user Ada.
    ///
    /// Ada signs up at the first call. At later calls, she has a session.
    func code(
        client: String = "app",
        scopes: [String] = ["openid", "offline_access", "profile", "tasks.read"],
        resource: String? = nil,
        nonce: String? = "n-0S6_WzA2Mj",
        daemon: Int = 0
    ) async throws -> String {
        let authority = daemons[daemon].authority
        var asked = TokenRequest(scopes: scopes)
        asked.policy = Self.policy
        asked.client = client
        asked.resource = resource
        let resolved = try await authority.resolve(asked)
        let challenge = Base64URL.encode(Data(SHA256.hash(data: Data(Self.verifier.utf8))))
        let terms = CodeTerms(
            redirectURI: Self.redirectURI,
            challenge: try CodeChallenge(challenge),
            nonce: nonce
        )
        let caller = Caller(owner: Self.owner)
        let session = try await session(client, daemon: daemon)
        return try await authority.issueCode(resolved, session: session, terms, caller).reveal()
    }

    /// Gets an authorization code for Ada, and returns the response to its redemption.
    func tokens(
        client: String = "app",
        scopes: [String] = ["openid", "offline_access", "profile", "tasks.read"],
        daemon: Int = 0
    ) async throws -> Answer {
        let code = try await code(client: client, scopes: scopes, daemon: daemon)
        return try await redeem(code, ["client_id": client], daemon: daemon)
    }

    /// Returns the id of Ada's session, and creates the session if there is none.
    ///
    /// If `hasCode` is `true`, Ada also enters a code from an e-mail when the session is created.
    func session(_ client: String = "app", hasCode: Bool = false, daemon: Int = 0) async throws -> String {
        let fixture = daemons[daemon].fixture
        let tenant = Self.tenant(daemon)
        if let session = try await fixture.store.sessions.live(owner: Self.owner).first { return session.id }
        let isNew = try await fixture.store.users.get(Self.user) == nil
        return try await fixture.signedIn(
            Self.user,
            making: isNew ? fixture.ada(Self.user) : nil,
            owner: Self.owner,
            proofs: hasCode ? [fixture.password(), fixture.code()] : [fixture.password()],
            policy: Self.policy,
            client: client,
            ids: ("flow \(tenant)", "ada \(tenant)")
        ).id
    }

    /// Verifies a token with the published keys, and returns the claims.
    func claims(_ token: String, _ type: TokenType, audience: String) async throws -> [String: JSONValue] {
        let keys = try JWKSet.parse(try await authority.issuers.jwks())
        return try JWTVerifier.verify(
            token,
            keys: { keys.key(kid: $0) },
            expected: Expectations(type: type, issuer: Self.issuer, audiences: [audience], now: time.now)
        ).claims
    }

    /// Returns an assertion of the client `signed` (RFC 7523 §3).
    ///
    /// `changes` replaces claims, or removes a claim if its value is `nil`.
    func assertion(_ changes: [String: JSONValue?] = [:], id: String = "j1") throws -> String {
        var claims: [String: JSONValue] = [
            "iss": "signed", "sub": "signed", "aud": .string(Self.issuer), "jti": .string(id),
            "iat": .int(time.now.seconds), "exp": .int(time.now.seconds + 60),
        ]
        for (name, value) in changes { claims[name] = value }
        return try TokenMinter.mint(typ: .jwt, claims: claims, with: key).reveal()
    }

    // MARK: Configuration

    /// Returns a client that gets access tokens for itself.
    ///
    /// The access tokens are signed with `algorithm`.
    static func client(
        _ id: String,
        signing algorithm: TokenSigning.Algorithm = .es256,
        secret: String = secret
    ) -> OAuthClient {
        OAuthClient(
            ClientSummary(
                client: id,
                name: id,
                type: .confidential,
                signing: TokenSigning(accessToken: algorithm),
                configured: true
            ),
            apis: ["tasks"],
            grants: [.clientCredentials],
            secretHash: Secret(bytes: SHA256.hash(data: Data(secret.utf8)))
        )
    }

    private static func settings(
        keys: JWKSet,
        tenant: String,
        more: [OAuthClient],
        refreshGrace: Duration,
        defaultScopes: [String]
    ) -> AuthoritySettings {
        let hash = Secret(bytes: SHA256.hash(data: Data(secret.utf8)))
        let all = GrantType.allCases
        func client(
            _ id: String,
            _ type: ClientType = .public,
            grants: [GrantType] = all,
            methods: [ClientAuthenticationMethod]? = nil,
            keys: JWKSet? = nil,
            toldAt: String? = nil
        ) -> OAuthClient {
            OAuthClient(
                ClientSummary(
                    client: id,
                    name: id,
                    type: type,
                    redirectURIs: [redirectURI],
                    signOut: SignOutAddresses(backchannelLogoutURI: toldAt),
                    configured: true
                ),
                isFirstParty: true,
                apis: ["tasks"],
                grants: grants,
                methods: methods,
                secretHash: type == .confidential ? hash : nil,
                keys: keys
            )
        }
        return AuthoritySettings(
            base: base,
            tenant: tenant,
            apis: [
                ProtectedAPI(
                    name: "tasks",
                    audience: "tasks-audience",
                    resources: ["https://tasks.example"],
                    scopes: ["tasks.read": "Read", "tasks.write": "Write", "balance": "See the balance"],
                    defaultScopes: defaultScopes
                ),
                ProtectedAPI(name: "notes", audience: "notes", scopes: ["notes.read": "Read"]),
            ],
            clients: [
                client("app"), client("other"), client("told", toldAt: "https://app.example/bye"),
                OAuthClient(
                    ClientSummary(
                        client: "native",
                        name: "native",
                        redirectURIs: ["http://127.0.0.1/cb", "http://[::1]/cb", "com.example.app:/back"],
                        signOut: SignOutAddresses(postLogoutRedirectURIs: ["com.example.app:/out"]),
                        configured: true
                    ),
                    isFirstParty: true,
                    apis: ["tasks"]
                ),
                OAuthClient(
                    ClientSummary(
                        client: "desktop",
                        name: "desktop",
                        type: .confidential,
                        redirectURIs: ["http://127.0.0.1/cb", "http://[::1]/cb", "com.example.app:/back"],
                        configured: true
                    ),
                    isFirstParty: true,
                    apis: ["tasks"]
                ),
                client("narrow", grants: [.authorizationCode]), client("devices", grants: [.deviceCode]),
                client("web", .confidential),
                client("post", .confidential, methods: [.clientSecretPost]),
                client("signed", .confidential, methods: [.privateKeyJWT], keys: keys),
                OAuthClient(
                    ClientSummary(client: "stranger", name: "stranger", type: .confidential, configured: true),
                    apis: ["notes"],
                    grants: all,
                    secretHash: hash
                ),
                OAuthClient(
                    ClientSummary(client: "bare", name: "bare", type: .confidential, configured: true),
                    grants: all,
                    secretHash: hash
                ),
            ] + more,
            defaultPolicy: id(policy),
            refreshGrace: refreshGrace
        )
    }

    private static func catalogue(_ tokens: TokenLifetimes) -> PolicyCatalogue {
        let checks = [
            Check(name: "UserLogin", type: .password, successStateExpiration: nil),
            Check(name: "EmailCode", type: .emailCode, successStateExpiration: .seconds(60), acr: "2"),
        ]
        let policies = [policy, "b2c_1_other", hinted].map { name in
            Policy(
                id: id(name),
                kind: .signIn,
                claims: [ClaimRule("displayName"), ClaimRule("email"), ClaimRule("city")],
                tokens: tokens,
                session: SessionRule(requireIdTokenHintAtLogout: name == hinted),
                scopes: ["tasks.read": [], "tasks.write": [], "notes.read": [], "balance": ["EmailCode"]],
                checks: Dictionary(checks.map { ($0.name, $0) }) { first, _ in first }
            )
        }
        let partner = Policy(
            id: id(federated),
            kind: .social,
            identityProviders: ["partner"],
            scopes: ["tasks.read": []],
            checks: Dictionary(checks.map { ($0.name, $0) }) { first, _ in first }
        )
        return PolicyCatalogue(
            policies: policies + [partner],
            checks: checks,
            order: ["UserLogin", "EmailCode"],
            unavailable: [:]
        )
    }

    private static func id(_ name: String) -> PolicyID { AuthorityFixture.id(name) }
}

extension Site {
    /// Signs Ada in as the local caller `owner` does at the socket, and returns the refresh token.
    func localToken(_ owner: Owner) async throws -> Secret {
        var asked = TokenRequest(scopes: ["tasks.read"])
        asked.policy = Self.policy
        asked.client = "app"
        let caller = Caller(owner: owner)
        guard
            case .lacking(_, let pending) = try await authority.decide(
                try await authority.resolve(asked),
                for: nil,
                prompt: .login,
                caller
            )
        else { throw CancellationError() }
        let flow = { (rev: Int, open: Bool) in
            FlowRow(
                idHash: "local flow",
                owner: owner,
                client: "app",
                policy: Self.policy,
                state: Data("{}".utf8),
                rev: rev,
                isOpen: open,
                createdAt: self.time.now.wall,
                expires: Deadline(.seconds(900), after: self.time.now),
                keptUntil: Deadline(.seconds(1020), after: self.time.now)
            )
        }
        _ = try await store.flows.open(flow(1, true), pending: pending)
        let proof = Proof(check: "UserLogin", credential: .password, at: time.now.wall, acr: "1", amr: ["pwd"])
        try await store.flows.commit(
            FlowCommit(
                flow: flow(2, false),
                expectedRev: 1,
                authentication: Authentication(user: Self.user, proofs: [proof]),
                pendingRequest: pending.id
            )
        )
        guard let issued = try await authority.issue(pending: pending.id, caller) else { throw CancellationError() }
        return issued.refreshToken
    }
}
