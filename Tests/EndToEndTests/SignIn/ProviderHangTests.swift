import Foundation
import LocalIssuer
import NIOHTTP1
import OAuth
import Synchronization
import TestSupport
import Testing

/// Tests external servers that accept a request and never respond, with the built daemon.
@Suite(.timeLimit(.minutes(5)))
struct ProviderHangTests {
    private final class Event: Sendable {
        private let value = Mutex(false)
        var hasHappened: Bool { value.withLock { $0 } }
        func happen() { value.withLock { $0 = true } }
    }

    /// Opens an address with the cookies of `browser`, and triggers the event after the page has loaded.
    private static func open(_ url: String, in browser: WebBrowser, _ event: Event) async throws -> WebBrowser.Page {
        var browser = browser
        let page = try await browser.open(url)
        event.happen()
        return page
    }

    @Test("a sign-in at an identity provider that hangs ends on a page of the authority, and others sign in meanwhile")
    func signIn() async throws {
        let scene = ProviderScene()
        try await scene.withProvider { provider, machine in
            let connection = try machine.connect()
            let person = Person.random()
            try person.signUp(connection, on: machine)
            _ = try person.token(connection)
            provider.tell(.hang)
            var (browser, stranger) = (WebBrowser(), WebBrowser())
            let there = try destination(of: try await browser.open(scene.request(machine)))
            let back = try destination(of: try await stranger.open(there))
            let (left, end) = (browser, Event())
            async let page = Self.open(back, in: left, end)
            try await waitUntil("the provider has the code") { provider.redemptions == 1 }
            for _ in 0..<20 { #expect(try person.token(connection)["fromCache"]?.bool == true) }
            #expect(try person.signIn(try machine.connect()) == "accepted")
            // The request still has no response.
            #expect(!end.hasHappened)
            let problem = try await page
            #expect(problem.status == 502, "\(problem.status) \(problem.text)")
            #expect(problem.text.contains("provider_failed"), "\(problem.text)")
        }
    }

    @Test("a renewal at an authority that hangs is 1014, cached tokens are returned, and the account remains")
    func authority() async throws {
        try await OutsideScene.run { scene in
            try await scene.signIn()
            scene.provider.hold(true)
            let waiting = try scene.callers(2, ["scopes": ["files.write"]])
            try await waitUntil("the renewal has begun") { scene.provider.waitingRenewals == 1 }
            for _ in 0..<20 { #expect(try scene.token()["fromCache"]?.bool == true) }
            // The requests still have no response.
            #expect(!waiting.contains { !$0.isSilent })
            for caller in waiting {
                let reply = try StrictJSON.parse(Array(try caller.receive().utf8))
                #expect(reply["error"]?["code"]?.int == 1014, "\(reply)")
            }
            scene.provider.hold(false)
            #expect(try scene.connection.call("account.list")["accounts"]?.array?.count == 1)
            #expect(try scene.token()["accessToken"]?.string == "access-1")
        }
    }
}
