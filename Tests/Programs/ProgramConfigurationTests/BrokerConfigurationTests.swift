import FlowModel
import Foundation
import Logging
import OAuth
import Origins
import Policies
import ProgramConfiguration
import StrictYAML
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct BrokerConfigurationTests {
    private func read(_ text: String, folder: String = "/etc/tokenbroker") throws -> (BrokerConfiguration?, [String]) {
        let node = try YAMLDocument.parse(text, file: "f")
        let (configuration, problems) = BrokerConfiguration.read(node, folder: folder)
        return (configuration, problems.map(\.description))
    }

    @Test("an empty file means the embedded defaults") func defaults() throws {
        let (configuration, problems) = try read("")
        #expect(problems.isEmpty, "\(problems)")
        let c = try #require(configuration)
        #expect(c.tenant == "local" && c.issuerBase == "http://localhost:8420")
        #expect(c.server.listen.map(\.description) == ["127.0.0.1:8420", "[::1]:8420"])
        #expect(c.server.tls == nil && !c.server.behindProxy && c.server.metricsListen == nil)
        #expect(c.server.logLevel == .info && c.server.logFormat == .journal)
        #expect(c.defaultPolicy.description == "b2c_1_sign_up_or_in")
        #expect(c.operatorUIDs == [0] && c.operatorGroups.isEmpty)
        #expect(c.mail == BrokerConfiguration.standard?.mail && c.mail.folder("/s") == "/s/outbox")
        #expect(c.mail.codeInSubject)
        #expect(c.apis["tasks"]?.audience == "tasks")
        #expect(c.apis["tasks"]?.scopes["tasks.read"] == "Read your tasks")
        #expect(c.apis["tasks"]?.scopes.count == 4)
        #expect(c.apis["tasks"]?.defaultScopes == ["tasks.read", "tasks.write"] && c.refreshGrace == .seconds(10))
        #expect(c.clients.keys.sorted() == ["tasks-cli", "tokenbroker-cli"])
        #expect(c.clients["tasks-cli"]?.isFirstParty == true && c.clients["tasks-cli"]?.apis == ["tasks"])
        #expect(c.limits.flowsPerUid == 8 && c.limits.flows == 256 && c.limits.kdfQueue == 32)
        let catalogue = try #require(PolicyCatalogue.load(files: ShippedPolicies.files).0)
        #expect(c.problems(with: catalogue).isEmpty)
    }

    @Test(
        "an invalid value is refused with its line and the accepted form",
        arguments: [
            ("tennant: x", "f:1: unknown key `tennant`; did you mean `tenant`?"),
            ("tenant: Local", "f:1: `tenant` must be lower-case letters, digits, dots and hyphens"),
            ("tenant: device", "is device, which is a reserved path"),
            (
                "issuerBase: http://localhost:8421",
                "f:1: `listen` has no address with port 8421, where `issuerBase` is: http://localhost:8421"
            ),
            (
                "tenant: local\nlisten: [\"127.0.0.1:8421\"]",
                "f:2: `listen` has no address with port 8420, where `issuerBase` is: http://localhost:8420"
            ),
            ("issuerBase: http://login.example", "http is allowed for loopback addresses only, so use https"),
            (
                "issuerBase: http://localhost/tasks:3000",
                "f:1: `issuerBase` is http://localhost/tasks:3000; put the port after the host: http://localhost:3000/tasks"
            ),
            ("issuerBase: https://login.example/", "remove the / at the end: https://login.example"),
            ("issuerBase: https://login.example/x", "remove the path: https://login.example"),
            ("issuerBase: https://a:b@login.example", "must not contain a user name or password"),
            ("issuerBase: https://login.example?x=1", "must not have a query or a fragment"),
            ("issuerBase: ftp://login.example", "must be a URL that begins with http:// or https://"),
            (
                "a: 1\nlisten: [\"0.0.0.0:8420\"]",
                "f:2: `listen`: 0.0.0.0:8420 can be reached by other machines without TLS"
            ),
            ("listen: [\"[::]:8420\"]", "can be reached by other machines without TLS"),
            ("listen: [\"localhost:8420\"]", "it must be an address and a port, such as 127.0.0.1:8420 or [::1]:8420"),
            ("listen: [\"127.0.0.1:70000\"]", "it must be an address and a port"),
            ("listen: [\"::1:8420\"]", "it must be an address and a port"),
            ("listen: []", "`listen` has 0 items; it must have at least 1"),
            ("listen: [\"127.0.0.1:1\", \"127.0.0.1:1\"]", "`listen` has 127.0.0.1:1 twice"),
            ("tls: localCA", "`issuerBase` is http, but `tls` is set; it must be https"),
            (
                "tls: localCA\nissuerBase: https://login.example:8420",
                "the certificate of `tls: localCA` is for localhost only, and `issuerBase` is at login.example"
            ),
            (
                "tls: localCA\nissuerBase: https://localhost:8420\nlisten: [\"0.0.0.0:8420\"]",
                "0.0.0.0:8420 is not loopback, and the certificate of `tls: localCA` is for localhost only"
            ),
            (
                "tls: {certificate: /nowhere/c.pem, privateKeyFile: k.pem}",
                "`tls.certificate`: /nowhere/c.pem cannot be read"
            ),
            (
                "tls: {certificate: /nowhere/c.pem, privateKeyFile: k.pem}",
                "`tls.privateKeyFile`: /etc/tokenbroker/k.pem cannot be read"
            ),
            ("tls: {certificate: c.pem}", "`tls.privateKeyFile` is missing"),
            ("proxies: [\"10.0.0.0/33\"]", "must end in / and 0 to 32"),
            ("defaultPolicy: sign_in", "`defaultPolicy` names no policy: A policy name is b2c_1_"),
            ("refreshGraceSec: 61", "f:1: `refreshGraceSec` is 61; it must be a whole number from 0 to 60"),
            ("refreshGraceSec: -1", "f:1: `refreshGraceSec` is -1; it must be a whole number from 0 to 60"),
            (
                "apis: {t: {scopes: {t.read: Read}, defaultScopes: [t.raed]}}",
                "f:1: `apis.t.defaultScopes`: `apis.t.scopes` does not define t.raed; did you mean t.read?"
            ),
            ("signUp: sometimes", "`signUp` is sometimes; it must be one of open, invited, closed"),
            ("operators: {uids: [-1]}", "`operators.uids[0]` is -1; it must be a whole number from 0 to 4294967293"),
            ("mail: {transport: smtp}", "`mail.host` is missing: `transport: smtp` needs a mail server"),
            ("mail: {transport: smtp, host: \"mail.example:25\"}", "must be a host's name or address, without a port"),
            ("mail: {transport: smtp, host: a.example, startTLS: implicit}", "`mail.startTLS`"),
            (
                "mail: {transport: smtp, host: a.example, username: u}",
                "`mail.passwordFile` is missing: authentication needs a user name and a password"
            ),
            (
                "mail: {transport: smtp, host: a.example, passwordFile: /p}",
                "`mail.username` is missing: authentication needs a user name and a password"
            ),
            (
                "mail: {transport: smtp, host: a.example, username: u, passwordFile: /nowhere}",
                "/nowhere cannot be read"
            ),
            ("mail: {transport: smtp, host: a.example, username: u, passwordFile: /}", "/ is not a file"),
            (
                "mail: {transport: smtp, host: a.example, username: u, passwordFile: /etc/passwd}",
                "can be read by others, its mode must be 0600; run: chmod 600 /etc/passwd"
            ),
            (
                "mail: {transport: smtp, host: 127.example, username: u, passwordFile: /p, startTLS: false}",
                "the password would be sent unencrypted to 127.example"
            ),
            ("mail: {transport: pigeon}", "`mail.transport`"),
            ("mail: {program: /bin/x}", "`mail.program` is not supported by this version: another `sendmail` program"),
            ("mail: {from: nobody}", "`mail.from` must be an e-mail address"),
            ("mail: {codeInSubject: never}", "`mail.codeInSubject`"),
            ("mail: {password: x}", "unknown key `mail.password`; did you mean `passwordFile`?"),
            ("identityProviders: {f: {preset: facebook}}", "`identityProviders.f.clientId` is missing"),
            (
                "identityProviders: {f: {preset: facebook, clientId: a}}",
                "`identityProviders.f.clientSecretFile` is missing: specify a file with the provider's secret"
            ),
            (
                "identityProviders: {f: {preset: facebook, clientId: a, clientSecretFile: /absent}}",
                "`identityProviders.f.clientSecretFile`: /absent cannot be read"
            ),
            (
                "identityProviders: {f: {clientId: a, authMethod: none}}",
                "`identityProviders.f.preset` or `identityProviders.f.kind` is missing"
            ),
            (
                "identityProviders: {f: {preset: google, kind: oidc, clientId: a, authMethod: none}}",
                "`identityProviders.f.kind` and `identityProviders.f.preset` are both set"
            ),
            (
                "identityProviders: {f: {preset: google, issuer: https://a.example, clientId: a, authMethod: none}}",
                "`identityProviders.f.issuer` is defined by the preset"
            ),
            (
                "identityProviders: {f: {kind: oidc, clientId: a, authMethod: none}}",
                "`identityProviders.f.issuer` is missing"
            ),
            (
                "identityProviders: {f: {kind: oidc, issuer: http://login.example, clientId: a, authMethod: none}}",
                "`identityProviders.f.issuer` is an http URL, which is allowed for loopback addresses only; use https"
            ),
            (
                "identityProviders: {f: {kind: oidc, issuer: https://169.254.169.254, clientId: a, authMethod: none}}",
                "`identityProviders.f.issuer` must not be a link-local address"
            ),
            (
                "identityProviders: {f: {kind: oidc, issuer: https://l.example, clientId: a, authMethod: none, scopes: [a]}}",
                "`identityProviders.f.scopes` must include openid"
            ),
            (
                "identityProviders: {f: {kind: oauth2, issuer: https://l.example, clientId: a, authMethod: none}}",
                "`identityProviders.f.tokenEndpoint` is missing"
            ),
            (
                "identityProviders: {f: {preset: aad, clientId: a, authMethod: none}}",
                "`identityProviders.f.tenant` is missing"
            ),
            (
                "identityProviders: {f: {preset: google, tenant: 9188040d-6c67-4c5b-b112-36a304b66dad, clientId: a, authMethod: none}}",
                "`identityProviders.f.tenant` is only for the preset aad"
            ),
            (
                "identityProviders: {local: {preset: google, clientId: a, authMethod: none}}",
                "`identityProviders.local`: the name `local` is reserved for this authority"
            ),
            ("identityProviders: {f: {preset: gogle, clientId: a}}", "did you mean google?"),
            ("identityProviders: {f: {preset: google, clientID: a}}", "did you mean `clientId`?"),
            (
                "authorities: {contoso: {kind: b2c, url: \"https://l.example/?p=x\", clientId: a}}",
                "`authorities.contoso.url` must not have a query if `kind` is b2c"
            ),
            (
                "authorities: {contoso: {url: https://L.example/Contoso, clientId: a}}",
                "write the host in lower case: https://l.example/Contoso"
            ),
            (
                "authorities: {contoso: {url: https://l.example/.well-known/openid-configuration, clientId: a}}",
                "write the issuer: https://l.example"
            ),
            (
                "identityProviders: {f: {kind: oidc, issuer: https://L.example, clientId: a, authMethod: none}}",
                "write the host in lower case: https://l.example"
            ),
            (
                "authorities: {contoso: {kind: b2c, url: https://l.example/t/b2c_1_x/v2.0, clientId: a}}",
                "`authorities.contoso.url` is the issuer of a policy; write the URL of the tenant: https://l.example/t"
            ),
            (
                "authorities: {contoso: {url: https://l.example, clientId: a, policyIn: query}}",
                "`authorities.contoso.policyIn` is for authorities of kind b2c"
            ),
            ("authorities: {contoso: {url: https://l.example}}", "`authorities.contoso.clientId` is missing"),
            (
                "authorities: {contoso: {url: http://l.example, clientId: a}}",
                "is an http URL, which is allowed for loopback addresses only"
            ),
            (
                "authorities: {local: {url: https://l.example, clientId: a}}",
                "the name `local` is reserved for this authority"
            ),
            (
                "authorities: {b2c_1_x: {url: https://l.example, clientId: a}}",
                "`authorities.b2c_1_x` is the name of a policy"
            ),
            (
                "authorities: {contoso: {url: https://l.example, clientId: a, authMethod: client_secret_basic}}",
                "`authorities.contoso.authMethod` needs a client secret"
            ),
            (
                "authorities: {contoso: {url: https://l.example, clientId: a, clientSecretFile: nowhere}}",
                "`authorities.contoso.clientSecretFile`"
            ),
            (
                "authorities: {contoso: {url: https://l.example, clientId: a, origins: [https://a.example/path]}}",
                "`authorities.contoso.origins[0]`"
            ),
            (
                "authorities: {contoso: {url: https://l.example, clientId: a, redirectURIs: [https://a.example]}}",
                "`authorities.contoso.redirectURIs` takes http://localhost:8420/local/oauth2/authresp, addresses such as"
            ),
            (
                "authorities: {contoso: {url: https://l.example, clientId: a, redirectURIs: [\"http://localhost:99999\"]}}",
                "`authorities.contoso.redirectURIs` takes http://localhost:8420/local/oauth2/authresp, addresses such as"
            ),
            (
                "authorities: {c: {url: https://l.example, clientId: a, grant: client_credentials, clientSecretFile: x}}",
                "`authorities.c.uids` is missing: list the uids that may use the service's tokens"
            ),
            (
                "authorities: {c: {url: https://l.example, clientId: a, grant: client_credentials, uids: [1]}}",
                "`authorities.c` has neither `clientSecretFile` nor `privateKeyFile`"
            ),
            (
                "authorities: {c: {url: https://l.example, clientId: a, grant: token_exchange}}",
                "`authorities.c.subjectScopes` is missing"
            ),
            (
                "authorities: {c: {url: https://l.example, clientId: a, subjectScopes: [x]}}",
                "`authorities.c.subjectScopes` is for `grant: token_exchange`"
            ),
            (
                "authorities: {c: {kind: b2c, url: https://l.example, clientId: a, grant: token_exchange, subjectScopes: [x]}}",
                "`authorities.c.grant`: authorities of kind b2c support only authorization_code"
            ),
            (
                "authorities: {c: {url: https://l.example, clientId: a, grant: token_exchange, subjectScopes: [x], "
                    + "parameters: {a: b}}}",
                "`authorities.c.parameters` is only for `grant: authorization_code`"
            ),
            (
                "authorities: {c: {url: https://l.example, clientId: a, privateKeyFile: /absent}}",
                "`authorities.c.privateKeyFile`: /absent cannot be read"
            ),
            (
                "authorities: {c: {url: https://l.example, clientId: a, privateKeyFile: a.pem, clientSecretFile: a.secret}}",
                "`authorities.c.clientSecretFile` and `privateKeyFile` are both set"
            ),
            (
                "authorities: {c: {url: https://l.example, clientId: a, keyId: x}}",
                "`authorities.c.keyId` is for `privateKeyFile`"
            ),
            ("apis: {a: {audience: x}, b: {audience: x}}", "`apis.b` has the audience of `apis.a`"),
            ("apis: {tasks: {scopes: {\"a b\": x}}}", "the name `apis.tasks.scopes.a b` must be letters"),
            ("clients: {c: {}}", "`clients.c.type` is missing; it must be one of public, browser, confidential"),
            (
                "clients: {c: {type: public, apis: [task]}}",
                "`clients.c.apis`: `apis` does not define task; did you mean tasks?"
            ),
            ("clients: {c: {type: public, clientSecret: x}}", "unknown key `clients.c.clientSecret`"),
            ("clients: {c: {type: public, secretFile: /dev/null}}", "a public client cannot have a secret"),
            ("clients: {c: {type: confidential}}", "`clients.c.secretFile` is missing"),
            ("clients: {c: {type: confidential, secretFile: nowhere}}", "/etc/tokenbroker/nowhere cannot be read"),
            (
                "clients: {c: {type: public, jwksFile: x}}",
                "`clients.c.jwksFile`: a public client cannot have a secret or a key"
            ),
            (
                "clients: {c: {type: browser, secretFile: /dev/null}}",
                "`clients.c.secretFile`: a browser client cannot have a secret or a key"
            ),
            (
                "clients: {c: {type: browser, grants: [authorization_code, device_code]}}",
                "`clients.c.grants`: device_code is not for browser clients"
            ),
            (
                "clients: {c: {type: browser, grants: [client_credentials]}}",
                "client_credentials is for confidential clients"
            ),
            (
                "clients: {c: {type: browser, redirectURIs: [\"com.example.app:/cb\"]}}",
                "`clients.c.redirectURIs`: com.example.app:/cb is not the address of a page"
            ),
            (
                "clients: {c: {type: browser, postLogoutRedirectURIs: [\"com.example.app:/out\"]}}",
                "`clients.c.postLogoutRedirectURIs`: com.example.app:/out is not the address of a page"
            ),
            ("clients: {c: {type: confidential, secretFile: /dev/null}}", "/dev/null is not a file"),
            ("clients: {c: {type: confidential, jwksFile: nowhere}}", "/etc/tokenbroker/nowhere cannot be read"),
            ("clients: {c: {type: confidential, jwks: '{}'}}", "`clients.c.jwks` is not a JWK set"),
            (
                "clients: {c: {type: confidential, jwks: '{\"keys\":[\(Self.manyKeys)]}'}}",
                "`clients.c.jwks`: the key set has more than 64 keys"
            ),
            (
                "clients: {c: {type: confidential, jwks: '{\"keys\":[{\"kty\":\"EC\",\"d\":\"x\"}]}'}}",
                "`clients.c.jwks` contains a private key"
            ),
            (
                "clients: {c: {type: confidential, jwks: '{\"keys\":[{\"kty\":\"EC\"}]}', authMethods: [client_secret_post]}}",
                "`clients.c.authMethods`: client_secret_post needs `clients.c.secretFile`"
            ),
            (
                "apis: {a: {resources: [\"https://x.example\"]}, b: {resources: [\"https://x.example\"]}}",
                "`apis.b.resources`: https://x.example already belongs to `apis.a`"
            ),
            (
                "apis: {a: {origins: [\"https://x.example:443\"]}, b: {origins: [\"https://x.example\"]}}",
                "`apis.b.origins`: https://x.example already belongs to `apis.a`"
            ),
            (
                "apis: {a: {origins: [\"http://x.example\"]}}",
                "http is allowed for loopback addresses only, so use https"
            ),
            ("apis: {a: {origins: [\"https://x.example/v1\"]}}", "remove the path: https://x.example"),
            ("apis: {a: {origins: [\"https://u@x.example\"]}}", "must not contain a user name or password"),
            (
                "apis: {a: {origins: [\"*\"]}}",
                "which would allow tokens to be sent anywhere; it must be a list of origins"
            ),
            (
                "clients: {c: {type: public, grants: [client_credentials]}}",
                "client_credentials is for confidential clients"
            ),
            ("clients: {c: {type: public, grants: [password]}}", "it must be one of authorization_code"),
            (
                "clients: {c: {type: public, redirectURIs: [\"urn:ietf:wg:oauth:2.0:oob\"]}}",
                "cannot be registered; use a loopback address such as http://localhost, or the device code"
            ),
            (
                "clients: {c: {type: public, redirectURIs: [\"http://web.example/cb\"]}}",
                "must use https; http is allowed for loopback addresses only"
            ),
            ("clients: {c: {type: public, redirectURIs: [\"https://web.example/#x\"]}}", "without a fragment"),
            ("clients: {c: {type: public, redirectURIs: [\"https://*.example/\"]}}", "or wildcard"),
            ("clients: {c: {type: public, redirectURIs: [\"myapp:/cb\"]}}", "must be a reversed domain name"),
            (
                "clients: {c: {type: public, allow: {uids: [1]}}}",
                "`clients.c.allow`: every local caller may use a public client"
            ),
            (
                "clients: {c: {type: confidential, secretFile: s, allow: {units: [a.service]}}}",
                "`clients.c.allow.units` is not accepted: a process can act through any other process of the same uid"
            ),
            (
                "clients: {c: {type: confidential, secretFile: s, allow: {programs: [/usr/bin/a]}}}",
                "`clients.c.allow.programs` is not accepted: a process can act through any other process of the same uid"
            ),
            ("clients: {c: {type: confidential, secretFile: s, allow: {users: [1]}}}", "`clients.c.allow.users`"),
            ("clients: {c: {type: public}, c: {type: public}}", "`c` is given twice"),
            ("limits: {flowsPerUid: 0}", "`limits.flowsPerUid` is 0; it must be a whole number from 1 to 64"),
            ("limits: {flowsPerUid: 9, flows: 8}", "`limits.flowsPerUid` is more than `limits.flows`"),
            ("limits: {kdfJobs: 65}", "from 1 to 64"),
            ("log: {level: loud}", "`log.level` is loud; it must be one of trace, debug"),
            (
                "metrics: {listen: everywhere}",
                "`metrics.listen` is everywhere; it must be an address and a port"
            ),
        ]
    )
    func refused(_ text: String, problem: String) {
        do {
            let (configuration, problems) = try read(text)
            #expect(configuration == nil)
            #expect(problems.contains { $0.contains(problem) }, "\(problems)")
        } catch {
            #expect("\(error)".contains(problem))
        }
    }

    private static let manyKeys = Array(repeating: #"{"kty":"EC"}"#, count: 65).joined(separator: ",")

    @Test("keywords have the meaning that the daemon gives them") func words() throws {
        let (configuration, problems) = try read(
            """
            signUp: invited
            log: {level: debug, format: json}
            clients: {c: {type: public, grants: [refresh_token], idTokenAlg: EdDSA, accessTokenAlg: RS256}}
            authorities:
              contoso: {kind: b2c, url: "https://contoso.example/t", clientId: a, policyIn: query}
            """
        )
        #expect(problems.isEmpty, "\(problems)")
        let c = try #require(configuration)
        #expect(c.signUp == .invited && c.server.logLevel == .debug && c.server.logFormat == .json)
        let client = try #require(c.clients["c"])
        #expect(client.kind == .public && client.grants == [.refreshToken] && client.authMethods.isEmpty)
        #expect(client.signing == TokenSigning(idToken: .edDSA, accessToken: .rs256))
        let contoso = try #require(c.authorities["contoso"])
        #expect(contoso.policyIn == .query && contoso.grant == .authorizationCode && contoso.authMethod == nil)
    }

    @Test(
        "a client's secret has at least 128 random bits",
        arguments: [
            ("0123456789abcdef0123456789abcde", false), ("0123456789abcdef0123456789abcdef", true),
            ("Zm9vYmFyYmF6cXV4MTIzN", false), ("Zm9vYmFyYmF6cXV4MTIzNA", true),
            (String(repeating: "ab", count: 32), false),
        ]
    )
    func secrets(_ secret: String, isLongEnough: Bool) throws {
        let folder = try TemporaryFolder()
        try Data((secret + "\n").utf8).write(to: folder.url.appendingPathComponent("c.secret"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("c.secret"))
        let text = "clients: {c: {type: confidential, secretFile: c.secret, grants: [client_credentials]}}"
        let (configuration, problems) = try read(text, folder: folder.url.path)
        #expect((configuration != nil) == isLongEnough, "\(problems)")
        #expect(problems.isEmpty == isLongEnough, "\(problems)")
        #expect(problems.allSatisfy { $0.contains("has fewer than 128 random bits") && !$0.contains(secret) })
        #expect(
            configuration?.clients["c"]?.authMethods ?? []
                == (isLongEnough ? [.clientSecretBasic, .clientSecretPost] : [])
        )
    }

    @Test(
        "a proxy is http://, a host and a port, without a user name and a password",
        arguments: [
            ("http://proxy.example:3128", "proxy.example", 3128), ("http://proxy.example/", "proxy.example", 80),
            ("http://10.0.0.1:8080", "10.0.0.1", 8080), ("https://proxy.example:3128", nil, 0),
            ("http://ann:secret@proxy.example:3128", nil, 0), ("http://proxy.example:3128/path", nil, 0),
            ("http://proxy.example?x", nil, 0), ("http://proxy.example:0", nil, 0), ("http://", nil, 0),
            ("proxy.example:3128", nil, 0),
        ] as [(String, String?, Int)]
    )
    func proxies(_ text: String, _ host: String?, _ port: Int) throws {
        let (configuration, problems) = try read("outgoing: {proxy: \"\(text)\"}")
        #expect(configuration?.outgoing.proxy?.host == host)
        #expect(host == nil ? !problems.isEmpty : configuration?.outgoing.proxy?.port == port && problems.isEmpty)
        #expect(!problems.contains { $0.description.contains("secret") }, "\(problems)")
    }

    @Test("the proxy's user name and password file belong together, and the route reads the file") func proxyAccess()
        throws
    {
        let folder = try TemporaryFolder()
        let file = folder.path("proxy.password")
        try Data("Planted-pass\n".utf8).write(to: URL(fileURLWithPath: file))
        func problems(_ keys: String) throws -> [String] {
            try read("outgoing: {\(keys)}", folder: folder.url.path).1
        }
        let proxy = "proxy: \"http://proxy.example\""
        let both = "proxyUsername: user, proxyPasswordFile: proxy.password"
        #expect(try problems("\(proxy), \(both)").first?.contains("can be read by others") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let (configuration, found) = try read("outgoing: {\(proxy), \(both)}", folder: folder.url.path)
        #expect(found == [] && configuration?.outgoing.proxyCredentials?.username == "user")
        _ = try #require(configuration).outgoing.route()
        try FileManager.default.removeItem(atPath: file)
        let error = #expect(throws: OutgoingSettings.Unusable.self) { _ = try configuration?.outgoing.route() }
        #expect(error?.description == "`outgoing.proxyPasswordFile`: \(file) cannot be read")
        #expect(
            try problems("\(proxy), proxyUsername: user") == [
                "f:1: `outgoing.proxyPasswordFile` is missing: the proxy requires a user name and a password"
            ]
        )
        let alone = try problems("\(proxy), proxyPasswordFile: x").first
        #expect(alone?.contains("`outgoing.proxyUsername` is missing") == true)
        #expect(try problems("\(proxy), proxyUsername: \"a:b\", proxyPasswordFile: x").first?.contains("colon") == true)
        #expect(try problems(both).contains { $0.contains("`outgoing.proxyUsername` has no effect without") })
    }

    @Test("the configuration on the page about proxies is valid") func proxiesPage() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("proxy.password")
        try Data("pass\n".utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let blocks = try ProjectFolder.text("docs/proxies.md").matches(of: /(?s)```yaml\n(.*?)```/).map { String($0.1) }
        #expect(blocks.count == 2)
        for block in blocks { #expect(try read(block, folder: folder.url.path).1 == [], "\(block)") }
    }

    @Test("the environment's proxy variables are reported by name, in upper and lower case, without their values")
    func proxyVariables() {
        let environment = [
            "HTTPS_PROXY": "http://user:Planted@proxy.example", "no_proxy": "localhost", "HTTP_PROXY": "", "PATH": "/",
        ]
        #expect(ProxyVariables.set(in: environment) == ["HTTPS_PROXY", "no_proxy"])
        let log = LogLines()
        ProxyVariables.log(to: log.logger, in: environment)
        ProxyVariables.log(to: log.logger, in: ["PATH": "/"])
        #expect(
            log.all == [
                "notice: proxy variables of the environment are not read variables=HTTPS_PROXY, no_proxy"
            ]
        )
    }

    @Test("a file of certificate authorities exists and contains one") func authoritiesOfCertificates() throws {
        let folder = try TemporaryFolder()
        try Data("no certificate".utf8).write(to: folder.url.appendingPathComponent("ca.pem"))
        for (name, fault) in [
            ("ca.pem", "contains no readable certificates (PEM)"), ("none.pem", "cannot be read"),
            (".", "is not a file"),
        ] {
            let problems = try read("outgoing: {caFile: \"\(name)\"}", folder: folder.url.path).1
            #expect(
                problems.contains { "\($0)".contains("`outgoing.caFile`: \(folder.path(name)) \(fault)") },
                "\(problems)"
            )
        }
    }

    @Test("a listener beyond loopback is accepted behind a proxy or with TLS") func listeners() throws {
        let folder = try TemporaryFolder()
        for name in ["c.pem", "k.pem"] { try Data().write(to: folder.url.appendingPathComponent(name)) }
        let proxy =
            "issuerBase: https://a.example\nlisten: [\"0.0.0.0:80\"]\nbehindProxy: true\nproxies: [\"10.0.0.0/8\"]\n"
        #expect(try read(proxy + "forwardedHeader: Forwarded\n").1.isEmpty)
        let tls =
            "issuerBase: https://a.example\nlisten: [\"0.0.0.0:443\"]\ntls: {certificate: c.pem, privateKeyFile: k.pem}\n"
        let (configuration, problems) = try read(tls, folder: folder.url.path)
        #expect(problems.isEmpty, "\(problems)")
        let files = ServerSettings.TLS.files(certificate: folder.path("c.pem"), privateKeyFile: folder.path("k.pem"))
        #expect(configuration?.server.tls == files)
    }

    @Test("a file with clients and APIs leaves the command lines clients of all APIs") func clients() throws {
        let text = """
            apis: {orders: {scopes: {read: Read orders}}}
            clients:
              app1: {type: public, apis: [orders], redirectURIs: ["http://127.0.0.1/cb", "com.example.app:/cb"]}
            """
        let (configuration, problems) = try read(text)
        #expect(problems.isEmpty, "\(problems)")
        #expect(configuration?.clients.keys.sorted() == ["app1", "tasks-cli", "tokenbroker-cli"])
        #expect(configuration?.clients["tokenbroker-cli"]?.apis == ["orders"])
        #expect(configuration?.clients["app1"]?.isFirstParty == false)
        #expect(configuration?.apis["orders"]?.audience == "orders")
    }

    @Test("a missing default policy is an error, and a scope of no API a warning") func policies() throws {
        let catalogue = try #require(PolicyCatalogue.load(files: ShippedPolicies.files).0)
        let text = "tenant: x\ndefaultPolicy: b2c_1_sign_inn\napis: {tasks: {scopes: {tasks.read: Read}}}\n"
        let problems = try #require(try read(text).0).problems(with: catalogue).map(\.description)
        #expect(
            problems.first == "f:2: `defaultPolicy`: there is no policy b2c_1_sign_inn; did you mean b2c_1_sign_in?"
        )
        #expect(
            problems.contains { $0.contains("warning: policy b2c_1_sign_up grants scope tasks.write, which no API") }
        )
    }

    @Test(
        "a default policy that does not sign in is an error",
        arguments: [
            ("b2c_1_step_up", "step-up"), ("b2c_1_edit_profile", "profile-edit"),
            ("b2c_1_password_reset", "password-reset"),
        ]
    )
    func defaultPolicy(_ name: String, _ kind: String) throws {
        let catalogue = try #require(PolicyCatalogue.load(files: ShippedPolicies.files).0)
        let problems = try #require(try read("defaultPolicy: \(name)\n").0).problems(with: catalogue)
        let expected = "f:1: `defaultPolicy`: \(name) is of kind \(kind); it must be a policy for signing in or up"
        #expect(problems.first?.description == expected)
    }

    @Test("a back-channel logout address is a warning if no session is stored, and none over https") func signOuts()
        throws
    {
        let client = """
            clients: {c: {type: public, redirectURIs: ["http://localhost"], backchannelLogoutURI: "https://a.example/bye/?rp=1"}}
            """
        let (configuration, problems) = try read(client)
        #expect(configuration?.clients["c"]?.backchannelLogoutURI == "https://a.example/bye/?rp=1")
        #expect(problems.count == 1, "\(problems)")
        let warning = "f:1: warning: `clients.c.backchannelLogoutURI` has no effect if `issuerBase` is http: "
        #expect(problems.first?.hasPrefix(warning) == true)
        let proxies = "behindProxy: true\nproxies: [10.0.0.1]\nforwardedHeader: Forwarded\n"
        let secure = "issuerBase: https://a.example\n\(proxies)\(client)"
        #expect(try read(secure).1 == [])
    }

    @Test("behind a proxy the operator must name the header that the proxy sets") func forwardedHeader() throws {
        let base = "issuerBase: https://a.example\nbehindProxy: true\n"
        let (none, problems) = try read(base + "proxies: [10.0.0.1]\n")
        #expect(none == nil)
        #expect(
            problems == [
                "f:3: `forwardedHeader` is missing: which header does the proxy set to the client's address, "
                    + "`Forwarded` or `X-Forwarded-For`?"
            ]
        )
        for header in ForwardedHeader.allCases {
            let (read, problems) = try read(base + "proxies: [10.0.0.1]\nforwardedHeader: \(header.rawValue)\n")
            #expect(read?.forwardedHeader == header && problems == [])
        }
        let (unknown, reasons) = try read(base + "proxies: [10.0.0.1]\nforwardedHeader: X-Real-IP\n")
        #expect(unknown == nil && reasons.count == 1, "\(reasons)")
        #expect(reasons.first?.hasPrefix("f:4: `forwardedHeader` ") == true, "\(reasons)")
        let idle = "f:3: warning: `forwardedHeader` has no effect without `behindProxy: true` and `proxies`"
        #expect(try read(base + "forwardedHeader: Forwarded\n").1.contains(idle))
    }

    @Test("a file with warnings is in force") func warnings() throws {
        let (configuration, problems) = try read("issuerBase: https://a.example\nproxies: [10.0.0.1]\n")
        #expect(configuration != nil)
        #expect(problems.count == 2 && problems.allSatisfy { $0.contains(": warning: ") })
    }
}
