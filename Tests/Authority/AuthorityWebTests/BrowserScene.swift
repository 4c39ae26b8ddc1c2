import Authority
import AuthorityFixture
import AuthorityStore
import AuthorityWeb
import AuthorityWebFixture
import Credentials
import FlowModel
import Flows
import Foundation
import HTTPTypes
import Moments
import OAuth
import Policies
import TestSupport
import Testing

/// The authority's browser interface, with a real store and the shipped policies but no socket.
final class BrowserScene: Sendable {
    static let policy = "b2c_1_sign_up_or_in"
    static let email = "ada@example.org"
    static let password = "Correct-horse-7"

    let base: String
    /// Everything that was logged.
    let log = LogLines()
    private let fixture: AuthorityFixture
    let flows: FlowDirectory
    /// Hashes passwords, with a queue that is long enough for all concurrent answers of a test.
    ///
    /// Therefore, only the attempt limits can reject an answer.
    let hasher = PasswordHasher(queue: 256, parameters: AuthorityFixture.cheap)
    let web: AuthorityWebFixture

    var folder: TemporaryFolder { fixture.place.folder }
    var clock: TestClock { fixture.place.time }
    var store: AuthorityStore { fixture.store }
    var authority: Authority { fixture.authority }
    var browsers: BrowserFlows { web.browsers }
    var routes: AuthorityRoutes { web.routes }

    /// Creates an authority with the base URL `base`, two command-line clients and a third-party client.
    convenience init(
        base: String = "http://localhost:8420",
        policies: [Policy] = [],
        without kind: PolicyKind? = nil,
        password: Check? = nil,
        providers: ProviderCalls? = nil
    ) throws {
        try self.init(
            base: base,
            policies: policies,
            without: kind,
            password: password,
            providers: providers,
            in: AuthorityFixture.Place()
        )
    }

    private init(
        base: String,
        policies: [Policy],
        without kind: PolicyKind?,
        password: Check? = nil,
        providers: ProviderCalls? = nil,
        in place: AuthorityFixture.Place
    ) throws {
        self.base = base
        let logger = log.logger
        let shipped = try #require(Self.shipped)
        let catalogue = PolicyCatalogue(
            policies: shipped.policies.values.filter { old in
                old.kind != kind && !policies.contains { $0.id == old.id }
            } + policies,
            checks: shipped.checks.values.map { $0.credential == .password ? password ?? $0 : $0 },
            order: shipped.ordered(shipped.checks.keys).map(\.name)
        )
        let settings = AuthorityFixture.settings(
            base: base,
            apis: [
                ProtectedAPI(
                    name: "tasks",
                    audience: "tasks",
                    resources: ["https://api.example/tasks"],
                    scopes: ["tasks.read": "Read your tasks", "tasks.write": "Change your tasks"]
                )
            ],
            clients: Self.clients,
            policy: Self.policy
        )
        fixture = try AuthorityFixture(at: place, settings: { settings }, catalogue: { catalogue }, logger: logger)
        flows = fixture.flows(hasher: hasher, providers: providers)
        web = AuthorityWebFixture(fixture, flows: flows, logger: logger)
    }

    /// Creates a second daemon on the same database, with its own memory.
    ///
    /// `policies` are added to the shipped policies, and replace those with the same id.
    func secondDaemon(_ policies: [Policy] = []) throws -> BrowserScene {
        try BrowserScene(base: base, policies: policies, without: nil, in: fixture.place)
    }

    /// The shipped policies, which are read once for all scenes.
    private static let shipped = PolicyCatalogue.load(files: ShippedPolicies.files).0

    private static let clients: [OAuthClient] = [
        OAuthClient(
            ClientSummary(
                client: AuthoritySettings.defaultClient,
                name: "tokenbroker",
                redirectURIs: ["https://tasks.example/cb", "http://localhost"],
                configured: true
            ),
            isFirstParty: true,
            apis: ["tasks"]
        ),
        OAuthClient(
            ClientSummary(
                client: "tasks-cli",
                name: "tasks",
                redirectURIs: ["https://tasks.example/cb", "http://localhost"],
                configured: true
            ),
            isFirstParty: true,
            apis: ["tasks"],
            grants: [.authorizationCode, .refreshToken, .deviceCode]
        ),
        OAuthClient(
            ClientSummary(
                client: "web1",
                name: "Web One",
                redirectURIs: ["https://web.example/cb", "com.example.app:/back"],
                signOut: SignOutAddresses(
                    postLogoutRedirectURIs: ["https://web.example/out"],
                    backchannelLogoutURI: "https://web.example/bye"
                ),
                configured: true
            ),
            apis: ["tasks"]
        ),
    ]

