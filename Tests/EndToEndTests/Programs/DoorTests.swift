import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of the ways in which clients find and use the authority's endpoints.
@Suite(.timeLimit(.minutes(5)))
struct DoorTests {
    @Test("a client that knows only the API's address finds the authority by its 401 (RFC 9728)") func resource()
        async throws
    {
        let machine = try Machine()
        let file = machine.folder.path("etc/tasksd.yaml")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        try machine.write(lines + ["resource: \(machine.api)"], to: "etc/tasksd.yaml")
        let (broker, api) = (try machine.startBroker(), try machine.startTasks())
        defer {
            for daemon in [api, broker] {
                daemon.signal(SIGTERM)
                daemon.wait()
            }
        }
        let refused = try await WebAnswer.to(.GET, "\(machine.api)/tables/todoitem", token: nil)
        let field = try #require(refused.headers.first(name: "WWW-Authenticate"))
        let address = try #require(WWWAuthenticate(field)?.resourceMetadata)
        let metadata = try #require(try await WebAnswer.to(.GET, address, token: nil).json)
        #expect(refused.status == 401 && metadata["resource"]?.string == machine.api)
        let issuer = try #require(metadata["authorization_servers"]?.strings?.first)
        #expect(issuer == "\(machine.base)/local/b2c_1_sign_up_or_in/v2.0")
        let path = issuer.dropFirst(machine.base.utf8.count)
        let wellKnown = "\(machine.base)/.well-known/oauth-authorization-server\(path)"
        #expect(try await WebAnswer.to(.GET, wellKnown, token: nil).json?["issuer"]?.string == issuer)
    }

    @Test("sign-in --device shows a code and ends after the sign-in in a browser") func device() async throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        defer {
            daemon.signal(SIGTERM)
            daemon.wait()
        }
        let person = Person.random()
        // A second user is signed in with the same uid.
        for somebody in [person, Person.random()] { try somebody.signUp(try machine.connect(), on: machine) }
        let command = try BuiltProgram("tokenbroker").start(["sign-in", "--device"], environment: machine.environment)
        try await waitUntil("the command shows the words") { command.errors().contains("these words: ") }
        let shown = command.errors()
        let code = try #require(shown.firstMatch(of: /type this code: ([B-Z]{4}-[B-Z]{4})/)).1
        #expect(shown.contains("Open \(machine.base)/device in a browser on this machine"))
        var browser = WebBrowser()
        let entry = try await browser.open("\(machine.base)/device")
        let page = try await browser.submit(entry, ["user_code": String(code)])
        let done = try await browser.submit(page, ["username": person.email, "password": person.password])
        #expect(done.status == 200)
        #expect(command.wait() == 0)
        #expect(command.output().contains("<\(person.email)>"))
    }

    @Test("client show prints the settings for MSAL, Authlib and mod_auth_openidc") func clientShow() async throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        defer {
            daemon.signal(SIGTERM)
            daemon.wait()
        }
        let shown = try machine.tokenbroker(["client", "show", "tasks-cli", "--policy", "B2C_1_sign_in"])
        let root = "\(machine.base)/local/b2c_1_sign_in"
        #expect(shown.status == 0)
        for line in [
            "Client ID:      tasks-cli", "Issuer:         \(root)/v2.0",
            "app = msal.PublicClientApplication(\"tasks-cli\", authority=\"\(root)\")",
            "server_metadata_url=\"\(root)/v2.0/.well-known/openid-configuration\"",
            "OIDCProviderMetadataURL \(root)/v2.0/.well-known/openid-configuration",
            "OIDCProviderTokenEndpointAuth none", "OIDCPKCEMethod S256",
        ] { #expect(shown.output.contains(line), "\(line)") }
        let metadata = try await WebAnswer.to(.GET, "\(root)/v2.0/.well-known/openid-configuration", token: nil)
        #expect(metadata.status == 200)
        #expect(try machine.tokenbroker(["client", "show", "nobody"]).status == 1)
    }
}
