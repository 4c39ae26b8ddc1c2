import Crypto
import Foundation
import OAuth
import Policies
import ProgramConfiguration
import StrictYAML
import TestSupport
import Testing

/// Tests that every key of every configuration file has an effect, or is reported as having none.
@Suite(.timeLimit(.minutes(10)))
struct EveryKeyTests {
    private let folder: TemporaryFolder
    private let scan: SourceScan

    init() throws {
        folder = try TemporaryFolder()
        scan = try SourceScan()
        let files = [
            "seed.json": #"[{"id": "a"}]"#, "keys.json": Self.keys, "logo.svg": "<svg/>",
            "ca.pem": LocalCertificate.certificate, "page.html": #"<header>Nordlicht</header><div id="api"></div>"#,
        ]
        for (name, text) in files { try Data(text.utf8).write(to: folder.url.appendingPathComponent(name)) }
        var secrets = ["one.pem": Self.privatePEM(), "other.pem": Self.privatePEM()]
        for name in ["UserLogin", "EmailCode", "secret", "0123456789abcdef"] {
            secrets[name] = "\(name)-is-a-secret-of-many-letters-and-digits"
        }
        for (name, text) in secrets {
            let file = folder.url.appendingPathComponent(name)
            try Data("\(text)\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
    }

    /// The sample texts that are tried as values and names.
    ///
    /// Each rule for texts must accept some of them.
    private var texts: [String] {
        [
            "UserLogin", "EmailCode", "Zip", "secret", "seed.json", "tasks", "email", "city", "extension_team",
            "b2c_1_other", "b2c_1_base", "tasks.read", "tasks.write", "local", "de", "fr-CA", "[a-z]+", "#102030",
            "2000-01-01", "2001-01-01", "127.0.0.1:8420", "127.0.0.1:9999", "10.0.0.0/8", "mail.example",
            "ann@example.org", "bob@example.org",
            "http://localhost:9000", "https://login.example", "https://other.example", "http://localhost/cb",
            "unix:/run/x.sock", "unix:/run/y.sock", "/api/balance", "/other", "http://proxy.example:3128",
            "http://other.example", "ca.pem",
        ]
    }

    /// The members of a check with a custom identity provider.
    private static let realm: [String: JSONValue] = [
        "type": "customIdentityProvider", "realm": "corp", "url": "https://idp.example", "tenant": "guid",
    ]

    /// The members that a predicate requires, for each method.
    private static let predicates: [[String: JSONValue]] = [
        ["method": "isLengthRange", "minLength": 1], ["method": "matchesRegex", "pattern": "[a-z]+"],
        ["method": "includesCharacters", "characters": "city"], ["method": "isDateRange", "from": "today"],
    ]

    private static func predicate(_ pattern: String) -> JSONValue {
        ["method": "matchesRegex", "pattern": .string(pattern), "help": ["en": "x"]]
    }

    /// The members of a check with an assertion.
    private static let badge: [String: JSONValue] = [
        "type": "assertion", "realm": "badge", "issuer": "https://badge.example", "publicKey": .string(pem),
    ]

    private static func privatePEM() -> String { P256.Signing.PrivateKey().pemRepresentation }

    private static let pem =
        "-----BEGIN PUBLIC KEY----- MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApC9shV23mJkT6Z3HH2yjZR3eJ58d84B9Q5XLEXmRL47E"
        + "iktyZAqrHgkGaFEZicvMjEvscro/MRJy4HW0naRlaVjXzMcQ/yqD3sqkq13lEm5a6RFyVqcg7fGGDVVAeqFbez7ipCTvEs0tvN4ULiqbkGGKSgWd"
        + "AW741ZxC1cN1BVrmP+s82DXnTb4i1YByEwh2jFemOIN2T4EirJeB8qg/sC1zQUGAXzubZtNmHokiCKTRDEhQ5yF0PEGUD4LuRlOqtImWixz5nipR"
        + "4Vrwwr2bJDv3vVgWzVykrJnyc9PJ95Nl1itEoQXCO8mRWNB426Eo9+jPBYJDU37enWJrKZt56QIDAQAB -----END PUBLIC KEY-----"

    private static let otherPEM =
        "-----BEGIN PUBLIC KEY----- MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA+Go6r4bg8rd/xMoCkB5FKoCT0qdK/FQSLFU9C300wlk5/TwWB56GuKtBpZCea2XpQG"
        + "2D08tdSO8pJ3GWIeZm7vxoBEu5pwthNhHUDJKv7Gj0hnJBC0KOY6tqE8ittvQVx1ymayGhBeJpl1lQTFNhzNr/5jFisZHf5iLjSZfWPwm902iY"
        + "xHXbZh67EzFYm5Z4PXysQgx+/0dKLYTgg8u/DZbaXLv5ejFEhfkBvpIvom1tz87CxTFlbgkozERW8agOaZG1Lm/k4XtjYzsU6aOd6Fa/9WZ08D"
        + "878ENJ/JxbSnF0cApYax0nrL0s2d4/a7ydIcPUFGcY5W/HoTJbYMC+awIDAQAB -----END PUBLIC KEY-----"

    /// A JWK Set with the key of a client.
    private static let keys = #"{"keys": [{"kty": "EC", "kid": "a"}]}"#

    private func walk(
        _ shape: Shape,
        base: [String: JSONValue] = [:],
        needs: [String: [[String: JSONValue]]] = [:],
        values: [String: [JSONValue]] = [:],
        _ read: @escaping (String) -> (Any?, [Problem])
    ) -> [String] {
        var walk = KeyWalk(texts: texts, base: base, needs: needs, values: values, scan: scan) { file in
            let (typed, problems) = read(String(decoding: file.bytes, as: UTF8.self))
            return .init(
                typed: typed.map { TypedDump($0, ignoring: ["digest", "place"]) { ($0 as? Secret)?.reveal() } },
                problems: problems.map(\.description)
            )
        }
        walk.walk(shape)
        return walk.failures
    }

    private func node<Typed>(_ text: String, _ read: (YAMLNode) -> (Typed?, [Problem])) -> (Any?, [Problem]) {
        do throws(Problem) {
            let (typed, problems) = read(try YAMLDocument.parse(text, file: "file"))
            return (typed.map { $0 as Any }, problems)
        } catch {
            return (nil, [error])
        }
    }

    private func catalogue(policy: String, checks: String) -> (Any?, [Problem]) {
        let (catalogue, problems) = PolicyCatalogue.load(files: [
            .init(path: "checks.yaml", text: checks), .init(path: folder.path("b2c_1_walked.yaml"), text: policy),
            .init(path: "b2c_1_base.yaml", text: "{kind: sign-in, displayName: Base}"),
            .init(path: "b2c_1_other.yaml", text: "{kind: sign-up, displayName: Other}"),
        ])
        return (catalogue.map { $0 as Any }, problems)
    }

    @Test("every key of tokenbrokerd.yaml has an effect") func broker() {
        let failures = walk(
            BrokerShape.file,
            base: ["issuerBase": "https://localhost:8420"],
            needs: [
                "mail": [["transport": "smtp", "host": "mail.example"]],
                "outgoing": [["proxy": "http://proxy.example:3128"]],
                "clients.*.allow={}": [["type": "confidential", "secretFile": "UserLogin"]],
                "clients.*": [
                    ["type": "confidential", "secretFile": "UserLogin", "jwks": .string(Self.keys)],
                    ["type": "confidential", "secretFile": "UserLogin"],
                ],
                "authorities.*": [
                    ["clientSecretFile": "UserLogin"], ["kind": "b2c"], ["privateKeyFile": "one.pem"],
                    ["grant": "token_exchange", "subjectScopes": ["tasks.read"]],
                ],
                "authorities.*.grant=client_credentials": [["clientSecretFile": "UserLogin", "uids": [1000]]],
                "authorities.*.grant=token_exchange": [["subjectScopes": ["tasks.read"]]],
                "identityProviders.*": [
                    ["clientSecretFile": "UserLogin"], ["preset": "google", "clientSecretFile": "UserLogin"],
                    ["preset": "google"], ["preset": "aad", "clientSecretFile": "UserLogin"],
                    ["kind": "oidc", "issuer": "https://login.example"],
                    ["kind": "oidc", "clientSecretFile": "UserLogin"],
                    ["issuer": "https://login.example", "clientSecretFile": "UserLogin"],
                    [
                        "kind": "oauth2", "issuer": "https://login.example", "clientSecretFile": "UserLogin",
                        "authorizationEndpoint": "https://login.example", "tokenEndpoint": "https://login.example",
                        "userinfoEndpoint": "https://login.example",
                    ],
                ],
                "identityProviders.*.kind=oauth2": [
                    [
                        "authorizationEndpoint": "https://login.example", "tokenEndpoint": "https://login.example",
                        "userinfoEndpoint": "https://login.example",
                    ]
                ],
            ],
            values: [
                "clients.*.secretFile": ["UserLogin", "EmailCode"], "clients.*.jwks": [.string(Self.keys)],
                "clients.*.jwksFile": ["keys.json"],
                "authorities.*.clientSecretFile": ["UserLogin", "EmailCode"],
                "authorities.*.privateKeyFile": ["one.pem", "other.pem"],
                "authorities.*.redirectURIs": [["http://localhost"], ["http://127.0.0.1/cb"]],
                "identityProviders.*.clientSecretFile": ["UserLogin", "EmailCode"],
                "identityProviders.*.tenant": [
                    "9188040d-6c67-4c5b-b112-36a304b66dad", "9188040d-6c67-4c5b-b112-36a304b66dae",
                ],
            ]
        ) { text in
            node(text) { BrokerConfiguration.read($0, folder: folder.url.path) }
        }
        #expect(failures == [])
    }

    @Test("every key of tasksd.yaml has an effect") func tasksd() {
        let socket = AuthoritySocket(path: "/run/tokenbroker/authority.sock", trustsFolder: true)
        let failures = walk(TasksdShape.file) { text in
            node(text) { TasksdConfiguration.read($0, folder: folder.url.path, authoritySockets: [socket]) }
        }
        #expect(failures == [])
    }

    @Test("every key of tasks.yaml has an effect") func tasks() {
        #expect(walk(TasksConfiguration.shape) { node($0) { TasksConfiguration.read($0) } } == [])
    }

    @Test("every key of a policy has an effect") func policy() {
        var needs: [String: [[String: JSONValue]]] = [
            "attributes[]": [["name": "extension_team"], ["name": "email"]], "claims[]": [["name": "city"]],
            "secondFactor": [["when": "always"]], "attributes[].options={}": [["name": "extension_team"]],
            "validations.*[]": [["predicates": ["UserLogin", "EmailCode"]]],
            "predicates.*": Self.predicates + [["method": "isLengthRange"]],
        ]
        for predicate in Self.predicates {
            needs["predicates.*.method=\(predicate["method"]?.string ?? "")"] = [predicate]
        }
        var values: [String: [JSONValue]] = [
            "pages.logo": ["logo.svg"], "pages.template": ["page.html"],
            "languages.overrides": [["de": ["step.password.title": "Hallo"]]],
        ]
        let basic: [String: JSONValue] = ["kind": "basic", "username": "ann", "passwordFile": "secret"]
        let bearer: [String: JSONValue] = ["kind": "bearer", "tokenFile": "secret"]
        let certificate: [String: JSONValue] = [
            "kind": "clientCertificate", "certificateFile": "ca.pem", "privateKeyFile": "secret",
        ]
        for place in Connector.Place.allCases.map({ "connectors.\($0.rawValue)" }) {
            values["\(place).url"] = ["https://login.example", "https://other.example"]
            values["\(place).auth"] = ["none", .object(basic)]
            let auth = "\(place).auth"
            needs["\(auth)={}"] = [["url": "https://login.example"]]
            needs[auth] = [basic, bearer, certificate]
            values["\(auth).username"] = ["ann", "bob"]
            for key in ["passwordFile", "tokenFile", "privateKeyFile"] {
                values["\(auth).\(key)"] = ["secret", "UserLogin"]
            }
            values["\(auth).certificateFile"] = ["ca.pem", "seed.json"]
        }
        let failures = walk(
            PolicyShape.policy,
            base: [
                "kind": "sign-up-or-sign-in", "identityProviders": ["local", "other"], "scopes": ["UserLogin": []],
                "predicates": ["UserLogin": Self.predicate("a"), "EmailCode": Self.predicate("b")],
                "validations": ["UserLogin": [["predicates": ["UserLogin"]]]],
            ],
            needs: needs,
            values: values
        ) {
            catalogue(
                policy: $0,
                checks: "checks: {UserLogin: {type: password}, EmailCode: {type: emailCode}, Zip: {type: totp}}"
            )
        }
        #expect(failures == [])
    }

    @Test("every key of a policy that an external authority runs has an effect") func outsidePolicy() {
        let failures = walk(PolicyShape.outside) {
            catalogue(policy: $0, checks: "checks: {UserLogin: {type: password}}")
        }
        #expect(failures == [])
    }

    @Test("every key of checks.yaml has an effect") func checks() {
        let base: [String: JSONValue] = [
            "checks": ["UserLogin": ["type": "password"], "Zip": ["type": "emailCode"]]
        ]
        let failures = walk(
            PolicyShape.checks,
            base: base,
            needs: ["checks.*": [["type": "pin"], Self.realm, Self.badge], "checks.*.auth={}": [Self.realm]],
            values: ["checks.*.publicKey": [.string(Self.pem), .string(Self.otherPEM)]]
        ) {
            // The walked check gets another name, because `UserLogin` must keep a type that identifies a user.
            let walked = "\"checks\":{\"UserLogin\":{\"type\":\"password\"},\"Walked\":"
            return catalogue(
                policy: "{kind: sign-in, signInChecks: [UserLogin, Walked]}",
                checks: $0.replacing("\"checks\":{\"UserLogin\":", with: walked)
            )
        }
        #expect(failures == [])
    }
}
