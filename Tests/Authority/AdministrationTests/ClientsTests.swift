import Authority
import AuthorityStore
import Crypto
import FlowModel
import Foundation
import Localization
import Moments
import OAuth
import Policies
import TestSupport
import Testing
import Tokens

@testable import Administration

@Suite(.timeLimit(.minutes(1)))
struct ClientsTests {
    @Test("a registered client can make requests, also at another daemon, until it is removed") func registered()
        async throws
    {
        let office = try await Office()
        let root = try await office.root()
        let other = try office.secondDaemon()
        _ = try await other.refreshed()
        let new = NewClient(displayName: "Robot", scopes: ["tasks/tasks.read"])
        let added = try await root.add(new)
        #expect(added.secret == nil)
        let client = added.client.client
        var request = TokenRequest(scopes: ["tasks.read"])
        request.client = client
        #expect(try await office.authority.resolve(request).client == client)
        office.time.advance(by: .seconds(5))
        #expect(try await other.resolve(request).client == client)
        var write = TokenRequest(scopes: ["tasks.write"])
        write.client = client
        let unnamed = await #expect(throws: Refusal.self) { try await office.authority.resolve(write) }
        #expect(unnamed?.reason == .scopeDenied && unnamed?.scopeProblem == .notPermitted)
        try await root.removeClient(client)
        let refusal = await #expect(throws: Refusal.self) { try await office.authority.resolve(request) }
        #expect(refusal?.reason == .unknownClient)
        #expect(try await office.events().suffix(2) == ["client.added", "client.removed"])
    }

    @Test("a secret is shown once and stored as its hash") func secret() async throws {
        let office = try await Office()
        let root = try await office.root()
        let new = NewClient(displayName: "Web", type: .confidential)
        let added = try await root.add(new)
        let shown = try #require(added.secret)
        let row = try #require(try await office.store.clients.list().first { $0.client.client == added.client.client })
        #expect(row.secretHash == Secret(bytes: SHA256.hash(data: shown.revealBytes())))
    }

    @Test("a client has the logout URIs, algorithms and keys that it was registered with")
    func terms() async throws {
        let office = try await Office()
        let root = try await office.root()
        var new = NewClient(displayName: "Web", redirectURIs: ["https://web.example/cb"])
        new.signOut = SignOutAddresses(
            postLogoutRedirectURIs: ["https://web.example/out"],
            backchannelLogoutURI: "https://web.example/bye/?rp=1"
        )
        new.signing = TokenSigning(idToken: .rs256, accessToken: .edDSA)
        let added = try await root.add(new).client
        #expect(added.signOut == new.signOut && added.signing == new.signing)
        #expect(try await root.clients().first { $0.client == added.client } == added)
        #expect(Set(try await office.authority.keys.list().map(\.alg)).isSuperset(of: [.rs256, .eddsa]))
        #expect(try await office.store.clients.list().map(\.client).contains(added))
    }

    @Test(
        "a logout URI that cannot be called or visited by a browser is rejected",
        arguments: ["http://web.example/bye", "https://u@web.example/", "https://web.example/bye#x", "bye"]
    )
    func signOuts(_ uri: String) async throws {
        let root = try await Office().root()
        let refused = [
            (SignOutAddresses(backchannelLogoutURI: uri), "refusal.clientLogoutURI"),
            (SignOutAddresses(postLogoutRedirectURIs: [uri]), "refusal.redirectURI"),
        ]
        for (addresses, key) in refused {
            let new = NewClient(displayName: "Web", signOut: addresses)
            let error = await #expect(throws: InvalidParameters.self) { try await root.add(new) }
            #expect(error?.text.key == key)
        }
    }

    @Test("a redirect URI of a browser client is the address of a page, also after a sign-out") func pages()
        async throws
    {
        let root = try await Office().root()
        let (page, app) = ("https://app.example/", "com.example.app:/cb")
        for (redirectURI, signedOut) in [(app, page), (page, app)] {
            let new = NewClient(
                displayName: "App",
                type: .browser,
                redirectURIs: [redirectURI],
                signOut: SignOutAddresses(postLogoutRedirectURIs: [signedOut])
            )
            let error = await #expect(throws: InvalidParameters.self) { try await root.add(new) }
            #expect(error?.text == Text("refusal.browserRedirectURI", ["uri": app]))
        }
        let added = try await root.add(NewClient(displayName: "App", type: .browser, redirectURIs: [page]))
        #expect(added.client.type == .browser && added.secret == nil)
    }

    @Test("a configured client is listed, and administration cannot remove it") func configured() async throws {
        let office = try await Office()
        let root = try await office.root()
        #expect(try await root.clients().map(\.client) == ["tasks-cli", "tokenbroker-cli"])
        let error = await #expect(throws: InvalidParameters.self) {
            try await root.removeClient("tasks-cli")
        }
        #expect(error?.text == Text("refusal.clientOfConfiguration"))
        let refusal = await #expect(throws: Refusal.self) {
            try await root.removeClient("unknown")
        }
        #expect(refusal?.reason == .unknownClient)
    }

    @Test(
        "an invalid redirect URI is rejected",
        arguments: [
            "urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob:auto", "http://example.org/cb", "https://",
            "https://web.example/cb#part", "https://*.example/cb", "https://user@web.example/cb", "cb",
            "javascript:alert(1)",
        ]
    )
    func redirects(_ uri: String) async throws {
        let office = try await Office()
        let root = try await office.root()
        let new = NewClient(displayName: "Web", redirectURIs: [uri])
        let error = await #expect(throws: InvalidParameters.self) { try await root.add(new) }
        #expect(error?.text.key == "refusal.redirectURI")
        if uri.hasPrefix("urn:") {
            #expect(error?.text.english.contains("loopback") == true)
            #expect(error?.text.english.contains("device code") == true)
        }
    }

    @Test(
        "loopback addresses, https and private-use schemes are valid redirect URIs",
        arguments: [
            "http://localhost", "http://127.0.0.1:1234/cb", "http://[::1]/cb", "https://web.example/cb",
            "org.example.app:/cb",
        ]
    )
    func goodRedirects(_ uri: String) async throws {
        let office = try await Office()
        let root = try await office.root()
        let new = NewClient(displayName: "Web", redirectURIs: [uri])
        #expect(try await root.add(new).client.redirectURIs == [uri])
    }

    @Test("a name with control characters, an unknown scope and an unknown audience are rejected") func nonsense()
        async throws
    {
        let office = try await Office()
        let root = try await office.root()
        let names = [
            "", "a\u{1B}[2J", "a\u{9B}2J", "a\u{202E}b", "a\u{2066}b", "a\u{200B}", "a\u{2028}b", "a\u{2029}b",
            "a\u{200D}", "\u{AD}",
        ]
        let name = Text("refusal.clientName", ["most": 100])
        let bad =
            names.map { (NewClient(displayName: $0), name) } + [
                (NewClient(displayName: "A", scopes: ["tasks.read"]), Text("refusal.clientScope")),
                (NewClient(displayName: "A", audience: "unknown"), Text("refusal.clientAudience")),
            ]
        for (client, text) in bad {
            let error = await #expect(throws: InvalidParameters.self) { try await root.add(client) }
            #expect(error?.text == text)
        }
    }
}