    /// A response, with accessors for the parts of its page that tests use.
    struct Answer {
        let status: Int
        let headers: HTTPFields
        let text: String

        var location: String { headers[.location] ?? refresh }

        /// The address in the `Refresh` header field, or an empty string.
        private var refresh: String {
            HTTPField.Name("Refresh").flatMap { headers[$0] }.map { String($0.dropFirst("0; url=".count)) } ?? ""
        }

        /// The parameters of the authorization response, from the query or the fragment of ``location``.
        var reply: Form {
            let rest = location.split(separator: "#", maxSplits: 1).last ?? ""
            let query = rest.split(separator: "?", maxSplits: 1).last ?? ""
            return (try? Form(location.contains("#") ? rest : query)) ?? Form([:])
        }

        /// The hidden fields of the page's first form.
        var hidden: [String: String] {
            let form = text.prefix(upTo: text.range(of: "</form>")?.lowerBound ?? text.endIndex)
            let pattern = /<input type="hidden" name="([^"]+)" value="([^"]*)"/
            return Dictionary(form.matches(of: pattern).map { (String($0.1), String($0.2)) }) { first, _ in first }
        }

        /// Returns the page's form with the decision to allow a flow from a terminal, and with the words that the user
        /// typed.
        func typing(_ words: [String]) -> [String: String] {
            hidden.merging(["_decision": "allow", "_words": words.joined(separator: " ")]) { $1 }
        }

        /// Returns the page's text without its address, hidden fields, request id and time, which differ between
        /// browsers.
        func words(_ browser: TestBrowser) -> String {
            let own = ([browser.place] + hidden.values).filter { !$0.isEmpty }.sorted { $0.count > $1.count }
            return own.reduce(text) { $0.replacing($1, with: "") }
                .replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "")
                .replacing(/\d\d(:|%3A)\d\d(:|%3A)\d\d/, with: "")
        }
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        form: [String: String]? = nil,
        cookies: String? = nil,
        headers: HTTPFields = [:],
        body: String? = nil,
        from address: UInt8 = 7,
        uid: UInt32? = nil
    ) async throws -> Answer {
        var headers = headers
        if let cookies { headers[.cookie] = cookies }
        let text = body ?? form.map { Form.encoded($0.map { ($0.key, $0.value) }) }
        if text != nil, headers[.contentType] == nil { headers[.contentType] = "application/x-www-form-urlencoded" }
        let answer = try await web.answer(
            method,
            path,
            headers: headers,
            body: text ?? "",
            over: uid.map { .socket(uid: $0) } ?? .tcp(client: address)
        )
        return Answer(status: answer.status, headers: answer.headers, text: answer.text)
    }

    // MARK: Requests

    /// The example code verifier from RFC 7636 appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    /// Returns the parameters of a valid authorization request, with `changes` applied.
    ///
    /// A `nil` value removes the parameter.
    static func parameters(_ changes: [String: String?] = [:]) -> [String: String] {
        var all: [String: String] = [
            "client_id": "tasks-cli", "response_type": "code", "redirect_uri": "https://tasks.example/cb",
            "scope": "openid tasks.read", "state": "st 1", "nonce": "n1",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        ]
        for (name, value) in changes { all[name] = value }
        return all
    }

    /// Sends a valid authorization request, with `changes` applied to its parameters.
    func authorize(
        _ changes: [String: String?] = [:],
        path: String = "/local/\(policy)/oauth2/v2.0/authorize",
        cookies: String? = nil,
        from address: UInt8 = 7,
        uid: UInt32? = nil
    ) async throws -> Answer {
        let query = Form.encoded(Self.parameters(changes).map { ($0.key, $0.value) })
        let target = path + (path.contains("?") ? "&" : "?") + query
        return try await send(.get, target, cookies: cookies, from: address, uid: uid)
    }

    /// Redeems a code at the token endpoint and returns the response.
    func redeem(
        _ code: String,
        client: String = "tasks-cli",
        redirectURI: String = "https://tasks.example/cb",
        policy: String = BrowserScene.policy
    ) async throws -> JSONValue {
        try await authority.start()
        let form = [
            "grant_type": "authorization_code", "client_id": client, "code": code, "redirect_uri": redirectURI,
            "code_verifier": Self.verifier,
        ]
        let request = ProgramRequest(
            policy: policy,
            form: Form(form),
            origin: .address("198.51.100.9"),
            correlationID: .random()
        )
        return try await authority.programs.token(request).json
    }

    /// Returns the six-digit code from the newest email.
    func mailedCode() async throws -> String {
        let mails = try await store.outbox.take(limit: 100, lease: .seconds(3600))
        let text = try #require(mails.last).mail.body.reveal()
        return String(try #require(text.firstMatch(of: /\b([0-9]{6})\b/)).1)
    }
}
